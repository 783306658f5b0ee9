"""Gymnasium: a game alone, or one seat of any game against fixed opponents.

Importing this registers ``sobremesa/GAME-vVERSION``; ``gymnasium.make("sobremesa.envs.gym:sobremesa/...")`` imports it.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from sobremesa.core.errors import IllegalMove
from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.engines.engine_set import Maker
from sobremesa.engines.player import Player
from sobremesa.engines.registry import find_player, past_of
from sobremesa.envs.encoding import table
from sobremesa.games import GAMES, find_game

Start = tuple[dict[str, Any], dict[str, Any]]
ILLEGAL = -1.0
"""The reward of a move that the rules forbid; it ends the game."""


class OneSeat(gymnasium.Env[dict[str, Any], np.int64]):
    """One seat of a game; the others, if there are any, are players of the house or your own.

    An observation has what the seat sees, and the mask of its legal moves, which is in ``info`` as well:
    ``action_space.sample(info["action_mask"])``. A move that the rules forbid ends the game with a reward of -1, and
    ``info`` then says which rule.
    """

    metadata = {"render_modes": ["ansi", "svg", "human"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        opponents: str | Maker | Sequence[str | Maker] = "greedy",
        seat: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """``opponents`` sit in the other seats, in order, again from the first if they are too few.

        Without a ``seat`` it is another one in every game. ``options`` are the table's, or a ``position``.
        """
        self.game = find_game(game) if isinstance(game, str) else game
        self.encoding = encoding = table(self.game, options)
        encoding.start.check_seat(seat)
        self._opponents = [opponents] if isinstance(opponents, str) or callable(opponents) else list(opponents)
        self._wanted = 0 if encoding.seats == 1 else seat
        self.render_mode = render_mode
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, (encoding.observation_size,), np.float32),
                "action_mask": spaces.Box(0, 1, (encoding.actions,), np.int8),
            }
        )
        self.action_space = spaces.Discrete(encoding.actions)
        self.seat = self._wanted or 0
        """The agent's seat in this game."""
        self._players: dict[int, Player] = {}
        self._states: list[State[Any]] = [encoding.start]
        self._random = Random()

    @property
    def position(self) -> State[Any]:
        """The state of the game: the whole truth, for whoever trains."""
        return self._states[-1]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        self._random = Random(int(self.np_random.integers(1 << 62)))
        seats = self.encoding.seats
        self.seat = self._random.randrange(seats) if self._wanted is None else self._wanted
        self._players = {}
        for number, seat in enumerate(other for other in range(seats) if other != self.seat):
            who, own = self._opponents[number % len(self._opponents)], Random(self._random.getrandbits(64))
            self._players[seat] = find_player(who, self.game, own) if isinstance(who, str) else who(self.game, own)
        self._states = [self.encoding.start]
        self._go_on()
        return self._seen(), self._info()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        try:
            self._states.append(self.position.play(self.encoding.moves[int(action)], self.seat))
        except IllegalMove as error:
            return self._seen(), ILLEGAL, True, False, self._info() | {"illegal": str(error)}
        self._go_on()
        if self.render_mode == "human":
            self.render()
        result = self.position.result()
        reward = 0.0 if result is None else self.encoding.rewards(result)[self.seat]
        return self._seen(), reward, result is not None, False, self._info()

    def _go_on(self) -> None:
        """Until the agent has to decide, or the game is over."""
        while not (state := self.position).over and self.seat not in state.deciding:
            if state.chance is not None:
                self._states.append(state.happen(state.chance.draw(self._random)))
                continue
            other = next(iter(state.deciding))
            past = past_of(self.game, self._states[:-1], other)
            self._states.append(state.play(self._players[other].choose(state.view(other), past), other))

    def _seen(self) -> dict[str, Any]:
        view = self.position.view(self.seat)
        return {"observation": self.encoding.observe(view), "action_mask": self.encoding.mask(view)}

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._seen()["action_mask"], "seat": self.seat}

    def render(self) -> str | None:
        if self.render_mode == "svg":
            return self.position.view(self.seat).svg()
        if self.render_mode == "ansi":
            return self.position.view(self.seat).text()
        if self.render_mode == "human":
            print(self.position.view(self.seat).text(colour=True))
        return None


def _register() -> None:
    """Registers ``sobremesa/GAME-vVERSION`` for every game: importing this module is enough."""
    for game in GAMES.values():
        gymnasium.register(f"sobremesa/{game.id}-v{game.version}", f"{__name__}:OneSeat", kwargs={"game": game.id})


_register()
