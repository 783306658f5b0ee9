"""What was compiled once is not compiled again, in this run or the next."""

import jax

from conftest import ROOT

jax.config.update("jax_compilation_cache_dir", str(ROOT / "build/compiled"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
