"""OpenSpiel: every game as a Python game, with chance nodes and information states.

Importing this registers ``sobremesa_GAME`` (with ``_`` for ``-``) for every game of the registry:
``pyspiel.load_game("sobremesa_callisto", {"edition": "pocket", "seats": 2})``. The parameter ``position`` is where it
begins. Where several seats decide together, they are asked one after the other, and the information state of those who
follow does not have what the others did: that is the same game.
"""

import json
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pyspiel

from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.envs.encoding import Encoding, table
from sobremesa.games import GAMES

PREFIX = "sobremesa_"
_NO_POSITION = ""


def _game_type(game: Game) -> Any:
    kinds = pyspiel.GameType
    seats = game.seats
    most = max(seats.choices, default=seats.most or 12) if seats.choices else min(seats.most or 12, 12)
    least = int(min(seats.choices)) if seats.choices else seats.least
    parameters: dict[str, Any] = {option.name: option.default for option in game.options}
    return kinds(
        short_name=PREFIX + game.id.replace("-", "_"),
        long_name=game.name,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if game.has_chance else kinds.ChanceMode.DETERMINISTIC,
        information=(kinds.Information.IMPERFECT_INFORMATION if game.hidden else kinds.Information.PERFECT_INFORMATION),
        utility=kinds.Utility.GENERAL_SUM if least == 1 else kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=int(most),
        min_num_players=least,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters | {"position": _NO_POSITION},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A table of a game."""

    def __init__(self, game: Game, params: dict[str, Any] | None = None) -> None:
        chosen = dict(params or {})
        # OpenSpiel writes parameters as a text, in which a position's commas would mean something else.
        position = unquote(chosen.pop("position", _NO_POSITION)) or None
        if position:
            params = chosen | {"position": quote(position, safe=" /.+-")}
        self.encoding: Encoding = table(game, chosen | ({"position": position} if position else {}))
        state = self.encoding.start
        first, outcomes = state, 0
        if game.urn is not None:
            outcomes = len(game.urn(state.options).weights)
            self.outcomes = sorted(game.urn(state.options).weights)
        else:
            self.outcomes = []
        moves = self.encoding.actions
        longest = game.max_steps(first.options) if game.max_steps else 10_000
        info = pyspiel.GameInfo(
            num_distinct_actions=moves,
            max_chance_outcomes=outcomes,
            num_players=state.seats,
            min_utility=-1.0 if state.seats > 1 else -100.0,
            max_utility=float(max(1, state.seats)) if state.seats > 1 else 100.0,
            utility_sum=0.0 if _TYPES[game.id].utility == pyspiel.GameType.Utility.ZERO_SUM else None,
            max_game_length=longest,
        )
        super().__init__(_TYPES[game.id], info, params or {})

    def new_initial_state(self) -> "SpielState":
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        return Observer(self.encoding)

    def max_chance_nodes_in_history(self) -> int:
        return int(self.max_game_length())


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position on the way, and what each seat has seen and done so far."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._encoding = game.encoding
        self._outcomes = game.outcomes
        self.position: State[Any] = game.encoding.start
        self._memories: tuple[str, ...] = tuple(self._seen("", seat) for seat in range(self.position.seats))

    def _seen(self, memory: str, seat: int, did: str = "") -> str:
        """What a seat remembers: a digest of all its views and moves up to here."""
        view = json.dumps(self.position.view(seat).as_dict(), sort_keys=True)
        return blake2b(f"{memory}|{did}|{view}".encode(), digest_size=12).hexdigest()

    def current_player(self) -> int:
        state = self.position
        if state.over:
            return int(pyspiel.PlayerId.TERMINAL)
        if state.chance is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return next(iter(state.deciding))

    def _legal_actions(self, player: int) -> list[int]:
        return self._encoding.legal(self.position.view(player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        chance = self.position.chance
        assert chance is not None
        return [(self._outcomes.index(outcome), float(likely)) for outcome, likely in chance]

    def _apply_action(self, action: int) -> None:
        state, mover = self.position, -1
        if state.chance is not None:
            self.position = state.happen(self._outcomes[action])
        else:
            mover = self.current_player()
            self.position = state.play(self._encoding.moves[action], mover)
        # What changes nothing that a seat sees leaves no trace in its memory.
        self._memories = tuple(
            memory
            if seat != mover and self.position.view(seat) == state.view(seat)
            else self._seen(memory, seat, str(action) if seat == mover else "")
            for seat, memory in enumerate(self._memories)
        )

    def _action_to_string(self, player: int, action: int) -> str:
        if player == int(pyspiel.PlayerId.CHANCE):
            return f"~{self._outcomes[action]}"
        return str(self._encoding.moves[action])

    def is_terminal(self) -> bool:
        return self.position.over

    def returns(self) -> list[float]:
        result = self.position.result()
        return [0.0] * self.position.seats if result is None else self._encoding.rewards(result)

    def information_state_string(self, player: int | None = None) -> str:
        player = self.current_player() if player is None else player
        return f"{self.observation_string(player)}\n{self._memories[player]}"

    def observation_string(self, player: int | None = None) -> str:
        player = self.current_player() if player is None else player
        return json.dumps(self.position.view(player).as_dict(), sort_keys=True)

    def __str__(self) -> str:
        return self.position.position()


class Observer:
    """What a player sees, for OpenSpiel's observations."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.tensor = np.zeros(encoding.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Fills the tensor."""
        self.tensor[:] = self._encoding.observe(state.position.view(player))

    def string_from(self, state: SpielState, player: int) -> str:
        """The same as a text."""
        return state.observation_string(player)


_TYPES: dict[str, Any] = {}


def _register(game: Game) -> None:
    """Registers a class of its own for a game: OpenSpiel makes its games from parameters alone."""

    def init(self: SpielGame, params: dict[str, Any] | None = None) -> None:
        SpielGame.__init__(self, game, params)

    _TYPES[game.id] = _game_type(game)
    name = f"Spiel_{game.id.replace('-', '_')}"
    globals()[name] = type(name, (SpielGame,), {"__init__": init, "__module__": __name__})
    pyspiel.register_game(_TYPES[game.id], globals()[name])


for _game in GAMES.values():
    _register(_game)
