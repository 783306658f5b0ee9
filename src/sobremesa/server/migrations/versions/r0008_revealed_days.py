"""Which days of the daily game were revealed: their rolls could be known to anybody."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Adds the column. Of days before nobody can tell: whoever asks for them now marks them."""
    op.add_column("dailies", sa.Column("revealed", sa.Boolean, nullable=False, server_default=sa.false()))
