"""The rules again in JAX, for thousands of games at a time: pure functions over arrays, explicit random keys."""
