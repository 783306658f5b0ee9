"""A command's idempotency key is a column of the event log, with a unique index; before, it lay inside the data.

And what older versions left of people whom they had forgotten goes: names of who shared the host's screen, and words
that were added to chance, of which the SHA-256 stays.
"""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

FORGOTTEN = "–"
"""What stands where a name stood."""
MOVE = {
    "sqlite": """
        UPDATE events SET command = json_extract(data, '$.id'), data = json_remove(data, '$.id')
        WHERE json_extract(data, '$.id') IS NOT NULL
    """,
    "postgresql": """
        UPDATE events SET command = data::jsonb ->> 'id', data = (data::jsonb - 'id')::text
        WHERE data::jsonb ->> 'id' IS NOT NULL
    """,
}
KEEP_THE_FIRST = """
    UPDATE events SET command = NULL
    WHERE command IS NOT NULL AND person IS NOT NULL AND version > (
        SELECT min(version) FROM events AS other
        WHERE other.room = events.room AND other.person = events.person AND other.command = events.command
    )
"""
"""Of two commands with the same key, which older servers did once the first was long ago."""


def upgrade() -> None:
    """Adds the column, fills it from the data, and makes it unique."""
    op.add_column("events", sa.Column("command", sa.String(64)))
    op.execute(MOVE[op.get_bind().dialect.name])
    op.create_index("ix_events_command", "events", ["room", "person", "command"])
    op.execute(KEEP_THE_FIRST)
    op.execute("UPDATE events SET command = NULL WHERE person IS NULL")
    _forget()
    op.drop_index("ix_events_command", "events")
    op.create_index("ix_events_command", "events", ["room", "person", "command"], unique=True)


def _forget() -> None:
    """Rewrites what is left of people who were forgotten."""
    connection = op.get_bind()
    rows = connection.execute(
        sa.text("SELECT room, version, kind, data FROM events WHERE person IS NULL AND kind IN ('created', 'words')")
    ).all()
    for row in rows:
        data = json.loads(row.data)
        if row.kind == "created":
            data |= {"name": FORGOTTEN, "words": ""}
            for plan in data["seats"]:
                plan["name"] = plan["name"] and FORGOTTEN
                if plan["kind"] != "engine":  # nobody has checked which player was named
                    plan.pop("player", None)
        else:
            data |= {"words": "", "sha256": hashlib.sha256(data["words"].encode()).hexdigest()}
        connection.execute(
            sa.text("UPDATE events SET data = :data WHERE room = :room AND version = :version"),
            {"data": json.dumps(data, separators=(",", ":")), "room": row.room, "version": row.version},
        )
