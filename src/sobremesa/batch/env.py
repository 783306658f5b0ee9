"""The rules in JAX in the shape of Pgx's environments, so that what is written for those runs with one line changed.

    from sobremesa.batch import env as pgx     # instead of import pgx

    env = pgx.make("isis-osiris")
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))

States and actions are those of one game; ``jax.vmap`` makes batches. Chance is drawn from the key that ``step`` takes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import jax
import jax.numpy as jnp
from jax import Array

from sobremesa.batch.pictures import one_after_the_other, side_by_side
from sobremesa.batch.rules import Rules
from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.result import SOLO_POINTS
from sobremesa.core.state import State as LibraryState
from sobremesa.games import GAMES, find_game

FRAME_SECONDS = 0.2
"""How long a film shows each state if nobody says."""
_NOTHING = -1
"""No step yet, in a history."""
_CHANCE = -2
"""In a history an outcome k of chance is written as -2 - k."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """One game; in a batch, every array has the batch in front."""

    current_player: Array
    """The seat that has to decide."""
    observation: Array
    """What that seat knows, [height, width, channels] of float32: planes, then every number as a plane of its own."""
    rewards: Array
    """By seat, of the step before, [seats] of float32: not 0 only at the end."""
    terminated: Array
    """Whether the game is over."""
    truncated: Array
    """Never: games end by themselves."""
    legal_action_mask: Array
    """The moves of the seat to decide, [actions] of bool; all of them when the game is over, as in Pgx."""
    _step_count: Array
    """How often somebody moved."""
    _position: Any
    """The position, in the arrays of the game's rules."""
    _starter: Array
    _history: Array
    """Everything that has happened, [max_steps] of int32: which of the legal moves, or what chance brought."""
    _env: "Env" = field(metadata={"static": True})
    """The table at which it is played."""

    @property
    def env_id(self) -> str:
        """The game, as ``Env.id``."""
        return self._env.id

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """The game as whoever looks on sees it; of a batch, all of them side by side.

        There is one theme alone, which can be read on a light page and on a dark one.
        """
        one = self.current_player.ndim == 0
        games = (
            [self] if one else [jax.tree.map(lambda array, n=n: array[n], self) for n in range(len(self.terminated))]
        )
        return side_by_side([self._env.svg(game) for game in games], scale or 1.0)

    def save_svg(self, filename: str | Path, *, color_theme: str | None = None, scale: float | None = None) -> None:
        """Writes that picture into a file."""
        save_svg(self, filename, color_theme=color_theme, scale=scale)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def replace(self, **changes: Any) -> Self:
        """The same state with some fields changed."""
        return replace(self, **changes)


class Env:
    """A table; ``make`` makes it."""

    def __init__(self, game: Game, start: LibraryState[Any], fixed: bool) -> None:
        """With ``fixed`` every game begins in that very state, else the starter is drawn."""
        if not game.batch:
            raise InvalidSetup("{game} has no rules in JAX", game=game.name)
        self.game = game
        self._start, self._fixed = start, fixed
        views = {option.name for option in game.options if option.changes == "views"}
        table = {name: value for name, value in start.options.items() if name != "starter" and name not in views}
        self.rules: Rules[Any] = game.load("batch")(**table)
        self.id = game.id
        self.version = f"v{game.version}"
        self.num_players = self.rules.seats
        self.num_actions = self.rules.actions
        shape: tuple[int, ...] = jax.eval_shape(self.init, jax.random.key(0)).observation.shape
        self.observation_shape = shape

    def __eq__(self, other: object) -> bool:
        """Tables that are set alike are equal, so that their states go together."""
        return isinstance(other, Env) and self._set == other._set

    def __hash__(self) -> int:
        return hash(self._set)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._set

    @property
    def _set(self) -> tuple[str, LibraryState[Any], bool]:
        return self.game.id, self._start, self._fixed

    def init(self, key: Array) -> State:
        """A new game."""
        for_starter, for_chance = jax.random.split(key)
        starter = jnp.int32(int(self._start.options["starter"]))
        if self._fixed:
            position = jax.tree.map(jnp.asarray, self.rules.read(self._start))
        else:
            starter = jax.random.randint(for_starter, (), 0, self.num_players)
            position = self.rules.init(starter)
        history = jnp.full(self.rules.max_steps + 1, _NOTHING, jnp.int32)
        nothing = jnp.zeros(self.num_players, jnp.float32)
        return self._settled(position, starter, history, nothing, jnp.bool_(False), for_chance)

    def step(self, state: State, action: Array, key: Array | None = None) -> State:
        """The game after a move; with chance in the game it takes a key. A game that is over stays as it is.

        A move that the rules forbid ends the game: who made it gets -1, the others share 1.
        """
        if key is None:
            if self.rules.outcomes:
                raise ValueError(f"{self.game.name} has chance: step needs a key")
            key = jax.random.key(0)
        legal = state.legal_action_mask
        forbidden = ~legal[action]
        rank = (legal & (jnp.arange(self.num_actions) < action)).sum(dtype=jnp.int32)
        history = state._history.at[_length(state._history)].set(rank)
        position = self.rules.step(state._position, action)
        mine = jnp.arange(self.num_players) == state.current_player
        fine = jnp.where(mine, -1.0, 1.0 / max(1, self.num_players - 1)) * forbidden
        after = self._settled(position, state._starter, history, fine.astype(jnp.float32), forbidden, key)
        stays = state.replace(rewards=jnp.zeros_like(state.rewards))
        return _choose(state.terminated | state.truncated, stays, after)

    def _settled(
        self, position: Any, starter: Array, history: Array, fine: Array, forbidden: Array, key: Array
    ) -> State:
        """After chance has had its turn."""
        rules = self.rules
        if rules.outcomes:
            waiting = rules.waiting(position)
            outcome = jax.random.categorical(key, jnp.log(rules.odds(position))).astype(jnp.int32)
            position = rules.happen(position, outcome)
            history = jnp.where(waiting, history.at[_length(history)].set(_CHANCE - outcome), history)
        over = rules.over(position)
        legal = rules.legal(position) | over | forbidden
        seen = rules.observe(position)
        numbers = jnp.broadcast_to(seen.numbers, (*seen.planes.shape[-2:], *seen.numbers.shape))
        observation = jnp.concatenate([jnp.moveaxis(seen.planes, -3, -1).astype(jnp.float32), numbers], -1)
        return State(
            current_player=rules.turn(position).astype(jnp.int32),
            observation=observation,
            rewards=jnp.where(forbidden, fine, jnp.where(over, self._payoff(position), 0.0)),
            terminated=over | forbidden,
            truncated=jnp.bool_(False),
            legal_action_mask=legal,
            _step_count=(history > _NOTHING).sum(dtype=jnp.int32),
            _position=position,
            _starter=starter,
            _history=history,
            _env=self,
        )

    def _payoff(self, position: Any) -> Array:
        """1 for who wins, -1 for who loses; among more, the sum is 0 and equals share. Alone, points in hundreds."""
        seats = self.num_players
        if seats == 1:
            sign = -1.0 if self.game.low_wins else 1.0
            points: Array = sign * self.rules.scores(position) / SOLO_POINTS
            return points.astype(jnp.float32)
        shares: Array = (self.rules.winnings(position) * seats - 1) / (seats - 1)
        return shares.astype(jnp.float32)

    def at(self, position: LibraryState[Any]) -> State:
        """A position of the library at such a table, waiting for a seat, as a state to search from."""
        return self._looked(self.rules.read(position))

    @cached_property
    def _looked(self) -> Callable[[Any], State]:
        def look(arrays: Any) -> State:
            history = jnp.full(self.rules.max_steps + 1, _NOTHING, jnp.int32)
            nothing, no = jnp.zeros(self.num_players, jnp.float32), jnp.bool_(False)
            return self._settled(arrays, jnp.int32(0), history, nothing, no, jax.random.key(0))

        return jax.jit(look)

    def observe(self, state: State) -> Array:
        """What the seat to decide knows."""
        return state.observation

    def library_state(self, state: State) -> LibraryState[Any]:
        """One game as a state of the library: all that has happened, played again."""
        played: LibraryState[Any] = self._start
        if not self._fixed:
            played = self.game.start(**self._start.options | {"starter": int(state._starter)})
        drawn = list(self.game.urn(played.options).weights) if self.game.urn else []
        for step in state._history.tolist():
            if step == _NOTHING:
                break
            if step <= _CHANCE:
                played = played.happen(drawn[_CHANCE - step])
            else:
                seat = next(iter(played.deciding))
                played = played.play(played.legal_moves(seat)[step], seat)
        return played

    def svg(self, state: State) -> str:
        """One game as a picture, for whoever looks on."""
        return self.library_state(state).view(None).svg()


def make(game: str, position: str | None = None, **options: Any) -> Env:
    """A table as Pgx would make it; ``options`` are the game's, or every game begins at a ``position``."""
    found = find_game(game)
    start = found.start(**options) if position is None else found.parse_position(position)
    return Env(found, start, position is not None)


def available_envs() -> tuple[str, ...]:
    """The games that ``make`` knows: those with rules in JAX."""
    return tuple(id for id, game in GAMES.items() if game.batch)


def save_svg(state: State, filename: str | Path, *, color_theme: str | None = None, scale: float | None = None) -> None:
    """Writes the picture of a state, or of a batch, into a file."""
    Path(filename).write_text(state.to_svg(color_theme=color_theme, scale=scale), encoding="utf-8")


def save_svg_animation(
    states: Sequence[State],
    filename: str | Path,
    *,
    color_theme: str | None = None,
    scale: float | None = None,
    frame_duration_seconds: float | None = None,
) -> None:
    """Writes a film of states, or of batches, into a file."""
    pictures = [state.to_svg(color_theme=color_theme) for state in states]
    film = one_after_the_other(pictures, frame_duration_seconds or FRAME_SECONDS, scale or 1.0)
    Path(filename).write_text(film, encoding="utf-8")


def _again(game: str, start: LibraryState[Any], fixed: bool) -> Env:
    return Env(find_game(game), start, fixed)


def auto_reset(
    step: Callable[[State, Array, Array], State], init: Callable[[Array], State]
) -> Callable[[State, Array, Array], State]:
    """A step after which a game that is over begins anew; its rewards and ``terminated`` are still those of the end."""

    def again(state: State, action: Array, key: Array) -> State:
        for_step, for_init = jax.random.split(key)
        over = state.terminated | state.truncated
        no = jnp.zeros_like(state.terminated)
        state = state.replace(
            terminated=jnp.where(over, no, state.terminated),
            truncated=jnp.where(over, no, state.truncated),
            rewards=jnp.where(over, 0.0, state.rewards),
        )
        after = step(state, action, for_step)
        fresh = init(for_init).replace(terminated=after.terminated, truncated=after.truncated, rewards=after.rewards)
        return _choose(after.terminated | after.truncated, fresh, after)

    return again


def _length(history: Array) -> Array:
    return (history != _NOTHING).sum(dtype=jnp.int32)


def _choose(flag: Array, one: State, other: State) -> State:
    chosen: State = jax.tree.map(lambda a, b: jnp.where(flag, a, b), one, other)
    return chosen
