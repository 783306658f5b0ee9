"""Programs that make, measure or compare parts of this game."""
