"""A crowd that is too large to be listed, and its host: who is there, who was not in time, who is sent away."""

import pytest

from rooms.tables import Table, assert_same
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import TimeUp
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.finding import find
from sobremesa.rooms.limits import MAX_FOUND_SEATS, MAX_NAMED_MISSED, MAX_NEWCOMERS
from sobremesa.rooms.updates import UpdateBuilder

LOOKS_ON, HOSTS = ((), False), ((), True)


def crowd(people: int = 40) -> Table:
    table = Table(game="knister", seats=[], crowd=True, clock=30)
    for seat in range(people):
        table.do(f"p{seat}", "sit", name=f"Zoë {seat}")
    return table


def told(table: Table, viewer: tuple[tuple[int, ...], bool], *here: str) -> m.RoomState:
    return UpdateBuilder(table.room, here, 1.0).build(viewer).room


def found(table: Table, name: str = "", *here: str, person: str = "host") -> m.Found:
    return find(table.room, m.Find(type="find", id="f", name=name), person, here)


def play_round(table: Table, *seats: int, cell: str = "c3") -> None:
    """These seats write, and then time is up."""
    for seat in seats:
        table.move(f"p{seat}", seat, cell)
    table.handle(TimeUp(table.room.since))


def test_everybody_is_told_how_many_are_there_and_the_host_who_came_last() -> None:
    table = crowd()
    for viewer in (LOOKS_ON, HOSTS):
        room = told(table, viewer, "p3", "p7", "somebody else")
        assert (room.seats_taken, room.seats_here, room.seats_total) == (40, 2, 40)
        assert sorted(room.seats) == list(range(40 - MAX_NEWCOMERS, 40))
    assert sorted(told(table, ((5,), False)).seats) == [5], "a phone needs no more than its own"
    table.do("host", "start")
    assert sorted(told(table, HOSTS).seats) == list(range(12)), "the first in the ranking"


def test_somebody_is_sent_away_before_the_start() -> None:
    table = crowd()
    table.do("host", "leave", seat=39, name="Zoë 39")
    room = told(table, HOSTS, *(f"p{seat}" for seat in range(40)))
    assert (room.seats_taken, room.seats_here, room.seats_total) == (39, 39, 40)
    assert 39 not in room.seats
    assert table.room.seats_of("p39") == ()
    table.do("host", "start")
    assert len(table.room.seating) == 39
    assert_same(table.replayed(), table.room)


def test_who_has_come_in_the_meantime_is_not_sent_away_for_another() -> None:
    table = crowd()
    table.do("p8", "leave", seat=8)
    table.do("late", "sit", name="Late")
    assert table.room.seats_of("late") == (8,)
    with pytest.raises(Refusal, match="has changed") as refusal:
        table.do("host", "leave", seat=8, name="Zoë 8")
    assert refusal.value.reason == "stale"
    assert table.room.seats_of("late") == (8,)


def test_the_host_finds_people_by_a_part_of_the_name() -> None:
    table = crowd()
    answer = found(table, " ZOE 1", *(f"p{seat}" for seat in range(40) if seat != 17))
    assert [each.seat for each in answer.seats] == [17, 1, 10, 11, 12, 13, 14, 15, 16, 18, 19], (
        "who is away comes first"
    )
    assert [each.here for each in answer.seats] == [False] + [True] * 10
    assert answer.count == 11
    everybody = found(table)
    assert (everybody.count, len(everybody.seats)) == (40, MAX_FOUND_SEATS)
    assert found(table, "nobody").seats == []
    with pytest.raises(Refusal) as refusal:
        found(table, person="p3")
    assert refusal.value.reason == "forbidden"


def test_the_first_dozen_who_were_not_in_time_are_told_and_oneself() -> None:
    table = crowd()
    table.do("host", "start")
    assert told(table, HOSTS).missed is None
    play_round(table, *range(20))
    for viewer in (LOOKS_ON, HOSTS, ((3,), False)):
        missed = told(table, viewer).missed
        assert missed is not None
        assert (missed.count, missed.rule) == (20, "K1")
        assert [(each.seat, each.name, each.move) for each in missed.first] == [
            (seat, f"Zoë {seat}", "a5") for seat in range(20, 20 + MAX_NAMED_MISSED)
        ]
    own = told(table, ((38,), False)).missed
    assert own is not None
    assert [each.seat for each in own.first] == [*range(20, 20 + MAX_NAMED_MISSED), 38]


def test_who_was_sent_away_in_the_game_is_not_missed() -> None:
    """Their numbers are placed, for the others to go on; nobody is told so in every round."""
    table = crowd()
    table.do("host", "start")
    play_round(table, *range(39))
    missed = told(table, HOSTS).missed
    assert missed is not None
    assert [each.seat for each in missed.first] == [39]
    table.do("host", "leave", seat=39, name="Zoë 39")
    assert found(table, "39").count == 0
    play_round(table, *range(38), cell="d4")
    assert table.room.missed.keys() == {38, 39}
    missed = told(table, HOSTS).missed
    assert missed is not None
    assert (missed.count, [each.seat for each in missed.first]) == (1, [38])
    assert told(table, HOSTS).seats_taken == 39
    assert_same(table.replayed(), table.room)


def test_updates_and_answers_do_not_grow_with_the_crowd() -> None:
    """Nobody is in time: the longest list that there can be."""

    def sizes(people: int) -> list[int]:
        table = crowd(people)
        before = UpdateBuilder(table.room, (), 1.0)
        texts = [before.snapshot(person) for person in ("host", "looks on", "p0")]
        table.do("host", "start")
        play_round(table)
        after = UpdateBuilder(table.room, (), 1.0)
        texts += [after.snapshot(person) for person in ("host", "looks on", "p0")]
        return [len(text) for text in (*texts, found(table).model_dump_json())]

    for large, small in zip(sizes(400), sizes(40), strict=True):
        assert large < 1.2 * small
