"""Compiling anew, where a test measures how long it takes."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def nothing_compiled(tmp_path: Path) -> Iterator[None]:
    """Whatever another test or another run has compiled is out of reach."""
    jax = pytest.importorskip("jax")
    from jax.experimental.compilation_cache.compilation_cache import reset_cache

    usual = jax.config.jax_compilation_cache_dir

    def keep_in(folder: str | None) -> None:
        jax.config.update("jax_compilation_cache_dir", folder)
        reset_cache()

    keep_in(str(tmp_path))
    yield
    keep_in(usual)
