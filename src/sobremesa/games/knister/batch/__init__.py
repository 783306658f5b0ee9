"""The rules in JAX, for thousands of games at once."""
