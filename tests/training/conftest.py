"""What was compiled once is not compiled again, in this run or the next."""

import os

from conftest import ROOT

os.environ |= {
    "JAX_COMPILATION_CACHE_DIR": str(ROOT / "build/compiled"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
}
