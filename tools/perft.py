"""Writes the rules' fingerprints: for every kind of table how many games there are to small depths, and a hash of
all legal moves along a few games.

They change when a rule changes, or the order or notation of moves. ``tests/games/test_perft.py`` compares them with
``tests/perft.json`` in each game's folder; after a deliberate change ``make perft`` writes these anew.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import kinds  # noqa: E402
from kinds import Kind  # noqa: E402
from sobremesa import GAMES  # noqa: E402
from sobremesa.core import State  # noqa: E402

KINDS = [kind for kind in kinds.KINDS if kind.game.id in kinds.OWN_GAMES]
"""Of the house's own games: a guest keeps its fingerprints itself."""
MAX_STATES = 6000
"""The most states that are visited to count one depth; a depth that takes more is left out."""
MAX_DEPTH = 6
SEEDS = ("bellis", "crocus", "dahlia")
"""The games that are hashed."""


def next_states(state: State[Any]) -> Iterator[State[Any]]:
    """All states one step on: chance outcomes and moves alike. Of several who decide the lowest seat goes first."""
    if state.chance is not None:
        yield from map(state.happen, state.chance.outcomes)
    elif state.deciding:
        seat = min(state.deciding)
        for move in state.legal_moves(seat):
            yield state.play(move, seat)


def branches(state: State[Any]) -> int:
    """How many states there are one step on, without making them."""
    if state.chance is not None:
        return len(state.chance.outcomes)
    return state.count_moves(min(state.deciding)) if state.deciding else 0


def perft(state: State[Any]) -> list[int]:
    """The number of ways to go on from a state, one step, two steps, and so on, as far as it takes little time."""
    counts: list[int] = []
    level = [state]
    while len(counts) < MAX_DEPTH:
        counts.append(sum(map(branches, level)))
        if not 0 < counts[-1] <= MAX_STATES:
            break
        level = [after for before in level for after in next_states(before)]
    return counts


def choose(kind: Kind, seed: str, ply: int, count: int) -> int:
    """A choice that depends on nothing but its arguments, not even on Python's random numbers."""
    return int.from_bytes(sha256(f"{kind.id}/{seed}/{ply}".encode()).digest()) % count


def game(kind: Kind, seed: str) -> Iterator[tuple[State[Any], str]]:
    """The states of a game, and what can happen in each, in writing."""
    state = kind.start()
    ply = 0
    while not state.over:
        if state.chance is not None:
            outcomes = state.chance.outcomes
            weights = zip(outcomes, state.chance.weights, strict=True)
            yield state, " ".join(["chance", *(f"{outcome}:{weight}" for outcome, weight in weights)])
            state = state.happen(outcomes[choose(kind, seed, ply, len(outcomes))])
        else:
            seat = list(state.deciding)[choose(kind, f"{seed}/seat", ply, len(state.deciding))]
            moves = state.legal_moves(seat)
            yield state, " ".join([f"seat {seat}", *map(str, moves)])
            state = state.play(moves[choose(kind, seed, ply, len(moves))], seat)
        ply += 1
    result = state.result()
    assert result is not None
    yield state, f"scores {result.scores} places {result.places} {state.position()}"


def fingerprint(kind: Kind) -> dict[str, Any]:
    """What is kept of a kind of table: counts from the start and from the middle of a game, and the games' hashes."""
    games = {seed: list(game(kind, seed)) for seed in SEEDS}
    first = [state for state, _ in games[SEEDS[0]]]
    return {
        "options": kind.options,
        "from_start": in_writing(perft(first[0])),
        "from_middle": [in_writing(perft(first[len(first) * part // 4])) for part in (1, 2, 3)],
        "games": {seed: hashed(line for _, line in steps) for seed, steps in games.items()},
    }


def in_writing(counts: list[int]) -> str:
    """The counts in one line."""
    return " ".join(map(str, counts))


def hashed(lines: Iterable[str]) -> str:
    """The SHA-256 of some lines of text."""
    return sha256("\n".join(lines).encode()).hexdigest()


def file_of(game: str) -> Path:
    """Where a game's fingerprints are."""
    return Path(str(files(GAMES[game].package))) / "tests" / "perft.json"


def main() -> None:
    """Writes one file for each game."""
    for id in sorted({kind.game.id for kind in KINDS}):
        path = file_of(id)
        found = {kind.id: fingerprint(kind) for kind in KINDS if kind.game.id == id}
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
