"""Ready? What a public table asks everybody before it begins."""

from typing import Any

import pytest

from rooms.tables import Table, assert_same
from sobremesa.rooms.commands import ReadyTimeUp
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import READY_SECONDS
from sobremesa.rooms.updates import UpdateBuilder


def public(*seats: str, **setup: Any) -> Table:
    table = Table(seats=list(seats), public=True, **setup)
    for seat, kind in enumerate(seats):
        if kind == "open":
            table.do(f"guest{seat}", "sit", name=f"Guest number {seat}")
    return table


def asked(table: Table) -> tuple[float, list[int]] | None:
    told = UpdateBuilder(table.room, set(), 1000.0).build(((0,), True)).room.ready
    return None if told is None else (told.deadline, told.seats)


def test_a_public_table_begins_when_everybody_is_ready() -> None:
    table = public("me", "open", "engine")
    assert not table.room.playing
    assert table.room.ready is not None
    assert asked(table) == (table.room.ready.at + READY_SECONDS, [2]), "computers are ready"
    table.do("guest1", "ready")
    assert not table.room.playing
    assert_same(table.replayed(), table.room)
    table.do("host", "ready")
    assert table.room.playing
    assert table.room.ready is None


def test_who_does_not_answer_loses_the_seat_and_the_others_keep_theirs() -> None:
    table = public("me", "open", "open")
    table.do("guest1", "ready")
    assert table.room.ready is not None
    table.handle(ReadyTimeUp(table.room.ready.version))
    assert [chair.kind for chair in table.room.seating] == ["open", "person", "open"]
    assert asked(table) is None
    assert not table.room.playing
    table.do("host", "sit", name="Ana")
    assert asked(table) is None
    table.do("cy", "sit", name="Cy")
    assert asked(table) is not None
    assert asked(table)[1] == [], "everybody is asked anew"  # type: ignore[index]
    for person in ("guest1", "host", "cy"):
        table.do(person, "ready")
    assert table.room.playing


def test_an_old_time_is_up_for_nobody() -> None:
    table = public("me", "open")
    assert table.room.ready is not None
    old = table.room.ready.version
    table.do("guest1", "leave", seat=1)
    with pytest.raises(Refusal, match="changed"):
        table.handle(ReadyTimeUp(old))
    table.do("cy", "sit", name="Cy")
    with pytest.raises(Refusal, match="changed"):
        table.handle(ReadyTimeUp(old))
    assert table.room.seating.full


def test_who_may_say_it_and_when() -> None:
    table = public("me", "open")
    for person, reason in (("eve", "forbidden"), ("host", None), ("host", "late"), ("guest1", None), ("host", "late")):
        if reason is None:
            table.do(person, "ready")
            continue
        with pytest.raises(Refusal) as caught:
            table.do(person, "ready")
        assert caught.value.reason == reason
    assert table.room.playing


def test_a_host_who_presses_start_is_ready() -> None:
    table = public("me", "open", wait=True)
    assert asked(table) is None
    table.do("host", "start")
    assert asked(table) is not None
    assert asked(table)[1] == [0]  # type: ignore[index]
    table.do("guest1", "ready")
    assert table.room.playing


def test_a_private_table_and_one_against_computers_ask_nobody() -> None:
    assert Table(seats=["me", "engine"], public=True).room.playing
    table = Table(seats=["me", "open"])
    table.do("bo", "sit", name="Bo")
    assert table.room.playing


def test_a_table_that_becomes_private_begins() -> None:
    table = public("me", "open")
    table.do("host", "manage", public=False)
    assert table.room.playing


def test_the_next_game_is_agreed_on_and_asks_nobody_again() -> None:
    table = public("me", "open", options={"edition": "pocket"})
    table.do("host", "ready")
    table.do("guest1", "ready")
    table.do("host", "resign", seat=0)
    table.do("host", "start")
    table.do("guest1", "start")
    assert table.room.playing


def test_at_a_public_table_everybody_has_one_seat() -> None:
    table = Table(seats=["me", "open", "open"], public=True)
    for person in ("host", "bo"):
        if person == "bo":
            table.do("bo", "sit", name="Bo")
        with pytest.raises(Refusal, match="one") as caught:
            table.do(person, "sit", name="Twice")
        assert caught.value.reason == "taken"
