"""Draws the pictures of the games in docs/pictures; each game's ``tools/scenes.py`` says what they show."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random

from sobremesa import GAMES
from sobremesa.core.game import Game, Value
from sobremesa.engines import GreedyPlayer
from sobremesa.table.fair import FairChance
from sobremesa.table.sitting import Sitting

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


def scene(game: Game, options: dict[str, Value], decisions: int) -> Sitting:
    """A game of greedy players after so many decisions."""
    sitting = Sitting.start(game, options, FairChance.from_seed("picture"))
    player = GreedyPlayer(game, Random(3))
    while not sitting.state.over and decisions:
        if sitting.state.chance is not None:
            sitting = sitting.roll()
            continue
        seat = next(iter(sitting.state.deciding))
        sitting = sitting.play(player.choose(sitting.state.view(seat)), seat)
        decisions -= 1
    return sitting


def main() -> None:
    """Writes all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for game in GAMES.values():
        if find_spec(f"{game.package}.tools") is None:
            continue
        for name, (options, decisions) in import_module(f"{game.package}.tools.scenes").SCENES.items():
            state = scene(game, options, decisions).state
            # Where everybody has a sheet of their own, one of them is shown.
            seat = next(iter(state.deciding), None) if game.crowd else None
            (PICTURES / f"{name}.svg").write_text(state.view(seat).svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
