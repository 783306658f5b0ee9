"""Isis & Osiris for computers."""

from sobremesa.engines.isis_osiris.school import SCHOOL

__all__ = ["SCHOOL"]
