"""Commands of its own for the terminal."""
