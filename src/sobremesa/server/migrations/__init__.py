"""The history of the database, for Alembic; ``migrate`` runs it. A revision that was released never changes."""
