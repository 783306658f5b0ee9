"""A game of dice and hidden cards, to see that a game from elsewhere may have both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from sobremesa.core.chance import Chance
from sobremesa.core.drawing import label, picture, rect
from sobremesa.core.errors import IllegalMove, InvalidMove, InvalidPosition
from sobremesa.core.game import Game, Option, Urn
from sobremesa.core.position import read_number, read_position, write_position
from sobremesa.core.result import Result, places
from sobremesa.core.seats import Seats
from sobremesa.core.state import State, View
from sobremesa.core.words import Words

CARDS = ("1", "2", "3")
DIE = Chance((1, 2, 3, 4, 5, 6), (1,) * 6)


@dataclass(frozen=True)
class DuelView(View[str]):
    """One's own hand and card; of the others only who has laid one."""

    seat: int | None
    hands: tuple[str, ...]
    own: str
    laid: tuple[bool, ...]
    die: int
    points: tuple[int, ...]
    starter: int

    def legal_moves(self) -> Sequence[str]:
        if self.seat is None or not self.die or self.own:
            return []
        return list(self.hands[self.seat])

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "game": "duel",
            "seat": self.seat,
            "options": {"seats": len(self.hands), "starter": self.starter},
            "deciding": [seat for seat, there in enumerate(self.laid) if not there] if self.die else [],
            "hands": list(self.hands),
            "own": self.own,
            "laid": list(self.laid),
            "die": self.die,
            "points": list(self.points),
        }

    def text(self, colour: bool = False) -> str:
        return f"die {self.die or '?'}; points {self.points}; hand {'' if self.seat is None else self.hands[self.seat]}"

    def svg(self, last: str | None = None) -> str:
        shapes = [label(60, 30, f"die: {self.die or '?'}")]
        for index, card in enumerate(self.legal_moves()):
            shapes += [
                rect(10 + 60 * index, 50, 50, 70, rx=6, fill="#FFFDF8", stroke="#23252B", data_cell=card),
                label(35 + 60 * index, 92, card, 24, pointer_events="none"),
            ]
        return picture(200, 130, "Duel", self.text(), *shapes)


@dataclass(frozen=True)
class DuelState(State[str]):
    """Hands, the cards that lie face down, the die, the points."""

    hands: tuple[str, ...]
    laid: tuple[str, ...]
    die: int
    points: tuple[int, ...]
    starter: int

    @classmethod
    def begin(cls, seats: int, starter: int) -> "DuelState":
        return cls(("".join(CARDS),) * seats, ("",) * seats, 0, (0,) * seats, starter)

    @property
    def seats(self) -> int:
        return len(self.hands)

    @property
    def options(self) -> dict[str, Any]:
        return {"seats": self.seats, "starter": self.starter}

    @property
    def deciding(self) -> Seats:
        return Seats(sum(1 << seat for seat, card in enumerate(self.laid) if not card) if self.die else 0)

    @property
    def chance(self) -> Chance | None:
        return DIE if not self.die and self.hands[0] else None

    def legal_moves(self, seat: int | None = None) -> Sequence[str]:
        if seat is None and self.deciding:
            seat = self.decider()
        return list(self.hands[seat]) if seat is not None and seat in self.deciding else []

    def count_moves(self, seat: int | None = None) -> int:
        return len(self.legal_moves(seat))

    def play(self, move: str, seat: int | None = None) -> "DuelState":
        move = self.parse_move(move, seat)
        if seat is None and self.deciding:
            seat = self.decider()
        if seat is None or move not in self.legal_moves(seat):
            raise IllegalMove("D2", "duel.not-now")
        laid = tuple(move if at == seat else card for at, card in enumerate(self.laid))
        if not all(laid):
            return replace(self, laid=laid)
        best = [at for at, card in enumerate(laid) if card == max(laid)]
        points = tuple(had + self.die * (best == [at]) for at, had in enumerate(self.points))
        hands = tuple(hand.replace(card, "") for hand, card in zip(self.hands, laid, strict=True))
        return replace(self, hands=hands, laid=("",) * self.seats, die=0, points=points)

    def happen(self, outcome: int) -> "DuelState":
        if self.chance is None or outcome not in DIE.outcomes:
            raise IllegalMove("D1", "duel.no-die")
        return replace(self, die=outcome)

    def parse_move(self, text: str, seat: int | None = None) -> str:
        if (card := text.strip()) not in CARDS:
            raise InvalidMove("duel.no-card", text=text[:10])
        return card

    def result(self) -> Result | None:
        return Result(self.points, places([-points for points in self.points])) if self.over else None

    def view(self, seat: int | None) -> DuelView:
        self.check_seat(seat)
        own = "" if seat is None else self.laid[seat]
        return DuelView(seat, self.hands, own, tuple(map(bool, self.laid)), self.die, self.points, self.starter)

    def position(self) -> str:
        fields = {name: "/".join(value or "-" for value in getattr(self, name)) for name in ("hands", "laid")}
        points = "/".join(map(str, self.points))
        return write_position("duel", fields | {"die": self.die, "points": points, "starter": self.starter})


def parse_position(text: str) -> DuelState:
    fields = read_position(text, "duel", ("hands", "laid", "die", "points", "starter"))
    parts = {name: tuple(part.replace("-", "") for part in fields[name].split("/")) for name in ("hands", "laid")}
    points = fields["points"].split("/")
    if not (len(parts["hands"]) == len(parts["laid"]) == len(points) and all(map(str.isdigit, points))):
        raise InvalidPosition("duel.parts")
    die, starter = read_number(fields, "die"), read_number(fields, "starter")
    return DuelState(parts["hands"], parts["laid"], die, tuple(map(int, points)), starter)


def sample(view: DuelView, random: Random) -> DuelState:
    """What the others have laid is one of the cards of their hands."""
    laid = tuple(
        view.own if seat == view.seat else random.choice(view.hands[seat]) if there else ""
        for seat, there in enumerate(view.laid)
    )
    return DuelState(view.hands, laid, view.die, view.points, view.starter)


GAME = Game(
    id="duel",
    name="Duel",
    version=1,
    package=__name__,
    designer="nobody",
    aim="duel.aim",
    minutes=2,
    age=6,
    rule_prefix="D",
    rule_count=3,
    words=Words(
        describe=lambda move: ("duel.card", {}),
        describe_chance=lambda outcome: ("duel.die", {"value": outcome}),
        group=str,
        help=("duel.help",),
        short=str,
    ),
    options=(Option("seats", 2, choices=(2, 3)), Option("starter", 0)),
    begin=DuelState.begin,
    parse_position=parse_position,
    urn=lambda options: Urn(dict.fromkeys(range(1, 7), 1), replaced=True, after="^(?!~)"),
    hidden=True,
    sample=sample,
    all_moves=lambda state: CARDS,
    max_steps=lambda options: 3 * (1 + int(options["seats"])),
)
