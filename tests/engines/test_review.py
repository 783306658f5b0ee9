"""Games looked over: what each move gave away."""

import json
from pathlib import Path
from statistics import fmean

import pytest

from engines.positions import along
from sobremesa import GAMES
from sobremesa.cli import main
from sobremesa.engines import Budget, arena
from sobremesa.engines.arena import Fixture
from sobremesa.engines.review import compare, moments, review
from sobremesa.table.record import Record


def played(game: str, *names: str) -> Record:
    options = {"edition": "pocket"} if game == "callisto" else {}
    return arena.play(Fixture(game, dict(options), names, 1, "review")).record


@pytest.mark.parametrize("game", GAMES)
def test_moments_are_all_decisions_with_what_the_seat_saw(game: str) -> None:
    record = played(game, "greedy", "random")
    found = moments(record)
    states = list(record.states())
    moves = [move for event in record.events if not event.startswith("~") for move in event.split(" ")]
    assert [moment.move for moment in found] == moves
    for moment in found:
        assert moment.view == states[moment.event - 1].view(moment.seat)
        if game == "isis-osiris":
            assert list(moment.past) == [state.view(moment.seat) for state in states[: moment.event - 1]]
        else:
            assert moment.past == ()
    assert {moment.seat for moment in moments(record, [1])} == {1}


@pytest.mark.parametrize("game", ["callisto", "isis-osiris"])
def test_a_review_of_a_duel_tells_chances(game: str) -> None:
    record = played(game, "greedy", "random")
    pairs = list(review(record, "champion", Budget(simulations=60, seconds=5)))
    found = compare(record, [moment for moment, _ in pairs], [thought for _, thought in pairs])
    assert found.measure == "chance"
    assert found.lost(1) > found.lost(0)
    assert record.result is not None
    assert found.curve[-1].chances == tuple(float(place == 1) for place in record.result.places)
    assert all(sum(point.chances) == pytest.approx(1) for point in found.curve)
    assert found.curve[-2].chances[0] > 0.5
    known = [move for move in found.moves if move.points_lost is not None]
    assert len(known) > len(found.moves) / 2
    assert all(move.points_lost == 0 for move in known if move.move == str(move.best[0].move))
    grave = [move.points_lost or 0 for move in known if move.lost > 0.1]
    others = [move.points_lost or 0 for move in known if move.lost <= 0.1]
    assert fmean(grave) > fmean(others), "mistakes give more points away"


def test_the_command_tells_a_person_and_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    path.write_text(played("knister", "greedy").dumps())
    assert main(["analyse", str(path), "--player", "net"]) == 0
    out = capsys.readouterr().out
    assert "greedy gave away" in out
    assert "better:" in out
    assert main(["analyse", str(path), "--player", "net", "--json", "--lang", "es"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["moves"]) == 25
    assert data["measure"] == "points"
    assert main(["analyse", str(path), "--player", "nobody"]) == 1
    assert "nobody" in capsys.readouterr().err


def test_a_game_that_was_put_aside_can_be_looked_over() -> None:
    states = along(GAMES["callisto"], 3, edition="pocket")
    assert states[-1].over
    record = played("callisto", "greedy", "random")
    half = Record(record.game, record.rules, record.options, record.events[:6], record.names)
    pairs = list(review(half, "champion", Budget(simulations=20)))
    found = compare(half, [moment for moment, _ in pairs], [thought for _, thought in pairs])
    assert len(found.moves) == 6
    assert len(found.curve) == 6
