"""Isis & Osiris for computers."""

from sobremesa.engines.isis_osiris.engine_set import ENGINE_SET

__all__ = ["ENGINE_SET"]
