"""Rooms that begin from a position: played on, never counted, and as provable as any other."""

from typing import Any

import pytest

from rooms.tables import Table, assert_same
from rooms.test_room import play_out, refusal
from sobremesa.core.errors import InvalidRecord, SobremesaError
from sobremesa.games import find_game
from sobremesa.rooms import messages as m
from sobremesa.rooms.projections import results
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.table import Sitting, loads, verify
from sobremesa.table.fair import FairChance

MOMENT = m.Moment(room="AbCd", number=1, step=6)


def some_moves_on(game: str, moves: int = 6) -> str:
    """A position in the middle of a game."""
    sitting = Sitting.start(find_game(game), {"seats": 2}, FairChance.from_seed("some moves on"))
    while moves:
        if sitting.state.chance is not None:
            sitting = sitting.roll()
            continue
        seat = next(iter(sitting.state.deciding))
        sitting = sitting.play(sitting.state.legal_moves(seat)[0], seat)
        moves -= 1
    return sitting.state.position()


def played_on(game: str, **setup: Any) -> Table:
    table = Table(game=game, origin=m.Origin(position=some_moves_on(game), moment=MOMENT), **setup)
    table.do("bo", "sit", name="Bo")
    return table


@pytest.mark.parametrize("game", ["callisto", "isis-osiris", "knister"])
def test_a_game_begins_from_a_position_and_its_record_says_so(game: str) -> None:
    table = played_on(game)
    assert table.room.sitting is not None
    begun = table.room.sitting
    assert begun.position == some_moves_on(game)
    before = table.room
    play_out(table, {0: "host", 1: "bo"})
    assert_same(table.replayed(), table.room)
    record = table.room.record()
    assert record is not None
    assert record.position == begun.position
    read = loads(record.dumps())
    assert read == record
    verdict = verify(read)
    assert verdict.final == table.room.sitting.state
    assert verdict.fair is (None if game == "callisto" else True)
    assert Sitting.resume(read).state == verdict.final
    assert results(before, table.room) == [], "it counts for nobody"


def test_the_next_game_begins_from_there_again() -> None:
    table = played_on("callisto")
    first = table.room.sitting
    play_out(table, {0: "host", 1: "bo"})
    table.do("bo", "start")
    table.do("host", "start")
    assert table.room.number == 2
    assert first is not None
    assert table.room.sitting is not None
    assert table.room.sitting.state == first.state


def test_who_comes_in_is_told_where_it_began_but_not_what_may_be_hidden() -> None:
    table = played_on("isis-osiris")
    told = UpdateBuilder(table.room, (), 1.0).build(((1,), False))
    assert told.room.origin == m.OriginInfo(moment=MOMENT)
    assert some_moves_on("isis-osiris") not in told.model_dump_json()


def test_positions_from_which_no_room_begins() -> None:
    position = some_moves_on("callisto")
    for setup in (
        {"seats": ["me", "open", "open"]},
        {"games": 2},
        {"options": {"edition": "pocket", "seats": 2}},
        {"origin": m.Origin(position="callisto what")},
        {"game": "knister"},
        {"game": "knister", "crowd": True, "seats": []},
    ):
        with pytest.raises(SobremesaError):
            Table(**{"origin": m.Origin(position=position)} | setup)
    table = played_on("callisto")
    assert refusal(table, "eve", "move", seat=0, version=table.room.version, move="h8") == "forbidden"


def test_a_record_whose_options_are_not_those_of_its_position_is_refused() -> None:
    table = played_on("callisto")
    assert table.room.sitting is not None
    text = table.room.sitting.record().dumps().replace('"starter": 0', '"starter": 1')
    with pytest.raises(InvalidRecord, match="options are not those"):
        loads(text).final()
