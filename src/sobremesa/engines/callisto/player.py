"""Players of Callisto that ask the network, and count the end out exactly."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import State, View
from sobremesa.engines.callisto.endgame import Endgame, may_be_solved
from sobremesa.engines.evaluator import Evaluation, Values, chance, chances
from sobremesa.engines.expectimax import TimeUp
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import USUAL, Budget, Candidate, Stop, Thought, never
from sobremesa.engines.searching import Strength, TreePlayer
from sobremesa.games.callisto.state import CallistoState
from sobremesa.games.callisto.view import CallistoView

if TYPE_CHECKING:
    from sobremesa.engines.callisto.network import Judge

SHARE = 0.25
"""So much of its time a player may try to count the end out."""
FORCED = 16
"""Where there is nothing to choose, a glance tells what the position is worth."""


@dataclass(frozen=True)
class Skill(Strength):
    """How well a player of Callisto plays."""

    margin: float = 0.1
    """How much all the margin in the world counts beside a win."""
    lots: float = 0.0
    """How much chance has a say in which moves come to mind; with 1 they do as often as the network likes them."""
    doubt: float = 1.0
    """How much less it is drawn to the moves that the network likes: their logits are divided by so much."""
    exact: bool = False
    """Whether it counts the end out."""


def recall(view: CallistoView, past: Sequence[CallistoView], seed: str) -> CallistoState:
    """Nothing is hidden in Callisto."""
    return view.state


class NetworkPlayer(TreePlayer):
    """Searches with the network's judgement, from the weights that come with the package or from another file."""

    def __init__(self, name: str, game: Game, random: Random, skill: Skill, file: Path | None = None) -> None:
        # Noise blurs what it hears of every position, not only its choice in the end.
        super().__init__(name, game, random, recall, self._judged, replace(skill, noise=0.0), self._ended)
        self._skill = skill
        self._file = file

    def ready(self) -> None:
        _ = self._judge

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = USUAL, stop: Stop = never
    ) -> Thought:
        assert isinstance(view, CallistoView)
        skill = self._skill
        limit = Limit(budget, stop, skill.simulations, skill.seconds)
        if view.state.count_moves() == 1:
            limit.simulations = FORCED if limit.simulations is None else min(FORCED, limit.simulations)
        if skill.exact and may_be_solved(view.state):
            seconds = SHARE * (skill.seconds if budget.seconds is None else budget.seconds)
            try:
                return _counted_out(view.state, budget, limit, seconds)
            except TimeUp:
                pass
        return self._search(view.state, budget, limit)

    @cached_property
    def _judge(self) -> "Judge":
        try:
            from sobremesa.engines.callisto.network import Blur, Judge, network
        except ImportError:
            raise InvalidSetup("this player needs more packages: pip install 'sobremesa[engines]'") from None
        skill = self._skill
        blur = Blur(skill.noise, skill.lots, self._random.getrandbits(63)) if skill.noise or skill.lots else None
        return Judge(network(self._file), skill.margin, blur, skill.doubt)

    def _judged(self, states: Sequence[State[Any]]) -> list[Evaluation]:
        return self._judge(states)

    def _ended(self, state: State[Any]) -> Values:
        return self._judge.finish(state)


def _counted_out(state: CallistoState, budget: Budget, limit: Limit, seconds: float) -> Thought:
    """The best move, known for certain; raises TimeUp if that takes too long."""
    endgame = Endgame(state, lambda: limit.seconds > seconds or limit.hurried())
    found, seat = endgame.moves(lambda move: str(move) == budget.consider), state.turn
    ranked = sorted(found.moves.items(), key=lambda item: -item[1][seat])
    values = chances(ranked[0][1])
    candidates = tuple(Candidate(move, chance(worth[seat])) for move, worth in ranked)
    return Thought(
        candidates[0].move,
        candidates,
        "chance",
        values,
        values,
        simulations=endgame.positions,
        seconds=limit.seconds,
        exact=True,
    )
