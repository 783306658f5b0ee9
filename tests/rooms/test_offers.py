"""What people agree on: taking back, stopping, playing again; and giving up."""

from typing import Any

import pytest

from rooms.tables import Table, assert_same
from rooms.test_room import play_out, refusal
from sobremesa.rooms import events as e
from sobremesa.rooms.commands import TimeUp
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.offers import may
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.table import verify


def two(**setup: Any) -> Table:
    """A table where Bo has sat down with the host."""
    table = Table(**setup)
    table.do("bo", "sit", name="Bo")
    return table


def test_against_a_computer_a_move_is_taken_back_at_once_with_the_reply() -> None:
    table = Table(seats=["me", "engine"])
    assert refusal(table, "host", "offer", what="takeback") == "forbidden"
    start = table.room.version
    table.move("host", 0, "c8")
    table.engine_moves(1, "n8")
    table.do("host", "offer", what="takeback")
    assert table.kinds()[-1] == "taken_back"
    sitting = table.room.sitting
    assert sitting is not None
    assert list(sitting.state.deciding) == [0]
    assert list(sitting.events()) == []
    step = UpdateBuilder(table.room, (), 1.0).build(((0,), True)).steps[-1]
    assert (step.back, step.seat, step.move) == (start, None, None)
    assert_same(table.replayed(), table.room)
    assert "takeback" not in may(table.room, (0,))
    table.move("host", 0, "d8")
    assert table.moves()[-1] == (0, "d8")


def test_a_move_is_taken_back_while_the_computer_thinks() -> None:
    table = Table(seats=["me", "engine"])
    table.move("host", 0, "c8")
    since = table.room.since
    table.do("host", "offer", what="takeback")
    assert table.room.since > since, "what it finds comes too late"
    table.move("host", 0, "d8")


def test_several_moves_are_taken_back_one_after_another() -> None:
    table = Table(seats=["me", "engine"])
    for mine, theirs in (("c8", "n8"), ("d12", "m5")):
        table.move("host", 0, mine)
        table.engine_moves(1, theirs)
    table.do("host", "offer", what="takeback")
    table.do("host", "offer", what="takeback")
    sitting = table.room.sitting
    assert sitting is not None
    assert not list(sitting.events())
    assert_same(table.replayed(), table.room)


def test_among_people_all_agree_or_nothing_is_taken_back() -> None:
    table = two()
    table.move("host", 0, "c8")
    table.do("host", "offer", what="takeback")
    assert table.room.offer is not None
    assert UpdateBuilder(table.room, (), 1.0).build(((1,), False)).room.offer is not None
    table.do("bo", "answer", yes=False)
    assert table.room.offer is None
    table.do("host", "offer", what="takeback")
    table.do("bo", "answer", yes=True)
    assert isinstance(table.log[-1].event, e.TakenBack)
    assert_same(table.replayed(), table.room)
    assert refusal(table, "bo", "answer", yes=True) == "late"
    assert refusal(table, "eve", "answer", yes=True) == "forbidden"


def test_a_move_meanwhile_ends_the_question() -> None:
    table = two()
    table.move("host", 0, "c8")
    table.do("host", "offer", what="takeback")
    table.move("bo", 1, "n8")
    assert table.room.offer is None


def test_nothing_is_taken_back_across_chance_or_what_is_hidden() -> None:
    knister = Table(game="knister", seats=["me", "engine"])
    knister.move("host", 0, "c3")
    assert refusal(knister, "host", "offer", what="takeback") == "forbidden"
    isis = Table(game="isis-osiris", seats=["me", "engine"])
    isis.move("host", 0, "Sc3")
    assert "takeback" in may(isis.room, (0,))
    isis.engine_moves(1, "T")
    assert "takeback" not in may(isis.room, (0,)), "a tile was turned over"
    isis.engine_moves(1, "Ta1")
    isis.move("host", 0, "T")
    isis.move("host", 0, "Tb1")
    assert "takeback" not in may(isis.room, (0,)), "it would show the tile once more"
    isis.engine_moves(1, "Sf6")
    isis.move("host", 0, "Sd3")
    isis.do("host", "offer", what="takeback")
    isis.move("host", 0, "Se3")


def test_a_game_for_two_is_given_up() -> None:
    table = two()
    table.move("host", 0, "c8")
    assert refusal(table, "eve", "resign", seat=0) == "forbidden"
    table.do("bo", "resign", seat=1)
    result = table.room.result
    assert result is not None
    assert result.places == (1, 2)
    assert result.scores == (68, 68), "C9: pillars cost nothing"
    end = UpdateBuilder(table.room, (), 1.0).build(((0,), True)).room.end
    assert end is not None
    assert (end.how, end.seat) == ("resigned", 1)
    assert_same(table.replayed(), table.room)
    record = table.room.record()
    assert record is not None
    verify(record)
    assert table.kinds()[-1] == "promised", "the next game can begin"


def test_no_game_of_a_series_is_given_up() -> None:
    assert refusal(two(games=2), "bo", "resign", seat=1) == "forbidden"


@pytest.mark.parametrize("game", ["callisto", "isis-osiris", "knister"])
def test_people_agree_to_stop_without_a_result(game: str) -> None:
    table = two(game=game)
    table.do("bo", "offer", what="stop")
    assert table.room.playing
    table.do("host", "answer", yes=True)
    assert not table.room.playing
    assert (table.room.result, table.room.results) == (None, ())
    assert_same(table.replayed(), table.room)
    table.do("host", "start")
    table.do("bo", "start")
    assert table.room.number == 2


def test_the_next_game_begins_when_all_the_people_want_it() -> None:
    table = Table(game="knister", seats=["me", "open", "open"])
    table.do("bo", "sit", name="Bo")
    table.do("cy", "sit", name="Cy")
    play_out(table, {0: "host", 1: "bo", 2: "cy"})
    table.do("cy", "start")
    table.do("bo", "start")
    assert table.room.number == 1
    assert table.room.offer is not None
    assert table.room.offer.agreed == {1, 2}
    table.do("host", "answer", yes=True)
    assert table.room.number == 2
    assert table.room.offer is None


def test_in_a_crowd_the_next_game_is_the_hosts_alone() -> None:
    table = Table(game="knister", seats=[], crowd=True)
    assert refusal(table, "host", "start") == "early"
    table.do("bo", "sit", name="Bo")
    table.do("host", "start")
    play_out(table, {0: "bo"})
    assert refusal(table, "bo", "start") == "forbidden"
    table.do("host", "start")
    assert table.room.number == 2


def test_who_was_not_in_time_is_told_where_the_number_went() -> None:
    table = Table(game="knister", seats=["me", "open", "open"], clock=30)
    table.do("bo", "sit", name="Bo")
    table.do("cy", "sit", name="Cy")
    table.move("host", 0, "c3")
    table.handle(TimeUp(table.room.since))
    assert table.room.missed == {1: "a5", 2: "a5"}, "the first free cell"
    assert_same(table.replayed(), table.room)
    told = UpdateBuilder(table.room, (), 1.0).build(((1,), False)).room.missed
    assert told is not None
    assert [(each.seat, each.name, each.move) for each in told.first] == [(1, "Bo", "a5"), (2, "Cy", "a5")]
    for person, seat in (("host", 0), ("bo", 1), ("cy", 2)):
        assert table.room.missed
        table.move(person, seat, "d4")
    assert table.room.missed == {}, "that was the round before"


def test_who_was_not_in_time_reads_so_until_the_next_move_of_their_own() -> None:
    """However much the others do meanwhile; whoever takes the seat over has missed nothing."""
    table = Table(seats=["me", "open"], clock=30)
    table.do("bo", "sit", name="Bo")

    def forced() -> list[int]:
        room = UpdateBuilder(table.room, (), 1.0).build(((0,), False)).room
        return [each.seat for each in room.last_moves if each.forced]

    def move(person: str, seat: int) -> None:
        table.move(person, seat, UpdateBuilder(table.room, (), 1.0).build(((seat,), False)).legal[seat][0])

    table.handle(TimeUp(table.room.since))
    move("bo", 1)
    assert forced() == [0]
    assert_same(table.replayed(), table.room)
    move("host", 0)
    assert forced() == []
    table.handle(TimeUp(table.room.since))
    assert forced() == [1]
    table.do("bo", "leave", seat=1)
    table.do("cy", "sit", name="Cy", seat=1)
    assert forced() == []


def test_the_host_of_a_crowd_closes_a_round() -> None:
    table = Table(game="knister", seats=[], crowd=True)
    for person in ("bo", "cy"):
        table.do(person, "sit", name=person)
    table.do("host", "start")
    table.move("bo", 0, "c3")
    assert refusal(table, "bo", "close") == "forbidden"
    table.do("host", "close")
    assert table.room.missed == {1: "a5"}
    assert_same(table.replayed(), table.room)


def test_a_record_has_the_names_that_people_had_at_the_end() -> None:
    table = two(options={"edition": "pocket"})
    table.do("bo", "leave", seat=1)
    table.do("bo", "sit", name="Beatriz", seat=1)
    play_out(table, {0: "host", 1: "bo"})
    record = table.room.record()
    assert record is not None
    assert record.names == ("Ana", "Beatriz")


def test_the_host_of_a_crowd_pauses_the_game_and_its_clock() -> None:
    table = Table(game="knister", seats=[], crowd=True, clock=30)
    for person in ("bo", "cy"):
        table.do(person, "sit", name=person)
    assert refusal(table, "host", "pause", on=True) == "early", "nothing runs yet"
    table.do("host", "start")
    table.move("bo", 0, "c3")
    deadline = table.room.deadline
    assert deadline is not None
    assert refusal(table, "bo", "pause", on=True) == "forbidden"
    table.do("host", "pause", on=True)
    paused = table.room
    assert paused.deadline is None
    assert UpdateBuilder(paused, (), 1.0).build(((1,), False)).room.paused
    assert refusal(table, "host", "pause", on=True) == "stale"
    assert refusal(table, "cy", "move", seat=1, version=table.room.version, move="c3") == "early"
    assert refusal(table, "host", "close") == "stale"
    with pytest.raises(Refusal):
        table.handle(TimeUp(table.room.since))
    table.do("cy", "leave", seat=1)
    assert table.room.since == paused.since, "nobody is moved for meanwhile"
    table.do("host", "pause", on=False)
    assert table.room.missed == {1: "a5"}, "who has left in the pause is moved for after it"
    assert_same(table.replayed(), table.room)


def test_after_a_pause_there_is_as_much_time_as_was_left() -> None:
    table = Table(game="knister", seats=[], crowd=True, clock=30)
    table.do("bo", "sit", name="bo")
    table.do("host", "start")
    deadline, before = table.room.deadline, table.room.version
    table.do("host", "pause", on=True)
    at = table.room.changed_at
    for _ in range(5):
        table.do("host", "phrase", phrase="one moment")
    table.do("host", "pause", on=False)
    assert deadline is not None
    assert table.room.deadline == deadline + (table.room.changed_at - at)
    assert table.room.since == before, "the decision is the same"


def test_among_more_than_two_who_gives_up_is_played_on_for() -> None:
    table = Table(seats=["me", "open", "open"])
    table.do("bo", "sit", name="Bo")
    table.do("cy", "sit", name="Cy")
    assert refusal(table, "bo", "resign", seat=1, player="nobody") == "malformed"
    table.do("bo", "resign", seat=1, player="casual")
    assert table.room.playing
    assert table.room.seating[1].name == "casual"
    assert table.room.seats_of("bo") == ()
    assert_same(table.replayed(), table.room)
    table.move("host", 0, "c8")
    assert table.room.engines_to_move() == [(1, "casual")]
