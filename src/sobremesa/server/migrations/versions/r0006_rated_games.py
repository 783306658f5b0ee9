"""Which results count for ratings, and how much of a rating comes from games against people who are known."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Adds the columns. What was played before counts; what ratings come from is known from now on."""
    op.add_column("results", sa.Column("counts", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("ratings", sa.Column("settled", sa.Integer, nullable=False, server_default="0"))
    op.add_column("ratings", sa.Column("met", sa.Integer, nullable=False, server_default="0"))
