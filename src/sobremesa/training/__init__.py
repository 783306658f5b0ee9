"""Networks that learn by playing against themselves; one module a game, run with ``python -m``."""
