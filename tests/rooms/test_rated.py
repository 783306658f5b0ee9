"""Rated games: whose result it is, who has lost by going away, and what nobody may do in them."""

from typing import Any

import pytest

from rooms.tables import Table, assert_same
from sobremesa.core.result import Result
from sobremesa.rooms import events as e
from sobremesa.rooms.commands import GiveHint, LeaveAll, TimeUp
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_MISSED_ROUNDS
from sobremesa.rooms.projections import results
from sobremesa.rooms.rated import Stake
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.table import loads, verify

PEOPLE = ("host", "bo", "cy", "di")


def rated_table(people: int = 2, **setup: Any) -> Table:
    """A rated game that has begun."""
    seats = ["me"] + ["open"] * (people - 1)
    usual: dict[str, Any] = {"seats": seats, "rated": True, "clock": 60, "options": {"edition": "pocket"}}
    table = Table(**usual | setup)
    for person in PEOPLE[1:people]:
        table.do(person, "sit", name=person.title())
    assert table.room.at_stake
    return table


def step(table: Table) -> None:
    """Whoever has to decide makes a move of their own."""
    sitting = table.room.sitting
    assert sitting is not None
    for seat in list(sitting.state.deciding):
        chair = table.room.seating[seat]
        move = str(sitting.state.legal_moves(seat)[0])
        table.move(chair.person, seat, move) if chair.person else table.engine_moves(seat, move)


def everybody_moves(table: Table) -> None:
    """Every seat has moved: from now on the game counts."""
    while table.room.stake is not None and not table.room.stake.counts:
        step(table)


def refusal(table: Table, person: str, type: str, **fields: Any) -> str:
    before = table.room
    with pytest.raises(Refusal) as caught:
        table.do(person, type, **fields)
    assert table.room is before
    return caught.value.reason


def rows(table: Table, before: int) -> list[tuple[str | None, int, bool]]:
    """Who is given which place in the game that has just ended, and whether it counts."""
    entries = [entry for entry in table.log if entry.version <= before]
    was = table.room.replay("room", entries, table.resources)
    return [(row["person"], row["place"], row["counts"]) for row in results(was, table.room)]


def state_of(table: Table, person: str) -> Any:
    seats = table.room.seats_of(person)
    return UpdateBuilder(table.room, set(), 1000.0).build((seats, person == "host")).room


def test_the_log_says_that_a_game_is_rated() -> None:
    table = rated_table()
    begun = next(entry.event for entry in table.log if isinstance(entry.event, e.Begun))
    assert begun.rated
    assert table.room.stake == Stake(("host", "bo"))
    assert state_of(table, "bo").rated
    everybody_moves(table)
    assert_same(table.replayed(), table.room)
    assert table.replayed().stake == table.room.stake


@pytest.mark.parametrize(
    "setup",
    [
        {"seats": ["me", "engine"]},
        {"seats": ["me", "me"]},
        {"seats": ["me"], "game": "knister"},
        {"seats": [], "game": "knister", "crowd": True},
        {"clock": 0},
    ],
)
def test_what_cannot_be_rated_is_refused_with_a_reason(setup: dict[str, Any]) -> None:
    with pytest.raises(Refusal, match="rated") as caught:
        Table(**{"rated": True, "clock": 60} | setup)
    assert caught.value.reason == "malformed"


@pytest.mark.parametrize(
    ("setup", "rated"),
    [
        ({}, False),
        ({"public": True}, False),
        ({"clock": 60}, False),
        ({"public": True, "clock": 60}, True),
        ({"public": True, "clock": 60, "rated": False}, False),
        ({"public": True, "clock": 60, "seats": ["me", "me"]}, False),
        ({"public": True, "clock": 60, "seats": ["me", "open", "engine"]}, False),
        ({"clock": 60, "rated": True}, True),
    ],
)
def test_nothing_said_a_public_table_with_a_clock_is_rated(setup: dict[str, Any], rated: bool) -> None:
    assert Table(**setup).room.setup.rated is rated


def test_one_person_in_two_seats_and_computers_play_for_fun() -> None:
    table = Table(rated=True, clock=60, seats=["me", "open", "open"])
    table.do("bo", "sit", name="Bo")
    assert state_of(table, "bo").rated, "so far"
    table.do("bo", "sit", name="Bo again")
    assert table.room.playing
    assert table.room.stake is None
    assert not state_of(table, "bo").rated
    table = Table(rated=True, clock=60, seats=["me", "open"])
    table.do("host", "engine", seat=1, player="greedy")
    assert table.room.playing
    assert table.room.stake is None


def test_nobody_is_sent_away_from_a_rated_game_nor_sits_down_for_somebody() -> None:
    table = rated_table(3)
    everybody_moves(table)
    assert refusal(table, "host", "leave", seat=1) == "rated"
    assert refusal(table, "di", "leave", seat=1) == "forbidden"
    assert refusal(table, "host", "engine", seat=1, player="greedy") == "taken"
    table.do("bo", "leave", seat=1)
    for person in ("host", "cy", "bo", "di"):
        assert refusal(table, person, "sit", name="X", seat=1) == "rated"
        assert refusal(table, person, "sit", name="X") == "rated"


def test_a_game_for_fun_is_as_it_was() -> None:
    table = Table(seats=["me", "open", "open"], options={"edition": "pocket"})
    table.do("bo", "sit", name="Bo")
    table.do("cy", "sit", name="Cy")
    table.do("host", "leave", seat=1)
    table.do("di", "sit", name="Di", seat=1)
    assert table.room.playing
    assert table.room.seats_of("di") == (1,)


def test_nothing_is_taken_back_and_there_are_no_hints_in_a_rated_game() -> None:
    table = rated_table()
    step(table)
    assert not state_of(table, "host").hints
    assert "takeback" not in state_of(table, "host").may
    assert refusal(table, "host", "offer", what="takeback") == "rated"
    with pytest.raises(Refusal) as caught:
        table.handle(GiveHint(1, table.room.since), "bo")
    assert caught.value.reason == "rated"


def test_who_leaves_a_game_for_two_has_lost_and_it_ends() -> None:
    table = rated_table()
    everybody_moves(table)
    before = table.room.version
    table.do("host", "leave", seat=0)
    assert table.kinds()[-3:] == ["forfeited", "ended", "promised"]
    assert not table.room.playing
    assert rows(table, before) == [("host", 2, True), ("bo", 1, True)]
    told = state_of(table, "bo")
    assert (told.end.how, told.end.seat, told.lost, told.over) == ("left", 0, [0], True)
    assert told.result.places == {0: 2, 1: 1}
    assert told.seats[0].kind == "gone"
    record = table.room.record()
    assert record is not None
    assert record.names == ("Ana", "Bo"), "who has left is named in the record"
    verify(record)
    assert_same(table.replayed(), table.room)


def test_before_everybody_has_moved_nothing_is_at_stake() -> None:
    table = rated_table()
    before = table.room.version
    step(table)
    table.do("bo", "leave", seat=1)
    assert table.kinds()[-3:] == ["forfeited", "ended", "promised"]
    assert rows(table, before) == []
    assert state_of(table, "host").end.how == "stopped"
    table = rated_table()
    before = table.room.version
    table.do("bo", "resign", seat=1)
    assert rows(table, before) == [("host", 1, False), ("bo", 2, False)]


def test_who_resigns_later_has_lost() -> None:
    table = rated_table()
    everybody_moves(table)
    before = table.room.version
    table.do("bo", "resign", seat=1)
    assert rows(table, before) == [("host", 1, True), ("bo", 2, True)]


def test_others_play_on_with_a_computer_and_who_left_is_last_whatever_it_does() -> None:
    table = rated_table(3)
    everybody_moves(table)
    table.do("bo", "leave", seat=1)
    assert table.room.playing
    table.do("cy", "engine", seat=1, player="greedy")
    before = 0
    while table.room.playing:
        before = table.room.version
        step(table)
    told = {who: place for who, place, counts in rows(table, before) if counts}
    assert told["bo"] == 3
    played = table.room.results[-1].places
    assert told["host"] == (1 if played[0] <= played[2] else 2)
    assert set(told) == {"host", "bo", "cy"}
    record = table.room.record()
    assert record is not None
    assert record.names == ("Ana", "Bo", "Cy")
    verify(record)


def test_nobody_waits_for_who_has_left() -> None:
    table = rated_table(3)
    everybody_moves(table)
    table.do("bo", "leave", seat=1)
    while table.room.playing:
        assert table.room.sitting is not None
        assert 1 not in table.room.sitting.state.deciding
        step(table)
    assert moves_of(table, 1)[-1].forced


def moves_of(table: Table, seat: int) -> list[e.Moved]:
    return [entry.event for entry in table.log if isinstance(entry.event, e.Moved) and entry.event.seat == seat]


def test_when_all_but_one_have_left_it_is_over() -> None:
    table = rated_table(4)
    everybody_moves(table)
    table.do("bo", "leave", seat=1)
    table.do("host", "leave", seat=0)
    assert table.room.playing
    before = table.room.version
    table.do("di", "leave", seat=3)
    assert rows(table, before) == [("host", 2, True), ("bo", 2, True), ("cy", 1, True), ("di", 2, True)]


def test_those_who_stayed_may_stop_and_who_left_has_lost_all_the_same() -> None:
    table = rated_table(3)
    everybody_moves(table)
    table.do("bo", "leave", seat=1)
    table.do("host", "offer", what="stop")
    before = table.room.version
    table.do("cy", "answer", yes=True)
    assert rows(table, before) == [("host", 1, True), ("bo", 3, True), ("cy", 1, True)]
    table = rated_table(3)
    everybody_moves(table)
    table.do("host", "offer", what="stop")
    table.do("bo", "answer", yes=True)
    before = table.room.version
    table.do("cy", "answer", yes=True)
    assert rows(table, before) == []
    assert state_of(table, "host").end.how == "stopped"


def test_whose_turn_runs_out_has_lost() -> None:
    table = rated_table()
    everybody_moves(table)
    assert table.room.sitting is not None
    late = next(iter(table.room.sitting.state.deciding))
    before = table.room.version
    table.handle(TimeUp(table.room.since))
    assert table.kinds()[-4:] == ["moved", "forfeited", "ended", "promised"]
    assert [place for _, place, _ in rows(table, before)] == ([2, 1] if late == 0 else [1, 2])
    assert table.room.seats_of(PEOPLE[late]) == ()


def test_some_rounds_may_be_missed() -> None:
    table = rated_table(3, game="knister", options={})
    everybody_moves(table)
    for missed in range(1, MAX_MISSED_ROUNDS + 1):
        assert table.room.playing
        assert table.room.sitting is not None
        before = table.room.version
        table.move("host", 0, str(table.room.sitting.state.legal_moves(0)[0]))
        table.move("cy", 2, str(table.room.sitting.state.legal_moves(2)[0]))
        table.handle(TimeUp(table.room.since))
        assert table.room.stake is not None
        assert table.room.stake.lost == ((1,) if missed == MAX_MISSED_ROUNDS else ())
    assert table.room.playing, "two are still there"
    before = 0
    while table.room.playing:
        before = table.room.version
        step(table)
    assert [place for _, place, _ in rows(table, before)][1] == 3


def test_two_whose_time_is_up_at_once_leave_the_game_without_a_result() -> None:
    table = rated_table(2, game="knister", options={})
    everybody_moves(table)
    before = 0
    for _ in range(MAX_MISSED_ROUNDS):
        before = table.room.version
        table.handle(TimeUp(table.room.since))
    assert not table.room.playing
    assert rows(table, before) == []


def test_who_is_forgotten_leaves_and_the_others_are_told_how_it_ended() -> None:
    table = rated_table()
    everybody_moves(table)
    before = table.room.version
    table.handle(LeaveAll(), "bo")
    assert rows(table, before) == [("host", 1, True), ("bo", 2, True)]


def test_the_places_that_count() -> None:
    assert Stake((None,) * 4, lost=(2,)).places([2, 3, 1, 4]) == (1, 2, 4, 3)
    assert Stake((None,) * 4, lost=(0, 1)).places([1, 2, 3, 3]) == (3, 3, 1, 1)
    assert Stake((None,) * 2).places([1, 1]) == (1, 1)


def test_a_series_counts_game_by_game() -> None:
    table = rated_table(games=2)
    before = 0
    while table.room.playing:
        before = table.room.version
        step(table)
    assert all(counts for _, _, counts in rows(table, before))
    table.do("host", "start")
    table.do("bo", "start")
    assert table.room.at_stake
    everybody_moves(table)
    before = table.room.version
    table.do("bo", "leave", seat=1)
    assert ("bo", 2, True) in rows(table, before)
    table.do("host", "engine", seat=1, player="greedy")
    table.do("host", "start")
    assert table.room.playing
    assert table.room.stake is None, "against a computer it is for fun"


def test_a_host_without_a_seat_asks_before_another_rated_game_begins() -> None:
    table = Table(seats=["open", "open"], rated=True, clock=60, options={"edition": "pocket"})
    table.do("bo", "sit", name="Bo")
    table.do("cy", "sit", name="Cy")
    everybody_moves(table)
    table.do("bo", "resign", seat=0)
    table.do("host", "start")
    assert not table.room.playing
    table.do("bo", "ready")
    table.do("cy", "ready")
    assert table.room.at_stake


def test_hints_leave_a_trace_in_the_room_and_in_the_record() -> None:
    table = Table(seats=["me", "engine"], options={"edition": "pocket"})
    table.handle(GiveHint(0, table.room.since), "host")
    with pytest.raises(Refusal):
        table.handle(GiveHint(0, table.room.since), "host")  # once a decision is enough
    table.move("host", 0, str(table.room.sitting.state.legal_moves(0)[0]))  # type: ignore[union-attr]
    with pytest.raises(Refusal):
        table.handle(GiveHint(0, table.room.since - 1), "host")
    assert state_of(table, "host").helped == {0: 1}
    assert [line.kind for line in table.room.talk].count("hint") == 1
    while table.room.playing:
        step(table)
    record = table.room.record()
    assert record is not None
    assert record.hints == ((1, 0),)
    assert loads(record.dumps()) == record
    assert table.replayed().record() == record
    table.do("host", "start")
    assert state_of(table, "host").helped == {}


def test_a_hint_in_a_round_belongs_to_that_round() -> None:
    table = Table(seats=["me", "open"], game="knister")
    table.do("bo", "sit", name="Bo")
    table.move("bo", 1, "a1")
    table.handle(GiveHint(0, table.room.since), "host")
    table.move("host", 0, "a1")
    table.handle(GiveHint(0, table.room.since), "host")
    assert [hint.event for hint in table.room.hints] == [2, 4]  # each round is a roll and what was written


def test_results_of_games_for_fun_are_those_of_who_sits_there_at_the_end() -> None:
    table = Table(options={"edition": "pocket"}, seats=["me", "open"])
    table.do("bo", "sit", name="Bo")
    table.do("bo", "leave", seat=1)
    table.do("cy", "sit", name="Cy")
    before = 0
    while table.room.playing:
        before = table.room.version
        step(table)
    assert {(who, counts) for who, _, counts in rows(table, before)} == {("host", False), ("cy", False)}
    assert isinstance(table.room.result, Result)
