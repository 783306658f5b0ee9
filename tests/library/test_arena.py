"""The arena from Python: players of one's own, processes, tables and plots."""

import sys

import pytest

import sobremesa as sm
from library.players import Lucky, last
from sobremesa.engines.engine_set import Maker

PLAYERS: dict[str, str | Maker] = {"mine": Lucky, "made": last, "house": "greedy"}


def test_players_of_ones_own_play_in_processes_and_the_seed_alone_decides() -> None:
    here = sm.arena("knister", PLAYERS, games=6, seed=3)
    there = sm.arena("knister", PLAYERS, games=6, seed=3, jobs=2)
    assert [game.record for game in here.played] == [game.record for game in there.played]
    assert [game.scores for game in here.played] != [g.scores for g in sm.arena("knister", PLAYERS, games=6).played]
    assert here.rows[0].name == "house"
    assert {row.name for row in here.rows} == set(PLAYERS)


def test_a_result_is_a_table_columns_and_a_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sm.arena(sm.isis_osiris, ["greedy", "random"], games=4)
    assert str(found).splitlines()[0] == "| player | games | Elo | first places | mean score | a move | longest move |"
    columns = found.to_dict()
    assert columns["player"] == ["greedy", "random"]
    assert {len(column) for column in columns.values()} == {2}
    assert "<td>greedy</td>" in found._repr_html_()
    axes = found.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["random", "greedy"]
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(sm.SobremesaError, match="pip install 'sobremesa\\[plot\\]'"):
        found.plot()


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(sm.SobremesaError, match="there is no player “nobody”"):
        sm.arena("knister", ["nobody"])
    with pytest.raises(sm.SobremesaError, match="at least as many players"):
        sm.arena("callisto", ["greedy"], table=2)
    with pytest.raises(sm.SobremesaError, match="seats cannot be 1"):
        sm.arena("callisto", ["greedy"])


def test_what_cannot_travel_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(sm.SobremesaError, match="“mine” cannot go to another process"):
        sm.arena("knister", {"mine": lambda game, random: Lucky(game, random)}, games=2, jobs=2)


def test_what_is_written_on_the_spot_travels_with_cloudpickle() -> None:
    class Here(Lucky):
        pass

    here = sm.arena("knister", {"mine": Here, "greedy": "greedy"}, games=2)
    there = sm.arena("knister", {"mine": Here, "greedy": "greedy"}, games=2, jobs=2)
    assert [game.scores for game in here.played] == [game.scores for game in there.played]
