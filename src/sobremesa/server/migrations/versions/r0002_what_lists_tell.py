"""What lists tell of a room: names, options, how many games, whose turn."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the column; rooms that are there already fill it with their next event."""
    op.add_column("rooms", sa.Column("about", sa.Text))
