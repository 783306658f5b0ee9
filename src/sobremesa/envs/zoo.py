"""PettingZoo: every game seat by seat (AEC), and all at once where everybody decides together (parallel)."""

import copy
from random import Random
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.envs.encoding import Encoding, table
from sobremesa.games import find_game

MODES = ["ansi", "svg", "human"]
Observation = dict[str, Any]
Start = tuple[dict[str, Any], dict[str, Any]]
"""The observations and infos of a new game."""


def aec(game: str | Game, render_mode: str | None = None, **options: Any) -> "SeatBySeat":
    """A game as an AEC environment: whoever has to decide is asked, one after the other.

    Where several decide together, they are asked in the order of the seats, and see nothing of what the others have
    done in the meantime. ``options`` are the table's; ``position`` is a position to begin with.
    """
    return SeatBySeat(table(find_game(game) if isinstance(game, str) else game, options), render_mode)


def parallel(game: str | Game, render_mode: str | None = None, **options: Any) -> "AllAtOnce":
    """A game in which everybody decides together, as a parallel environment."""
    return AllAtOnce(table(find_game(game) if isinstance(game, str) else game, options), render_mode)


class _Table:
    """What both kinds have in common."""

    metadata: dict[str, Any]

    def _lay(self, encoding: Encoding, render_mode: str | None) -> None:
        self.encoding = encoding
        self.render_mode = render_mode
        game = encoding.game
        self.metadata = {
            "name": f"sobremesa_{game.id}_v{game.version}",
            "render_modes": MODES,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(encoding.seats)]
        self.agents: list[str] = []
        shape = (encoding.observation_size,)
        seen: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(-np.inf, np.inf, shape, np.float32),
            "action_mask": spaces.Box(0, 1, (encoding.actions,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(dict(seen)) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(encoding.actions) for agent in self.possible_agents}
        self._random = Random()
        self.position: State[Any] = encoding.start
        """The state of the game: the whole truth, for whoever trains."""

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self._random = Random(seed)
        self.agents = self.possible_agents[:]
        self.position = self.encoding.settle(self.encoding.start, self._random)

    def _seen(self, agent: str) -> Observation:
        view = self.position.view(self.possible_agents.index(agent))
        return {"observation": self.encoding.observe(view), "action_mask": self.encoding.mask(view)}

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {"action_mask": self._seen(agent)["action_mask"]} for agent in self.agents}

    def _rewards(self) -> dict[str, float]:
        result = self.position.result()
        rewards = [0.0] * self.encoding.seats if result is None else self.encoding.rewards(result)
        return dict(zip(self.possible_agents, rewards, strict=True))

    def _copy(self) -> Any:
        """A copy that goes its own way; states never change, so they are shared."""
        made = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list):
                setattr(made, name, copy.copy(value))
        made._random = copy.copy(self._random)
        made._random.setstate(self._random.getstate())
        return made

    def render(self) -> str | None:
        if self.render_mode is None:
            return None
        view = self.position.view(None)
        if self.render_mode == "svg":
            return view.svg()
        if self.render_mode == "ansi":
            return view.text()
        print(view.text(colour=True))
        return None

    def close(self) -> None:
        """Nothing is open."""


class SeatBySeat(_Table, AECEnv):  # type: ignore[misc]
    """A game as an AEC environment; ``aec`` makes it."""

    def __init__(self, encoding: Encoding, render_mode: str | None = None) -> None:
        super().__init__()
        self._lay(encoding, render_mode)

    def __deepcopy__(self, memo: object) -> "SeatBySeat":
        return cast(SeatBySeat, self._copy())

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self.position.over)
        self.truncations = dict.fromkeys(self.agents, False)
        self._next()

    def observe(self, agent: str) -> Observation:
        return self._seen(agent)

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        move = self.encoding.moves[int(action)]
        after = self.position.play(move, self.possible_agents.index(agent))
        self.position = self.encoding.settle(after, self._random)
        self.rewards = self._rewards()
        self.terminations = dict.fromkeys(self.agents, self.position.over)
        self._next()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _next(self) -> None:
        waiting = next(iter(self.position.deciding), 0)
        self.agent_selection = self.possible_agents[waiting]
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.infos[self.agent_selection] = {"action_mask": self._seen(self.agent_selection)["action_mask"]}


class AllAtOnce(_Table, ParallelEnv):  # type: ignore[misc]
    """A game in which everybody decides together; ``parallel`` makes it."""

    def __init__(self, encoding: Encoding, render_mode: str | None = None) -> None:
        super().__init__()
        self._lay(encoding, render_mode)
        first = encoding.settle(encoding.start, Random(1))
        if len(first.deciding) < encoding.seats:
            raise InvalidSetup("envs.error.one-after-the-other", game=encoding.game.name)

    def __deepcopy__(self, memo: object) -> "AllAtOnce":
        return cast(AllAtOnce, self._copy())

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self._begin(seed)
        return {agent: self._seen(agent) for agent in self.agents}, self._infos()

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        state = self.position
        for seat, agent in enumerate(self.possible_agents):
            if agent in actions and seat in state.deciding:
                state = state.play(self.encoding.moves[int(actions[agent])], seat)
        self.position = self.encoding.settle(state, self._random)
        over = self.position.over
        seen = {agent: self._seen(agent) for agent in self.agents}
        answer = (
            seen,
            self._rewards(),
            dict.fromkeys(self.agents, over),
            dict.fromkeys(self.agents, False),
            self._infos(),
        )
        if over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return answer
