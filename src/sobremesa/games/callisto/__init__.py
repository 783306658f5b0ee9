"""Callisto, by Reiner Knizia."""

from random import Random
from typing import Any

from sobremesa.core.game import Option, TypedGame, Value
from sobremesa.games.callisto.board import Placement
from sobremesa.games.callisto.editions import EDITIONS
from sobremesa.games.callisto.features import features
from sobremesa.games.callisto.heuristic import forced, heuristic
from sobremesa.games.callisto.notation import parse_position
from sobremesa.games.callisto.plain import CallistoView, box
from sobremesa.games.callisto.state import CallistoState
from sobremesa.games.callisto.words import WORDS


def _sample(view: Any, random: Random) -> CallistoState:
    state: CallistoState = view.state
    return state


def _table(edition: str, seats: int) -> dict[str, Value]:
    return {"edition": edition, "seats": seats, "starter": seats - 2}


GAME = TypedGame(
    id="callisto",
    name="Callisto",
    version=1,
    package=__name__,
    designer="Reiner Knizia",
    aim="callisto.lay-your-tiles-where-the-others",
    minutes=20,
    age=7,
    rule_prefix="C",
    rule_count=11,
    words=WORDS,
    options=(
        Option(
            "edition",
            "classic",
            choices=tuple(EDITIONS),
            label="callisto.option.edition",
            labels=("callisto.option.classic-the-octagon-18", "callisto.option.pocket-the-frame-13"),
        ),
        Option("seats", 2, choices=(2, 3, 4)),
        Option("starter", 0),
    ),
    begin=CallistoState.begin,
    parse_position=parse_position,
    low_wins=True,
    series_rule="C11",
    forced=forced,
    plain=CallistoView,
    box=box,
    scores_so_far=lambda state: tuple(state.penalty(seat) for seat in range(state.seats)),
    heuristic=heuristic,
    features=features,
    sample=_sample,
    engines=f"{__name__}.engine:ENGINE_SET",
    ladder={
        "child": 183,
        "beginner": 420,
        "casual": 736,
        "regular": 1000,
        "club": 1369,
        "expert": 1705,
        "master": 2208,
        "champion": 2660,
    },
    batch=f"{__name__}.batch.rules:callisto",
    training=f"{__name__}.training.run:main",
    commands=(f"{__name__}.cli.gtp",),
    protocols={"gtp": f"{__name__}.cli.referee:Gtp"},
    file_formats={".blksgf": f"{__name__}.cli.blksgf"},
    page="page",
    screens=("/openings/callisto",),
    all_moves=lambda state: state.board.placements,  # type: ignore[attr-defined]
    max_steps=lambda options: int(options["seats"]) * (3 + 18),
    tables={f"{edition}-{seats}": _table(edition, seats) for edition in EDITIONS for seats in (2, 3, 4)},
)

__all__ = ["GAME", "CallistoState", "Placement"]
