"""Callisto for computers."""

from sobremesa.engines.callisto.school import SCHOOL

__all__ = ["SCHOOL"]
