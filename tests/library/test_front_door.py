"""``import sobremesa as sm``: all of everyday, and quick."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import sobremesa as sm
from kinds import KINDS, Kind, reached
from sobremesa.core import InvalidMove, NothingToDecide

QUIET = """
import sys
import sobremesa as sm
assert [name for name in sys.modules if name.startswith("sobremesa")] == ["sobremesa"], "nothing is loaded"
state = sm.GAMES["knister"].start()
heavy = {"numpy", "jax", "onnxruntime", "fastapi", "pydantic", "anywidget", "matplotlib", "asyncio", "multiprocessing"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
assert "sobremesa.engines" not in sys.modules
"""


def test_it_loads_nothing_before_it_is_used() -> None:
    subprocess.run([sys.executable, "-c", QUIET], check=True)


def test_every_game_is_there_by_its_name_and_nothing_else() -> None:
    for id, game in sm.GAMES.items():
        assert getattr(sm, id.replace("-", "_")) is game
        assert id.replace("-", "_") in dir(sm)
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        _ = sm.chess  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_move_is_played_by_its_text_and_a_state_prints_as_its_board(kind: Kind) -> None:
    for at in range(0, 12, 3):
        state = reached(kind, 5, at)
        assert str(state) == state.view(None).text()
        for seat in list(state.deciding)[:1]:
            assert str(state.view(seat)) == state.view(seat).text()
            move = state.random_move(Random(at), seat)
            assert state.play(str(move), seat) == state.play(move, seat)
            with pytest.raises(InvalidMove):
                state.play("no such move !", seat)


def test_chance_draws_and_iterates() -> None:
    chance = sm.knister.start().chance
    assert chance is not None
    assert sum(probability for _, probability in chance) == 1
    assert dict(chance)[7] == Fraction(1, 6)
    assert len(chance) == 11
    assert chance.draw(Random(1)) in dict(chance)


def test_who_has_to_decide_is_found_or_one_is_told_to_say_it() -> None:
    two = sm.knister.start(seats=2)
    with pytest.raises(NothingToDecide, match="nobody"):
        two.decider()
    two = two.happen(8)
    with pytest.raises(NothingToDecide, match="say for which one"):
        two.decider()
    assert two.decider(1) == 1
    assert two.play("a1", 0).decider() == 1
    with pytest.raises(NothingToDecide, match="seat 0"):
        two.play("a1", 0).decider(0)


def test_records_are_saved_loaded_and_verified(tmp_path: Path) -> None:
    sitting = sm.Sitting.start(sm.knister, {"seats": 1})
    while not sitting.state.over:
        sitting = sitting.roll() if sitting.state.chance else sitting.play(str(sitting.state.legal_moves()[0]))
    record = sitting.record()
    sm.save(record, tmp_path / "game.json")
    assert sm.load(str(tmp_path / "game.json")) == record
    assert sm.verify(record).fair
    assert record.events[0] in str(record)


def test_options_in_quotes_are_told_so() -> None:
    with pytest.raises(sm.SobremesaError, match="seats cannot be the text “3”: choose 2 / 3 / 4, without quotes"):
        sm.callisto.start(seats="3")
