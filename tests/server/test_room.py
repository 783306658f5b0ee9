"""A room by itself: what may happen in it, and that its log replays to the same room."""

import itertools
from typing import Any

import pytest

from sobremesa.core.errors import IllegalMove, InvalidSetup
from sobremesa.server import messages as m
from sobremesa.server.room import Draft, Event, Refusal, Room
from sobremesa.server.updates import build_update
from sobremesa.table import verify


class Table:
    """A room with its log, driven as the hub drives it."""

    def __init__(self, person: str = "host", **setup: Any) -> None:
        setup["seats"] = [m.SeatPlan(kind=kind) for kind in setup.get("seats", ["me", "open"])]
        self.room = Room("room")
        self.log: list[tuple[Event, bytes | None]] = []
        self._ids = itertools.count()
        self.take(Room.create(m.NewRoom(**{"game": "callisto", "name": "Ana"} | setup), person))

    def take(self, drafts: list[Draft]) -> None:
        for draft in drafts:
            event = Event(self.room.version + 1, draft.kind, draft.data, 1000.0 + self.room.version, draft.person)
            self.room.apply(event, draft.secret)
            self.log.append((event, draft.secret))
        follow = self.room.follow_up()
        more = [follow] if follow is not None else self.room.moves_of_the_gone()
        if more:
            self.take(more)

    def do(self, person: str, type: str, **fields: Any) -> None:
        kinds = {"sit": m.Sit, "leave": m.Leave, "engine": m.PutEngine, "words": m.Words, "start": m.Start}
        kinds |= {"move": m.Move, "say": m.Say, "phrase": m.Phrase, "manage": m.Manage}
        command = kinds[type](type=type, id=f"c{next(self._ids)}", **fields)
        self.take(self.room.decide(command, person))

    def move(self, person: str, seat: int, move: str, version: int | None = None) -> None:
        self.do(person, "move", seat=seat, move=move, version=self.room.version if version is None else version)

    def kinds(self) -> list[str]:
        return [event.kind for event, _ in self.log]

    def replayed(self) -> Room:
        room = Room("room")
        for event, secret in self.log:
            room.apply(event, secret)
        return room


def refusal(table: Table, person: str, type: str, **fields: Any) -> str:
    before = table.room.version
    with pytest.raises(Refusal) as caught:
        table.do(person, type, **fields)
    assert table.room.version == before, "a refusal changes nothing"
    return caught.value.reason


def test_a_full_table_begins_by_itself() -> None:
    table = Table(seats=["me", "engine"])
    assert table.kinds() == ["created", "seated", "engine", "promised", "begun"]
    assert table.room.playing


def test_the_promise_is_seen_before_the_game_begins() -> None:
    table = Table(game="knister", seats=["me", "open"])
    assert table.room.commitment is not None
    assert not table.room.playing
    table.do("bo", "sit", name="Bo", words="suerte")
    assert table.kinds()[-3:] == ["words", "begun", "rolled"]
    assert table.room.sitting is not None
    assert table.room.sitting.chance.words == ("", "suerte")


def test_seats_are_taken_and_left() -> None:
    table = Table(seats=["me", "open", "open"])
    assert refusal(table, "bo", "sit", name="Bo", seat=0) == "taken"
    assert refusal(table, "bo", "sit", name="Bo", seat=7) == "malformed"
    table.do("bo", "sit", name="Bo", seat=2)
    assert table.room.seats_of("bo") == [2]
    assert refusal(table, "eve", "leave", seat=2) == "forbidden"
    table.do("bo", "leave", seat=2)
    assert table.room.seats_of("bo") == []
    table.do("bo", "sit", name="Bo")
    assert table.room.seats_of("bo") == [1]


def test_one_person_may_hold_several_seats_at_one_screen() -> None:
    table = Table(seats=["me", "me"])
    table.move("host", 0, "c8")
    table.move("host", 1, "n8")
    assert table.room.seats_of("host") == [0, 1]


def test_moves_need_the_seat_the_turn_and_the_version() -> None:
    table = Table()
    assert refusal(table, "host", "move", seat=0, move="c8", version=table.room.version) == "early"
    table.do("bo", "sit", name="Bo")
    version = table.room.version
    assert refusal(table, "eve", "move", seat=0, move="c8", version=version) == "forbidden"
    assert refusal(table, "host", "move", seat=1, move="c8", version=version) == "forbidden"
    with pytest.raises(IllegalMove, match="C1"):
        table.move("bo", 1, "c8")
    with pytest.raises(IllegalMove, match="C4"):
        table.move("host", 0, "h8")
    assert table.room.version == version
    table.move("host", 0, "c8")
    assert refusal(table, "bo", "move", seat=1, move="n8", version=version) == "stale"
    assert refusal(table, "bo", "move", seat=1, move="n8", version=version + 99) == "stale"
    table.move("bo", 1, "n8")


def test_talk_makes_no_move_stale() -> None:
    table = Table(seats=["me", "engine"])
    version = table.room.version
    table.do("host", "phrase", phrase="good luck")
    table.do("host", "say", text="¡Hola!")
    table.move("host", 0, "c8", version)


def test_in_a_round_of_knister_others_make_no_move_stale() -> None:
    table = Table(game="knister", seats=["me", "open", "open"])
    table.do("bo", "sit", name="Bo")
    table.do("cy", "sit", name="Cy")
    version = table.room.version
    for person, seat in (("cy", 2), ("host", 0), ("bo", 1)):
        table.move(person, seat, "c3", version)
    assert refusal(table, "bo", "move", seat=1, move="c4", version=version) == "stale"


def test_a_repeated_command_was_answered_already() -> None:
    table = Table(seats=["me", "engine"])
    command = m.Move(type="move", id="once", seat=0, move="c8", version=table.room.version)
    drafts = table.room.decide(command, "host")
    table.take([Draft(drafts[0].kind, drafts[0].data | {"id": "once"}, "host")])
    assert table.room.answered(command, "host") == table.room.version
    assert table.room.answered(command, "eve") is None, "an id is its sender's own"
    assert table.replayed().answered(command, "host") == table.room.version


def play_out(table: Table, people: dict[int, str]) -> None:
    while table.room.playing:
        assert table.room.sitting is not None
        state = table.room.sitting.state
        seat = next(iter(state.deciding))
        move = str(state.legal_moves(seat)[-1])
        if seat in people:
            table.move(people[seat], seat, move)
        else:
            table.take([table.room.move_draft(seat, move)])


@pytest.mark.parametrize(
    ("game", "options"),
    [("callisto", {"edition": "pocket"}), ("isis-osiris", {}), ("isis-osiris", {"variant": "common"}), ("knister", {})],
)
def test_a_game_to_its_record_and_the_same_room_from_its_log(game: str, options: dict[str, Any]) -> None:
    table = Table(game=game, options=options, seats=["me", "engine"], words="mine")
    play_out(table, {0: "host"})
    assert table.kinds()[-2:] == ["ended", "promised"]
    record = table.room.record()
    assert record is not None
    verdict = verify(record)
    assert verdict.final.over
    if table.room.game.has_chance:
        assert verdict.fair
        assert record.fair is not None
        assert record.fair.words == ("mine", "")
    again = table.replayed()
    assert again.record() == record
    assert again.version == table.room.version
    assert vars(again).keys() == vars(table.room).keys()
    assert again.chairs == table.room.chairs
    assert again.commitment == table.room.commitment
    assert again.secret == table.room.secret


def test_a_rematch_lets_the_next_seat_start_and_a_series_adds_up() -> None:
    table = Table(options={"edition": "pocket"}, seats=["me", "engine"], games=2)
    assert table.room.next_starter == 1, "the first game is on: the second will start with seat 1"
    play_out(table, {0: "host"})
    first = table.room.results[0]
    table.do("host", "start")
    assert table.room.sitting is not None
    assert list(table.room.sitting.state.deciding) == [1]
    play_out(table, {0: "host"})
    series = table.room.series
    assert series is not None
    assert series.over
    assert series.standing.scores == tuple(
        a + b for a, b in zip(first.scores, table.room.results[1].scores, strict=True)
    )
    table.do("host", "start")
    assert table.room.number == 3


def test_only_people_at_the_table_start_and_talk() -> None:
    table = Table(wait=True, seats=["me", "engine"])
    assert not table.room.playing
    assert refusal(table, "eve", "start") == "forbidden"
    assert refusal(table, "eve", "say", text="hi") == "forbidden"
    table.do("host", "start")
    assert refusal(table, "host", "start") == "late"


def test_an_open_seat_keeps_the_game_waiting() -> None:
    table = Table()
    assert refusal(table, "host", "start") == "early"
    assert refusal(table, "eve", "engine", seat=1, player="greedy") == "forbidden"
    assert refusal(table, "host", "engine", seat=1, player="nobody") == "malformed"
    assert refusal(table, "host", "engine", seat=0, player="greedy") == "taken"
    table.do("host", "engine", seat=1, player="greedy")
    assert table.room.playing


def test_who_leaves_in_the_middle_can_be_replaced() -> None:
    table = Table()
    table.do("bo", "sit", name="Bo")
    table.move("host", 0, "c8")
    table.do("bo", "leave", seat=1)
    assert table.room.chairs[1].kind == "gone"
    assert table.room.engines_to_move() == []
    table.do("host", "engine", seat=1, player="random")
    assert table.room.engines_to_move() == [(1, "random")]


def test_in_knister_nobody_waits_for_who_has_left() -> None:
    table = Table(game="knister", seats=["me", "open"])
    table.do("bo", "sit", name="Bo")
    table.do("bo", "leave", seat=1)
    assert table.room.sitting is not None
    assert list(table.room.sitting.state.deciding) == [0]
    table.move("host", 0, "c3")
    assert [event.data["move"] for event, _ in table.log if event.kind == "moved"] == ["a5", "c3", "b5"]


def test_the_clock_places_numbers_by_the_stated_rule() -> None:
    table = Table(game="knister", seats=["me", "open"], clock=30)
    table.do("bo", "sit", name="Bo")
    assert table.room.deadline == table.room.since_at + 30
    table.move("host", 0, "c3")
    assert table.room.deadline == table.room.since_at + 30
    table.take(table.room.time_out())
    moves = [event.data for event, _ in table.log if event.kind == "moved"]
    assert [(move["seat"], move["move"]) for move in moves] == [(0, "c3"), (1, "a5")]


def test_a_crowd_joins_until_the_host_starts() -> None:
    table = Table(game="knister", seats=[], crowd=True)
    for number in range(30):
        table.do(f"p{number}", "sit", name=f"P{number}")
    assert refusal(table, "p3", "sit", name="again") == "taken"
    table.do("p5", "leave", seat=5)
    assert refusal(table, "p1", "start") == "forbidden"
    table.do("host", "start")
    assert len(table.room.chairs) == 29, "the seat that was left is cleared away"
    assert refusal(table, "late", "sit", name="Late") == "full"
    update = build_update(table.room, "p7", 0, {"p7"})
    assert len(update.table.seats) <= 17
    assert [seat for seat, info in update.table.seats.items() if info.yours] == [6]


def test_tables_that_cannot_be_set() -> None:
    with pytest.raises(InvalidSetup, match="seats cannot be 1"):
        Table(seats=["me"])
    with pytest.raises(Refusal, match="not for crowds"):
        Table(seats=[], crowd=True)
    with pytest.raises(InvalidSetup, match="C11"):
        Table(seats=["me", "open"], games=3)
    with pytest.raises(InvalidSetup, match="edition cannot be"):
        Table(options={"edition": "gold"})
    with pytest.raises(Refusal):
        Table(options={"seats": 3})


def test_the_host_switches_free_text_off() -> None:
    table = Table(seats=["me", "engine"])
    assert refusal(table, "bo", "manage", chat=False) == "forbidden"
    table.do("host", "manage", chat=False, public=True)
    assert table.room.public
    assert refusal(table, "host", "say", text="hello") == "forbidden"
    table.do("host", "phrase", phrase="hello")
    assert refusal(table, "host", "phrase", phrase="rude") == "malformed"


class TestUpdates:
    """What a client is told."""

    def test_missing_events_or_a_snapshot(self) -> None:
        table = Table(seats=["me", "engine"])
        version = table.room.version
        table.move("host", 0, "c8")
        update = build_update(table.room, "host", version, set())
        assert not update.reset
        assert [(event.kind, event.text) for event in update.events] == [("moved", "c8")]
        assert build_update(table.room, "host", table.room.version, set()).events == []
        assert build_update(table.room, "host", None, set()).reset
        for _ in range(250):
            table.do("host", "phrase", phrase="hello")
        assert build_update(table.room, "host", version, set()).reset
        assert build_update(table.room, "host", table.room.version + 5, set()).reset, "a version from the future"

    def test_coming_back_is_no_memory_aid(self) -> None:
        """I3: the value of a tile that lies face down is in no update, whatever version one asks from."""
        table = Table(game="isis-osiris", seats=["me", "me"])
        table.move("host", 0, "T")
        turned = build_update(table.room, "host", None, set())
        value = turned.views[0]["turned"]
        assert value is not None
        table.move("host", 0, "Tc3")
        for version in (None, *range(table.room.version + 1)):
            update = build_update(table.room, "host", version, set())
            assert update.views[0]["turned"] is None
            assert "?" in update.views[0]["cells"]
            assert f'"{value:+}"' not in update.model_dump_json()
            assert all(event.kind != "rolled" or event.text is None for event in update.events)

    def test_others_do_not_learn_where_one_wrote(self) -> None:
        """K1: two rooms that differ only in where another seat wrote the running roll give the same update."""
        told = []
        table = Table(game="knister", seats=["me", "open"])
        table.do("bo", "sit", name="Bo")
        for cell in ("a1", "e5"):
            copy = table.replayed()
            version = copy.version
            drafts = copy.decide(m.Move(type="move", id="x", seat=1, move=cell, version=version), "bo")
            copy.apply(Event(version + 1, drafts[0].kind, drafts[0].data, 5000.0, "bo"))
            update = build_update(copy, "host", version, set())
            told.append(
                update.model_copy(update={"table": update.table.model_copy(update={"now": 0})}).model_dump_json()
            )
        assert told[0] == told[1]
        assert '"kind":"moved"' in told[0]

    def test_spectators_get_a_spectators_view(self) -> None:
        table = Table(game="knister", seats=["me", "engine"])
        update = build_update(table.room, "eve", None, set())
        assert update.views[0]["seat"] is None
        assert update.views[0]["sheet"] is None
        assert update.legal == {}

    def test_no_person_is_named_by_id(self) -> None:
        table = Table(person="person-id-of-the-host", seats=["me", "open"])
        table.do("person-id-of-bo", "sit", name="Bo")
        told = build_update(table.room, "person-id-of-bo", 0, {"person-id-of-the-host"}).model_dump_json()
        assert "person-id" not in told
