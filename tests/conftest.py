"""What all tests share: the search path for ``kinds`` and the tools, and Hypothesis' profiles."""

import sys
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
for folder in ("tools", "tests"):
    if (path := str(ROOT / folder)) not in sys.path:
        sys.path.insert(0, path)

# The same examples every time, so that nobody's check fails over somebody else's bug;
# ``pytest --hypothesis-profile=long`` looks for new ones.
settings.register_profile("usual", deadline=None, derandomize=True, max_examples=100, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("usual")
