"""Games that strangers have played, for a network to learn from: how they begin, what is placed, how they end.

Self-play alone meets only what it would place itself. A league is a folder of games in Pentobi's format that other
programs have played (``league.py``). Some games of self-play begin in their positions, some seats play
as these strangers would (`callisto_games.Population`), and minibatches hold some of their positions.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from numpy.typing import NDArray

from sobremesa.games.callisto import sgf
from sobremesa.games.callisto.batch.rules import CallistoRules, CallistoState
from sobremesa.games.callisto.state import CallistoState as Position


class League(NamedTuple):
    """The games of strangers at one kind of table, G of them; those in front are there, the others are blank."""

    positions: CallistoState
    """The positions before each move, [plies, G, ...]; after the end of a game they stay the same."""
    moves: Array
    """What was placed, [plies, G] of int32."""
    lengths: Array
    """How many moves each game had, [G] of int32; 0 where there is none."""
    ends: CallistoState
    """How the games ended, [G, ...]."""


class MoveLists(NamedTuple):
    """Games as numbers of placements, in NumPy arrays of a fixed size."""

    moves: NDArray[np.int32]
    """What was placed, [plies, G]."""
    lengths: NDArray[np.int32]
    """How many moves each game had, [G]; 0 where there is none."""


class Folder:
    """The finished games of a folder that may still grow: games are added at the ends of files, or in new ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}
        """How many characters of each file are read."""
        self._games: list[sgf.Game] = []

    def refresh(self) -> bool:
        """Reads what is new; says whether something was."""
        before = len(self._games)
        for file in sorted(self._folder.glob("*.blksgf")):
            text, at = file.read_text(), self._read.get(file, 0)
            for game in sgf.split(text[at:]):
                at = text.index(game, at) + len(game)
                found = sgf.loads(game)
                if _over(found):
                    self._games.append(found)
            self._read[file] = at
        return len(self._games) > before

    def games(self, seats: int) -> list[tuple[int, ...]]:
        """The games for so many seats in the classic edition, each as numbers of placements."""
        return [tuple(move.number for move in game.moves) for game in self._games if game.seats == seats]


def _over(game: sgf.Game) -> bool:
    state = Position.begin("classic", game.seats, 0)
    for move in game.moves:
        state = state.play(move)
    return state.over


def move_lists(rules: CallistoRules, games: Iterable[tuple[int, ...]], capacity: int) -> MoveLists:
    """Games in arrays for ``capacity`` games; if there are more, the last ones."""
    kept = list(games)[-capacity:]
    moves, lengths = np.zeros((rules.max_steps, capacity), np.int32), np.zeros(capacity, np.int32)
    for at, game in enumerate(kept):
        moves[: len(game), at], lengths[at] = game, len(game)
    return MoveLists(moves, lengths)


def replayed(rules: CallistoRules, lists: MoveLists) -> League:
    """The league of such games: plays them once more. A game that is over stays as it is."""

    def step(state: CallistoState, moves: Array) -> tuple[CallistoState, CallistoState]:
        return rules.step(state, moves), state

    moves, lengths = jnp.asarray(lists.moves), jnp.asarray(lists.lengths)
    ends, positions = lax.scan(step, rules.init(jnp.zeros(len(lengths), jnp.int8)), moves)
    return League(positions, moves, lengths, ends)


class Drawn(NamedTuple):
    """Positions from a league, [n]."""

    positions: CallistoState
    moves: Array
    """What was placed there, [n] of int32."""
    ends: CallistoState
    """How the game ended."""
    there: Array
    """Whether there was such a game, [n] of bool."""


def draw(league: League, key: Array, count: int, max_ply: int | None = None) -> Drawn:
    """Positions that strangers have met, each before one of the first ``max_ply`` moves of its game, or of all."""
    for_game, for_ply = jax.random.split(key)
    known = (league.lengths > 0).sum()
    game = (jax.random.uniform(for_game, (count,)) * known).astype(jnp.int32)
    length = league.lengths[game]
    most = length if max_ply is None else jnp.minimum(length, max_ply)
    ply = (jax.random.uniform(for_ply, (count,)) * most).astype(jnp.int32)
    positions = CallistoState(*(part[ply, game] for part in league.positions))
    ends = CallistoState(*(part[game] for part in league.ends))
    return Drawn(positions, league.moves[ply, game], ends, length > 0)
