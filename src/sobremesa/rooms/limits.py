"""How much there may be of everything in a room, in one place."""

MAX_SEATS = 100_000
"""Seats of a room."""
MAX_PLANNED_SEATS = 12
"""Seats that a new room may name one by one; a crowd grows by itself."""
MAX_LISTED_SEATS = 24
"""At tables of more seats only those that matter to a client are listed, positions are not written down, and replays
leave single moves of a round out: they would be megabytes."""
MAX_NEWCOMERS = 12
"""Of the people who sit down at a table of more seats, those whose names are shown before the first game."""
MAX_NAMED_MISSED = 12
"""Of the people who were not in time, those who are told by name."""
MAX_FOUND_SEATS = 24
"""Seats in an answer to a host who looks for somebody."""
MAX_OWN_VIEWS = 12
"""Views of seats of one's own in an update."""
MAX_TALK_LINES = 100
"""Lines of talk that are kept at hand, and told to who joins."""
MAX_LISTED_NAMES = 12
"""Names in a list of rooms."""

MAX_MISSED_ROUNDS = 3
"""Rounds in which everybody decides together that somebody may miss in a rated game before they have lost it. A turn
that is theirs alone they may not miss."""
READY_SECONDS = 45
"""Seconds that everybody at a public table has to say that they are ready."""
MAX_TAKEN_BACK = 24
"""Moves that can be taken back, of everybody together; who wants to go further back begins anew."""
