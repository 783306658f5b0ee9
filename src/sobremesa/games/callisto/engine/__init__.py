"""Callisto for computers."""

from sobremesa.games.callisto.engine.engine_set import ENGINE_SET

__all__ = ["ENGINE_SET"]
