"""Knister for computers."""

from sobremesa.engines.knister.engine_set import ENGINE_SET

__all__ = ["ENGINE_SET"]
