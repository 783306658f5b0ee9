"""The command line: ``sobremesa`` and its commands."""

from sobremesa.cli.main import main

__all__ = ["main"]
