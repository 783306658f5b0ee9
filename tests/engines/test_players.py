"""Every player of every game: legal moves, thoughts that make sense, and no more than its seat may know."""

import subprocess
import sys
from random import Random
from typing import Any

import pytest

from engines.positions import decisions
from sobremesa import GAMES
from sobremesa.core import Game, InvalidSetup
from sobremesa.core.catalogues import has_sentence
from sobremesa.engines import LEVELS, PLAYERS, Budget, engine_set, find_player
from sobremesa.engines.levels import sentence_of

QUICK = Budget(seconds=0.05, simulations=60, seed="x")
TABLES: list[tuple[str, dict[str, Any]]] = [
    ("callisto", {"edition": "pocket", "seats": 2}),
    ("callisto", {"edition": "classic", "seats": 4}),
    ("isis-osiris", {"seats": 2}),
    ("isis-osiris", {"seats": 3, "variant": "common"}),
    ("isis-osiris", {"seats": 4, "memory_aid": True}),
    ("knister", {"seats": 1}),
    ("knister", {"seats": 3}),
]


@pytest.mark.parametrize("name", [*PLAYERS, "uct-30"])
@pytest.mark.parametrize(("game", "options"), TABLES, ids=str)
def test_players_play_and_say_what_they_think(game: str, options: dict[str, Any], name: str) -> None:
    found = decisions(GAMES[game], 5, **options)
    for before, state in found[:: max(1, len(found) // 5)]:
        seat = next(iter(state.deciding))
        view, past = state.view(seat), engine_set(GAMES[game]).past(before, seat)
        thought = find_player(name, GAMES[game], Random(1)).think(view, past, QUICK)
        assert thought.move in view.legal_moves()
        assert all(candidate.move in view.legal_moves() for candidate in thought.candidates)
        assert len({str(candidate.move) for candidate in thought.candidates}) == len(thought.candidates)
        assert not thought.chances or sum(thought.chances) == pytest.approx(1, abs=1e-6)
        if thought.measure == "chance":
            assert all(-0.1 <= candidate.value <= 1.1 for candidate in thought.candidates)
        # The same player with the same random numbers moves the same, unless the clock decides.
        if name in ("random", "greedy", "child", "beginner"):
            assert find_player(name, GAMES[game], Random(1)).think(view, past, QUICK).move == thought.move


@pytest.mark.parametrize("name", ["champion", "uct-100000"])
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_who_is_told_to_stop_moves_with_what_it_has(game: Game, name: str) -> None:
    before, state = decisions(game, 3)[1]
    seat = next(iter(state.deciding))
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    past = engine_set(game).past(before, seat)
    thought = find_player(name, game, Random(1)).think(state.view(seat), past, Budget(seconds=1e9), stop)
    assert thought.move in state.view(seat).legal_moves()
    assert asked <= 4, "who has been told does not go on"


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_a_move_that_must_be_considered_is(game: Game) -> None:
    found = decisions(game, 7)
    for before, state in (found[3], found[len(found) // 2]):
        seat = next(iter(state.deciding))
        view, past = state.view(seat), engine_set(game).past(before, seat)
        for move in view.legal_moves()[:: max(1, len(view.legal_moves()) // 3)]:
            budget = Budget(seconds=2, simulations=300, consider=str(move))
            thought = find_player("champion", game, Random(1)).think(view, past, budget)
            assert move in [candidate.move for candidate in thought.candidates]


def test_levels_have_names_in_every_language() -> None:
    assert list(LEVELS) == ["child", "beginner", "casual", "regular", "club", "expert", "master", "champion"]
    assert list(LEVELS.values()) == list(range(1, 9))
    assert all(has_sentence(sentence_of(player)) for player in PLAYERS)
    for game in GAMES.values():
        assert list(engine_set(game).levels) == list(LEVELS)


@pytest.mark.parametrize("name", ["nobody", "uct-", "uct-0", "uct-12345678", "net"])
def test_a_player_that_does_not_exist(name: str) -> None:
    with pytest.raises(InvalidSetup, match="there is no player"):
        find_player(name, GAMES["callisto"], Random(1))


def test_nothing_heavy_is_loaded_before_it_is_needed_and_jax_never() -> None:
    program = """
import sys
from random import Random
import sobremesa.server.engine_pool
from sobremesa import GAMES
from sobremesa.engines import find_player
assert not {"numpy", "onnxruntime", "jax"} & set(sys.modules), "too early"
game = GAMES["knister"]
find_player("champion", game, Random(1)).choose(game.start().happen(7).view(0))
game = GAMES["isis-osiris"]
find_player("champion", game, Random(1)).choose(game.start().view(0))
assert {"numpy", "onnxruntime"} <= set(sys.modules)
assert "jax" not in sys.modules
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
