"""The eight levels, from a child's first game to the best player there is."""

from sobremesa.core.catalogues import say
from sobremesa.core.language import LANGUAGES

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


def player_names() -> set[str]:
    """What computer players are called, in every language, and their ids."""
    players = (*LEVELS, "greedy", "random")
    return {say(sentence_of(player), {}, code) for player in players for code in LANGUAGES} | set(players)
