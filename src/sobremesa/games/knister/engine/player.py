"""Players of Knister that ask the network."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

from sobremesa.core.state import View
from sobremesa.engines.player import DEFAULT_BUDGET, Budget, Candidate, Player, Stop, Thought, never
from sobremesa.engines.runtime import missing_packages
from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.view import KnisterView

if TYPE_CHECKING:
    from sobremesa.games.knister.engine.lines import Ints


@dataclass(frozen=True)
class Skill:
    """How well a player of Knister plays."""

    ahead: bool = False
    """Whether it looks at every next roll."""
    noise: float = 0.0
    """The standard deviation of the noise on a cell's value, in points."""
    exact: bool = False
    """Whether it counts the end out."""
    to_win: bool = False
    """Whether it plays to win where there is somebody to beat, and not for points alone."""


class NetworkPlayer(Player):
    """Writes where the network expects the most points, or the best chance to win."""

    def __init__(self, name: str, random: Random, skill: Skill) -> None:
        self.name = name
        self._random = random
        self._skill = skill

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        view.decisions()
        try:
            import numpy as np

            from sobremesa.games.knister.engine import exact, lookahead, winning
            from sobremesa.games.knister.engine.network import network
        except ImportError:
            raise missing_packages() from None
        assert isinstance(view, KnisterView)
        assert view.sheet is not None
        assert view.roll is not None
        skill = self._skill
        began = perf_counter()
        sheet: Ints = np.frombuffer(view.sheet, np.uint8).astype(np.int64)
        free = int((sheet == 0).sum())
        depth, certain = 0, False
        if skill.exact and free <= exact.MAX_FREE_CELLS:
            cells, points = exact.placements(sheet, view.roll)
            depth, certain = free, True
        else:
            cells, points = lookahead.first(network(), sheet, view.roll)
            if skill.ahead:
                points, depth = lookahead.ahead(network(), sheet, view.roll, cells), 1
        values = points + skill.noise * np.array([self._random.gauss() for _ in cells]) if skill.noise else points
        others = [
            np.frombuffer(row.sheet, np.uint8).astype(np.int64) for row in view.standings if row.seat != view.seat
        ]
        if skill.to_win and others and len(others) == view.seats - 1 and free <= winning.MAX_FREE_CELLS:
            _, together = winning.chances(sheet, view.roll, others)
            chosen = int(np.lexsort((values, together))[-1])
        else:
            chosen = int(values.argmax())
        chances: tuple[float, ...] = ()
        if skill.to_win and others and len(others) == view.seats - 1:
            likely = winning.standing(network(), [sheet, *others], view.roll)
            seats = [view.seat, *(row.seat for row in view.standings if row.seat != view.seat)]
            chances = tuple(float(chance) for _, chance in sorted(zip(seats, likely, strict=True)))
        order = np.argsort(-points, kind="stable")
        return Thought(
            WRITES[int(cells[chosen])],
            tuple(Candidate(WRITES[int(cells[at])], float(points[at])) for at in order),
            "points",
            (float(points.max()),),
            chances,
            depth,
            simulations=free if depth else 1,
            seconds=perf_counter() - began,
            exact=certain,
        )
