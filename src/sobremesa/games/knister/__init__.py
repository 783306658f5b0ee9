"""Knister, by Heinz Wüppen."""

from sobremesa.core.game import Option, TypedGame, Urn
from sobremesa.games.knister.features import features
from sobremesa.games.knister.heuristic import forced, heuristic
from sobremesa.games.knister.moves import WRITES, Write
from sobremesa.games.knister.notation import parse_position
from sobremesa.games.knister.plain import KnisterView, box
from sobremesa.games.knister.state import DICE, KnisterState
from sobremesa.games.knister.words import WORDS

_DICE = Urn(dict(zip(DICE.outcomes, DICE.weights, strict=True)), replaced=True, after="^(?!~)")
"""Two dice at the start, and after each round (K2)."""

GAME = TypedGame(
    id="knister",
    name="Knister",
    version=1,
    package=__name__,
    designer="Heinz Wüppen",
    aim="knister.two-dice-one-number-for-all",
    minutes=15,
    age=8,
    rule_prefix="K",
    rule_count=8,
    words=WORDS,
    options=(Option("seats", 1, least=1, most=10**9, samples=(1, 2, 3, 5, 40)), Option("starter", 0)),
    begin=KnisterState.begin,
    parse_position=parse_position,
    crowd=True,
    urn=lambda options: _DICE,
    forced=forced,
    forced_rule="K1",
    plain=KnisterView,
    box=box,
    heuristic=heuristic,
    features=features,
    hidden=True,
    engines=f"{__name__}.engine:ENGINE_SET",
    batch=f"{__name__}.batch.table:knister",
    training=f"{__name__}.training.run:main",
    server=f"{__name__}.server.part:PART",
    page="page",
    screens=("/daily", "/daily/{date}"),
    all_moves=lambda state: WRITES,
    max_steps=lambda options: 25 * (int(options["seats"]) + 1),
    tables={str(seats): {"seats": seats, "starter": seats // 2} for seats in (1, 2, 3, 5, 40)},
)

__all__ = ["GAME", "KnisterState", "Write"]
