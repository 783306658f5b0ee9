"""What Alembic runs; the connection comes from ``migrate``, which holds the lock and commits."""

from alembic import context


def run() -> None:
    """Runs the revisions that are missing."""
    context.configure(connection=context.config.attributes["connection"])
    with context.begin_transaction():
        context.run_migrations()


# Alembic gives this file a name of its own; whoever imports it as a module only wants to read it.
if __name__ == "env_py":
    run()
