"""Callisto for computers."""

from sobremesa.engines.callisto.engine_set import ENGINE_SET

__all__ = ["ENGINE_SET"]
