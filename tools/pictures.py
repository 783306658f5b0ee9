"""Draws the pictures of the README: a game of each, played by the greedy player, the same every time.

Run it with ``make docs``.
"""

from pathlib import Path
from random import Random

from sobremesa import GAMES
from sobremesa.core.game import Value
from sobremesa.engines import GreedyPlayer
from sobremesa.table import FairChance, Sitting

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SCENES: list[tuple[str, str, dict[str, Value], int]] = [
    ("callisto", "callisto", {"seats": 4}, 64),
    ("callisto-pocket", "callisto", {"edition": "pocket", "seats": 2}, 22),
    ("isis-osiris", "isis-osiris", {"seats": 3}, 40),
    ("isis-osiris-end", "isis-osiris", {"seats": 2}, 1000),
    ("knister", "knister", {"seats": 3}, 61),
]
"""Name of the picture, game, options, and after how many decisions it is drawn."""


def scene(game: str, options: dict[str, Value], decisions: int) -> Sitting:
    """A game of greedy players after so many decisions."""
    sitting = Sitting.start(GAMES[game], options, FairChance.from_seed("picture"))
    player = GreedyPlayer(GAMES[game], Random(3))
    while not sitting.state.over and decisions:
        if sitting.state.chance is not None:
            sitting.roll()
            continue
        seat = next(iter(sitting.state.deciding))
        sitting.play(player.choose(sitting.state.view(seat)), seat)
        decisions -= 1
    return sitting


def main() -> None:
    """Writes all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, game, options, decisions in SCENES:
        state = scene(game, options, decisions).state
        seat = next(iter(state.deciding), None) if game == "knister" else None
        (PICTURES / f"{name}.svg").write_text(state.view(seat).svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
