"""Which sheets of a day count, and who has had their try and was forgotten since."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Adds the column and the table. What was ranked stays ranked."""
    op.add_column("daily_sheets", sa.Column("league", sa.String(8), nullable=False, server_default="ranked"))
    op.create_table(
        "daily_tombstones",
        sa.Column("date", sa.String(10), primary_key=True),
        sa.Column("id", sa.String(64), primary_key=True),
    )
