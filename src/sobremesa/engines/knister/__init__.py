"""Knister for computers."""

from sobremesa.engines.knister.school import SCHOOL

__all__ = ["SCHOOL"]
