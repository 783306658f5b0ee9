"""Knister for computers."""

from sobremesa.games.knister.engine.engine_set import ENGINE_SET

__all__ = ["ENGINE_SET"]
