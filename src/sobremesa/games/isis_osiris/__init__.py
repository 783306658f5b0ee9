"""Isis & Osiris, by Michael Schacht."""

from collections.abc import Mapping
from typing import Any

from sobremesa.core.game import Option, TypedGame, Urn, Value
from sobremesa.games.isis_osiris.editions import EDITIONS, VARIANTS, find_edition, find_setup
from sobremesa.games.isis_osiris.features import features
from sobremesa.games.isis_osiris.heuristic import forced, heuristic
from sobremesa.games.isis_osiris.moves import TURN, Move, moves_on
from sobremesa.games.isis_osiris.notation import parse_position
from sobremesa.games.isis_osiris.palette import PALETTE
from sobremesa.games.isis_osiris.plain import IsisOsirisView, box
from sobremesa.games.isis_osiris.state import IsisOsirisState
from sobremesa.games.isis_osiris.words import WORDS


def _urn(options: Mapping[str, Any]) -> Urn:
    """A tile that is turned over is one of those that nobody has seen (I2)."""
    return Urn(find_edition(str(options["edition"])).tiles, replaced=False, after="^[Tt]$")


def _all_moves(state: Any) -> tuple[Move, ...]:
    moves = moves_on(state.setup.edition.names)
    return (*moves.stones, TURN, *moves.tiles)


def _reveal(state: IsisOsirisState) -> IsisOsirisState:
    """With the memory aid, tiles stay readable (I3)."""
    setup = state.setup
    return state._replace(setup=find_setup(setup.edition.name, setup.seats, setup.variant, True, setup.starter))


def _tables() -> dict[str, dict[str, Value]]:
    return {
        f"{variant}-{seats}{'-aid' if aid else ''}": {
            "variant": variant,
            "seats": seats,
            "memory_aid": aid,
            "starter": seats - 1,
        }
        for variant in VARIANTS
        for seats in (2, 3, 4)
        for aid in (False, True)
    }


GAME = TypedGame(
    id="isis-osiris",
    name="Isis & Osiris",
    version=1,
    package=__name__,
    designer="Michael Schacht",
    credit="Goldsieber, 2001",
    aim="isis-osiris.stones-hidden-tiles-and-who-remembers",
    minutes=15,
    age=8,
    rule_prefix="I",
    rule_count=10,
    words=WORDS,
    options=(
        Option("edition", "standard", choices=tuple(EDITIONS)),
        Option("seats", 2, choices=(2, 3, 4)),
        Option(
            "variant",
            "own",
            choices=VARIANTS,
            label="isis-osiris.option.tiles",
            labels=("isis-osiris.option.everybody-has-a-pile-of-their", "isis-osiris.option.one-common-stock"),
        ),
        Option(
            "memory_aid",
            False,
            choices=(False, True),
            label="isis-osiris.option.memory-aid",
            labels=("isis-osiris.option.tiles-stay-face-down", "isis-osiris.option.tiles-stay-readable"),
            changes="views",
        ),
        Option("starter", 0),
    ),
    begin=IsisOsirisState.begin,
    parse_position=parse_position,
    urn=_urn,
    forced=forced,
    plain=IsisOsirisView,
    palette=PALETTE,
    box=box,
    reveal=_reveal,
    hides=lambda move: move.startswith("T"),
    heuristic=heuristic,
    features=features,
    hidden=True,
    engines=f"{__name__}.engine:ENGINE_SET",
    ladder={
        "child": 383,
        "beginner": 531,
        "casual": 761,
        "regular": 990,
        "club": 1120,
        "expert": 1316,
        "master": 1497,
        "champion": 1730,
    },
    batch=f"{__name__}.batch.rules:isis_osiris",
    training=f"{__name__}.training.run:main",
    page="page",
    all_moves=_all_moves,
    max_steps=lambda options: 36 + 2 * 22,
    tables=_tables(),
)

__all__ = ["GAME", "TURN", "IsisOsirisState", "Move"]
