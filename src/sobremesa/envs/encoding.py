"""Moves as numbers, views as numbers, results as rewards: the same for all environments."""

from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game, Value
from sobremesa.core.playout import random_play
from sobremesa.core.result import SOLO_POINTS, Result
from sobremesa.core.state import State, View
from sobremesa.games import find_game

PROBES = 8
"""Random games that are looked at to find how long lists in views become, where a game declares no features."""
PROBED_SEATS = 4
"""The seats of each of them whose views are looked at."""


class Encoding:
    """A table as agents see it: a game that is set in one way, or begins at a position.

    Move k is the k-th of ``Game.all_moves``. An observation is the game's own features (``Game.features``); without
    them the view as plain data, laid out in a row: numbers as they are, texts by character, what is not there as -1.
    """

    def __init__(self, game: Game, options: dict[str, Value], position: str | None = None) -> None:
        self.game = game
        self.start: State[Any] = game.start(**options) if position is None else game.parse_position(position)
        self.seats = self.start.seats
        self._position = position
        if game.all_moves is None:
            raise InvalidSetup("envs.error.no-move-numbers", game=game.name)
        self.moves = tuple(game.all_moves(self.start))
        self._numbers = {move: number for number, move in enumerate(self.moves)}

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.game.id, self.start.options, self._position)

    def __deepcopy__(self, memo: object) -> "Encoding":
        return self  # nothing in it ever changes

    @property
    def actions(self) -> int:
        """How many moves there are, legal or not."""
        return len(self.moves)

    @cached_property
    def observation_size(self) -> int:
        """How many numbers an observation has."""
        return len(self.observe(self.start.view(0)))

    def observe(self, view: View[Any]) -> NDArray[np.float32]:
        """What a seat sees, [observation_size]."""
        if self.game.features is not None:
            return np.asarray(self.game.features(view), np.float32)
        return np.asarray(self._layout.write(_bare(view)), np.float32)

    def mask(self, view: View[Any]) -> NDArray[np.int8]:
        """Which moves the seat may make now, [actions] of 0 and 1."""
        mask = np.zeros(self.actions, np.int8)
        mask[self.legal(view)] = 1
        return mask

    def legal(self, view: View[Any]) -> list[int]:
        """The numbers of the seat's legal moves, from the least."""
        return sorted(self._numbers[move] for move in view.legal_moves())

    def number(self, move: Any) -> int:
        """The number of a move."""
        return self._numbers[move]

    def rewards(self, result: Result) -> list[float]:
        """By seat: 1 for who wins, -1 for who loses, their sum is 0; equals share. Alone: points, in hundreds."""
        if self.seats == 1:
            return [(-1 if self.game.low_wins else 1) * result.scores[0] / SOLO_POINTS]
        share = 1 / len(result.winners)
        return [((place == 1) * share * self.seats - 1) / (self.seats - 1) for place in result.places]

    def settle(self, state: State[Any], random: Random) -> State[Any]:
        """The state after chance has had its turn."""
        while state.chance is not None:
            state = state.happen(state.chance.draw(random))
        return state

    @cached_property
    def _layout(self) -> "_Layout":
        layout = _Layout()
        for probe in range(PROBES):
            for state in [self.start, *(after for _, after in random_play(self.start, Random(probe)))]:
                for seat in range(min(self.seats, PROBED_SEATS)):
                    layout.read(_bare(state.view(seat)))
        return layout


def _bare(view: View[Any]) -> dict[str, Any]:
    return {name: value for name, value in view.as_dict().items() if name not in ("game", "options")}


class _Layout:
    """The form of plain data, learnt from examples: how long its lists and texts become, and what is in them."""

    def __init__(self) -> None:
        self._fields: dict[str, _Layout] = {}
        self._items: _Layout | None = None
        self._longest = 0
        self._text = 0

    def read(self, data: Any) -> None:
        if isinstance(data, dict):
            for name, value in data.items():
                self._fields.setdefault(name, _Layout()).read(value)
        elif isinstance(data, list | tuple):
            self._items = self._items or _Layout()
            self._longest = max(self._longest, len(data))
            for item in data:
                self._items.read(item)
        elif isinstance(data, str):
            self._text = max(self._text, len(data))

    def write(self, data: Any) -> list[float]:
        if self._fields:
            known = data if isinstance(data, dict) else {}
            return [number for name, field in self._fields.items() for number in field.write(known.get(name))]
        if self._items is not None:
            items = list(data)[: self._longest] if isinstance(data, list | tuple) else []
            items += [None] * (self._longest - len(items))
            return [number for item in items for number in self._items.write(item)]
        if self._text:
            codes = [ord(char) / 128 for char in str(data)[: self._text]] if isinstance(data, str) else []
            return codes + [-1.0] * (self._text - len(codes))
        return [-1.0 if data is None or isinstance(data, str) else float(data)]


def table(game: Game, options: dict[str, Any]) -> Encoding:
    """A table that is set this way; ``position`` among the options is where it begins."""
    chosen = dict(options)
    return Encoding(game, chosen, chosen.pop("position", None))


def _again(game: str, options: dict[str, Value], position: str | None) -> Encoding:
    """An encoding that has travelled between processes."""
    return Encoding(find_game(game), options, position)
