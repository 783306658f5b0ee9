"""The eight levels, from a child's first game to the best player there is."""

LEVELS = {
    id: number
    for number, id in enumerate(
        ("child", "beginner", "casual", "regular", "club", "expert", "master", "champion"), start=1
    )
}
"""The levels by id, the weakest first, each with its place in the row, counted from 1."""


def sentence_of(player: str) -> str:
    """The id of what people call a computer player: a level, or one of those outside them."""
    return f"engines.level.{player}"
