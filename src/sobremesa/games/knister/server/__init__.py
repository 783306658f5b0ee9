"""Its own part of the server: Daily Knister."""
