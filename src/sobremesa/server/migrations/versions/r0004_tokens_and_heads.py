"""More than one token for a person, tokens that are good no more, and how often a room's log was rewritten."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Adds the tables and the column. A token without a row is good, and stands for who it always stood for."""
    op.add_column("rooms", sa.Column("rewritten", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("person", sa.String(64)),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_index("ix_tokens_person", "tokens", ["person"])
    op.create_table(
        "pairings",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("person", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
    )
    op.create_index("ix_pairings_person", "pairings", ["person"])
