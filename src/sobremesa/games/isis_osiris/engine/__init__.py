"""Isis & Osiris for computers."""

from sobremesa.games.isis_osiris.engine.engine_set import ENGINE_SET

__all__ = ["ENGINE_SET"]
