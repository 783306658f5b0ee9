"""Players of Callisto that ask the network, and count the end out exactly."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Self

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import State, View
from sobremesa.engines.evaluator import Evaluation, Values, chance, chances, margin_of
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import DEFAULT_BUDGET, Budget, Candidate, Stop, Thought, never
from sobremesa.engines.runtime import missing_packages
from sobremesa.engines.searching import Strength, TreePlayer
from sobremesa.engines.solution import TimeUp
from sobremesa.engines.tree import SearchSettings
from sobremesa.games.callisto.engine.endgame import Endgame, may_be_solved
from sobremesa.games.callisto.state import CallistoState
from sobremesa.games.callisto.view import CallistoView

if TYPE_CHECKING:
    from sobremesa.games.callisto.engine.network import NetworkEvaluator

ENDGAME_TIME_SHARE = 0.25
"""The part of its time in which a player may try to count the end out."""
FORCED_MOVE_SIMULATIONS = 16
"""The simulations where there is only one move: they find what the position is worth."""


@dataclass(frozen=True)
class Skill(Strength):
    """How well a player of Callisto plays."""

    margin: float = 0.1
    """How much the largest margin counts beside a win."""
    gumbel_scale: float = 0.0
    """The scale of the Gumbel noise on the policy's logits; with 1 a move comes first as often as its prior says."""
    crowd_noise: float = 1.0
    """What noise and Gumbel noise are multiplied by with more than two seats, where they do more harm."""
    policy_temperature: float = 1.0
    """The softmax temperature of the policy: its logits are divided by it, so that priors are more even above 1."""
    exact: bool = False
    """Whether it counts the end out."""
    pillar_turn: int = -1
    """The turn before which it does not look at its third pillar as long as a tile fits; -1: as the table has it."""

    def changed(self, text: str) -> Self:
        """A skill that differs in some fields, of its own or of its search: ``simulations=200 c_puct=0.5``."""
        of_search = {each.name for each in fields(SearchSettings)}
        own: dict[str, Any] = {}
        for_search: dict[str, Any] = {}
        for word in text.split():
            name, _, value = word.partition("=")
            there = for_search if name in of_search else own
            try:
                there[name] = type(getattr(self.settings if name in of_search else self, name))(float(value))
            except (AttributeError, TypeError, ValueError):
                raise InvalidSetup("callisto.error.changes-nothing", word=word) from None
        return replace(self, settings=replace(self.settings, **for_search), **own)


def recall(view: CallistoView, past: Sequence[CallistoView], seed: str) -> CallistoState:
    """Nothing is hidden in Callisto."""
    return view.state


class NetworkPlayer(TreePlayer):
    """Searches with a network as evaluator: the weights that come with the package, or those of another file."""

    def __init__(self, name: str, game: Game, random: Random, skill: Skill, file: Path | None = None) -> None:
        # Noise is on the evaluation of every position, not only on its choice in the end.
        super().__init__(
            name, game, random, recall, self._evaluate_states, replace(skill, noise=0.0), self._final_values
        )
        self._skill = skill
        self._file = file

    def ready(self) -> None:
        _ = self._evaluator

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        view.decisions()
        assert isinstance(view, CallistoView)
        thought = self._think(view, budget, stop)
        if budget.consider is None or thought.exact:
            return thought
        asked = [c for c in thought.candidates if c is thought.candidates[0] or str(c.move) == budget.consider]
        margins = self._evaluator.margins([view.state.play(c.move) for c in asked], view.state.turn)
        known = {c.move: margin for c, margin in zip(asked, margins, strict=True)}
        return replace(thought, candidates=tuple(replace(c, margin=known.get(c.move)) for c in thought.candidates))

    def _think(self, view: CallistoView, budget: Budget, stop: Stop) -> Thought:
        skill = self._skill
        limit = Limit(budget, stop, skill.simulations, skill.seconds)
        if view.state.count_moves() == 1:
            limit.simulations = (
                FORCED_MOVE_SIMULATIONS
                if limit.simulations is None
                else min(FORCED_MOVE_SIMULATIONS, limit.simulations)
            )
        if skill.exact and may_be_solved(view.state):
            seconds = ENDGAME_TIME_SHARE * (skill.seconds if budget.seconds is None else budget.seconds)
            try:
                return _counted_out(view.state, budget, limit, seconds)
            except TimeUp:
                pass
        return self._search(view.state, budget, limit)

    @cached_property
    def _evaluator(self) -> "NetworkEvaluator":
        try:
            from sobremesa.games.callisto.engine.network import EvaluationNoise, NetworkEvaluator, network
        except ImportError:
            raise missing_packages() from None
        skill = self._skill
        noise = (
            EvaluationNoise(skill.noise, skill.gumbel_scale, self._random.getrandbits(63), skill.crowd_noise)
            if skill.noise or skill.gumbel_scale
            else None
        )
        return NetworkEvaluator(network(self._file), skill.margin, noise, skill.policy_temperature, skill.pillar_turn)

    def _evaluate_states(self, states: Sequence[State[Any]]) -> list[Evaluation]:
        return self._evaluator(states)

    def _final_values(self, state: State[Any]) -> Values:
        return self._evaluator.finish(state)


def _counted_out(state: CallistoState, budget: Budget, limit: Limit, seconds: float) -> Thought:
    """The best move, known for certain; raises TimeUp if that takes too long."""
    endgame = Endgame(state, lambda: limit.seconds > seconds or limit.hurried())
    found, seat = endgame.moves(lambda move: str(move) == budget.consider), state.turn
    ranked = sorted(found.moves.items(), key=lambda item: -item[1][seat])
    values = chances(ranked[0][1])
    candidates = tuple(Candidate(move, chance(worth[seat]), margin=margin_of(worth[seat])) for move, worth in ranked)
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
