"""The arena is fair: all seat orders, the same luck, honest intervals."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from sobremesa.cli import main
from sobremesa.engines import arena, elo
from sobremesa.engines.arena import Fixture, Mean, Played
from sobremesa.table import verify
from sobremesa.table.record import Record, loads


def test_every_order_is_played_equally_often_on_every_deal() -> None:
    for names in (["a", "b"], ["a", "b", "c"], ["a", "a", "b"], ["a", "b", "b", "b"]):
        found = arena.fixtures("callisto", names, 50, "s", {}, len(names))
        orders = Counter((fixture.names, fixture.deal) for fixture in found)
        assert set(orders.values()) == {1}
        assert len(found) >= 50
        assert len({Counter(f.names for f in found if f.deal == deal).total() for deal in {f.deal for f in found}}) == 1
        for seat in range(len(names)):
            assert Counter(fixture.names[seat] for fixture in found) == Counter(
                {name: len(found) * names.count(name) // len(names) for name in names}
            )


def test_more_names_than_seats_are_a_round_robin() -> None:
    found = arena.fixtures("knister", ["a", "b", "c", "d"], 1, "s", {}, 2)
    assert len(found) == 12
    assert len({frozenset(fixture.names) for fixture in found}) == 6
    alone = arena.fixtures("knister", ["a", "b"], 10, "s", {}, 1)
    assert Counter(fixture.names for fixture in alone) == {("a",): 5, ("b",): 5}


def rolls(played: Played) -> list[str]:
    return [event for event in played.record.events if event.startswith("~")]


def test_compared_players_get_the_same_rolls_and_deals() -> None:
    first, second, other = (
        arena.play(Fixture("knister", {}, names, deal, "s"))
        for names, deal in ((("greedy", "random"), 0), (("random", "greedy"), 0), (("greedy", "random"), 1))
    )
    assert rolls(first) == rolls(second) != rolls(other)
    verify(first.record)
    one = arena.play(Fixture("isis-osiris", {}, ("greedy", "greedy"), 3, "s"))
    two = arena.play(Fixture("isis-osiris", {}, ("random", "greedy"), 3, "s"))
    common = min(len(rolls(one)), len(rolls(two)))
    assert rolls(one)[:common] == rolls(two)[:common]


def test_a_game_can_be_played_again() -> None:
    fixture = Fixture("isis-osiris", {"variant": "common"}, ("greedy", "child", "random"), 2, "again")
    assert arena.play(fixture).record == arena.play(fixture).record


def invented(names: tuple[str, ...], places: tuple[int, ...], deal: int) -> Played:
    shares = tuple((place == 1) / places.count(1) for place in places)
    scores = tuple(10 - place for place in places)
    nothing = (0.0,) * len(names)
    record = Record("callisto", 1, {}, ())
    return Played(Fixture("callisto", {}, names, deal, "s"), scores, shares, places, nothing, nothing, (1, 1), record)


def test_the_tally_adds_up() -> None:
    done = [invented(("a", "b"), (1, 2), deal) for deal in range(3)] + [invented(("b", "a"), (1, 1), 3)]
    table = arena.tally(done)
    assert [row.name for row in table.rows] == ["a", "b"]
    assert table.rows[0].points.mean == pytest.approx((3 + 0.5) / 4)
    assert table.duels["a", "b"].mean == pytest.approx(3.5 / 4)
    assert table.differences["a", "b"].mean == pytest.approx(0.75)
    assert table.rows[0].fair == 0.5


def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    random, inside = Random(1), 0
    for _ in range(300):
        found = Mean.of([random.gauss(3, 2) for _ in range(40)])
        inside += abs(found.mean - 3) <= found.half_width
    assert 270 <= inside <= 295


def test_a_mean_is_told_with_how_sure_it_is_where_that_can_be_said() -> None:
    assert str(Mean(1.5, 0.25)) == f"{Mean(1.5, 0.25)}" == "1.50 ± 0.25"
    assert f"{Mean(0.5, 0.125):.1%}" == "50.0% ± 12.5%"
    assert f"{Mean(2.0, 0.5):+.1f}" == "+2.0 ± 0.5"
    assert str(Mean.of([3.0])) == "3.00"


def test_ratings_find_the_distance_that_results_speak_for() -> None:
    random, done = Random(2), []
    for deal in range(600):
        for one, two, chance in (("a", "b", 0.64), ("b", "c", 0.64), ("a", "c", 0.76)):
            places = (1, 2) if random.random() < chance else (2, 1)
            done.append(invented((one, two), places, deal))
    found = elo.ratings(done, "c")
    assert found["c"].mean == 1000
    assert found["b"].mean == pytest.approx(1100, abs=30)
    assert found["a"].mean == pytest.approx(1200, abs=35)
    assert 5 < found["a"].half_width < 40


def test_nobody_is_infinitely_good() -> None:
    found = elo.ratings([invented(("a", "b"), (1, 2), deal) for deal in range(5)], "b")
    assert 1100 < found["a"].mean < 3000


def test_the_command_prints_tables_and_json_and_keeps_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["arena", "isis-osiris", "--seats", "greedy,random", "--games", "4", "--records", str(tmp_path)]
    assert main(line) == 0
    assert "| greedy | 4 |" in capsys.readouterr().out
    assert main([*line, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["games"] == 4
    assert {player["name"] for player in data["players"]} == {"greedy", "random"}
    records = sorted(tmp_path.glob("*.json"))
    assert len(records) == 4
    assert {loads(path.read_bytes()).names for path in records} == {("greedy", "random"), ("random", "greedy")}
    for path in records:
        verify(loads(path.read_bytes()))


@pytest.mark.parametrize(
    "line",
    [
        "arena callisto --seats greedy,nobody",
        "arena callisto --seats greedy,random --table 3",
        "arena callisto --seats greedy,random --option edition=huge",
        "arena knister --seats random --option colour=red",
    ],
)
def test_a_wrong_line_is_explained(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 1
    assert capsys.readouterr().err


def test_several_processes_play_the_same_games() -> None:
    todo = arena.fixtures("knister", ["greedy", "random"], 6, "s", {}, 2)
    assert [p.record for p in arena.play_all(todo, 2)] == [p.record for p in arena.play_all(todo, 1)]


@pytest.mark.parametrize(
    ("game", "options"), [("callisto", {"edition": "pocket"}), ("isis-osiris", {}), ("knister", {})]
)
def test_the_first_level_loses_to_the_greedy_player(game: str, options: dict[str, str]) -> None:
    todo = arena.fixtures(game, ["child", "greedy"], 30, "s", dict(options), 2)
    table = arena.tally(arena.play_all(todo))
    assert table.rows[0].name == "greedy"
    assert table.rows[0].points.mean > 0.6
