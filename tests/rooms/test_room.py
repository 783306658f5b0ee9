"""A room by itself: what may happen in it, and that its log replays to the same room."""

import json
from typing import Any

import pytest

from kinds import OWN_GAMES
from rooms.tables import Table, assert_same
from sobremesa.core.errors import IllegalMove, InvalidSetup
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import LeaveAll, Rename, TimeUp
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.table import verify


def refusal(table: Table, person: str, type: str, **fields: Any) -> str:
    before = table.room
    with pytest.raises(Refusal) as caught:
        table.do(person, type, **fields)
    assert table.room is before
    assert_same(before, table.replayed())  # a refusal changes nothing
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
    assert table.room.sitting.chance.words == ((1, "suerte"),)


def test_seats_are_taken_and_left() -> None:
    table = Table(seats=["me", "open", "open"])
    assert refusal(table, "bo", "sit", name="Bo", seat=0) == "taken"
    assert refusal(table, "bo", "sit", name="Bo", seat=7) == "malformed"
    table.do("bo", "sit", name="Bo", seat=2)
    assert table.room.seats_of("bo") == (2,)
    assert refusal(table, "eve", "leave", seat=2) == "forbidden"
    table.do("bo", "leave", seat=2)
    assert table.room.seats_of("bo") == ()
    table.do("bo", "sit", name="Bo")
    assert table.room.seats_of("bo") == (1,)


def test_one_person_may_hold_several_seats_at_one_screen() -> None:
    table = Table(seats=["me", "me"])
    table.move("host", 0, "c8")
    table.move("host", 1, "n8")
    assert table.room.seats_of("host") == (0, 1)


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


def test_the_first_entry_of_a_command_carries_its_id() -> None:
    """By which a command that is sent again is known: the actor and the database keep it, with its sender."""
    table = Table(seats=["me", "open"], game="knister")
    command = m.Sit(type="sit", id="once", name="Bo", words="suerte")
    transition = table.handle(command, "bo")
    assert [type(entry.event) for entry in transition.entries] == [e.Seated, e.EntropyAdded, e.Begun, e.Rolled]
    assert [entry.command for entry in transition.entries] == ["once", None, None, None]
    assert [entry.person for entry in transition.entries] == ["bo", "bo", None, None]
    assert transition.version == transition.entries[0].version
    with pytest.raises(Refusal):
        table.handle(command, "bo")
    assert [entry.command for entry in table.log].count("once") == 1


def play_out(table: Table, people: dict[int, str]) -> None:
    while table.room.playing:
        assert table.room.sitting is not None
        state = table.room.sitting.state
        seat = next(iter(state.deciding))
        move = str(state.legal_moves(seat)[-1])
        if seat in people:
            table.move(people[seat], seat, move)
        else:
            table.engine_moves(seat, move)


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
        assert record.fair.words == ((0, "mine"),)
    again = table.replayed()
    assert again.record() == record
    assert_same(again, table.room)


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


@pytest.mark.parametrize(
    ("game", "games", "uneven"),
    [
        ("callisto", 1, False),
        ("callisto", 3, False),
        ("callisto", 4, True),
        ("callisto", 6, False),
        ("knister", 4, False),
    ],
)
def test_c11_a_room_tells_whether_some_start_more_often(game: str, games: int, uneven: bool) -> None:
    table = Table(game=game, seats=["me", "open", "open"], games=games)
    assert told(table, "host").room.uneven is uneven
    assert_same(table.room, table.replayed())


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
    assert table.room.seating[1].kind == "gone"
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
    assert [move for _, move in table.moves()] == ["a5", "c3", "b5"]


def test_the_clock_places_numbers_by_the_stated_rule() -> None:
    table = Table(game="knister", seats=["me", "open"], clock=30)
    table.do("bo", "sit", name="Bo")
    assert table.room.deadline == table.room.since_at + 30
    table.move("host", 0, "c3")
    assert table.room.deadline == table.room.since_at + 30
    table.handle(TimeUp(table.room.since))
    assert table.moves() == [(0, "c3"), (1, "a5")]


def test_a_crowd_joins_until_the_host_starts() -> None:
    table = Table(game="knister", seats=[], crowd=True)
    for number in range(30):
        table.do(f"p{number}", "sit", name=f"P{number}")
    assert refusal(table, "p3", "sit", name="again") == "taken"
    table.do("p5", "leave", seat=5)
    assert refusal(table, "p1", "start") == "forbidden"
    table.do("host", "start")
    assert len(table.room.seating) == 29, "the seat that was left is cleared away"
    assert refusal(table, "late", "sit", name="Late") == "full"
    update = told(table, "p7", here={"p7"})
    assert len(update.room.seats) <= 17
    assert [seat for seat, info in update.room.seats.items() if info.yours] == [6]
    assert update.room.seats[6].here
    table.do("p7", "phrase", phrase="hello")
    news = told(table, "p7", table.room.version - 1)
    assert news.steps == []
    assert news.room.seats.keys() == update.room.seats.keys(), "who is listed does not depend on what happened last"


def test_tables_that_cannot_be_set() -> None:
    with pytest.raises(InvalidSetup, match="seats cannot be 1"):
        Table(seats=["me"])
    with pytest.raises(Refusal, match="not for crowds"):
        Table(seats=[], crowd=True)
    with pytest.raises(InvalidSetup, match="C11"):
        Table(seats=["me", "open", "open"], games=2)
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


def told(table: Table, person: str, seen: int | None = None, here: set[str] | None = None) -> m.Update:
    """What somebody is told who knows a version, or comes in."""
    builder = UpdateBuilder(table.room, here or set(), 0.0)
    steps = [step for step in table.steps if seen is not None and step.version > seen]
    text = builder.snapshot(person) if seen is None else builder.news(person, seen, steps)
    return m.Update.model_validate_json(text)


def last_moves(table: Table, person: str) -> list[tuple[int, str]]:
    """Each seat's last move, as somebody is told."""
    return [(each.seat, each.move) for each in told(table, person).room.last_moves]


class TestUpdates:
    """What a client is told."""

    def test_what_is_new_or_a_snapshot(self) -> None:
        table = Table(seats=["me", "engine"])
        version = table.room.version
        table.move("host", 0, "c8")
        update = told(table, "host", version)
        assert not update.reset
        assert [(step.version, step.seat, step.move) for step in update.steps] == [(version + 1, 0, "c8")]
        assert told(table, "host", table.room.version).steps == []
        assert told(table, "host").reset
        for _ in range(250):
            table.do("host", "phrase", phrase="hello")
        update = told(table, "host", version)
        assert not update.reset
        assert [step.move for step in update.steps] == ["c8"]
        assert len(update.talk) == 100
        update = told(table, "host")
        assert [step.move for step in update.steps] == ["c8"], "the last step, however long ago"
        assert [line.version for line in update.talk] == list(range(version + 152, version + 252))

    def test_the_start_a_move_and_a_roll_are_steps(self) -> None:
        table = Table(game="knister", seats=["me"])
        start = told(table, "host", 0)
        assert [(step.seat, step.move, step.rolled is None) for step in start.steps] == [
            (None, None, True),
            (None, None, False),
        ]
        table.move("host", 0, "c3", table.room.version)
        update = told(table, "host", start.version)
        assert [(step.seat, step.move, step.rolled is None) for step in update.steps] == [
            (0, "c3", True),
            (None, None, False),
        ]
        first, second = (step.views[0] for step in update.steps)
        assert first["sheet"][12] == second["sheet"][12] == start.steps[-1].views[0]["roll"]
        assert (first["roll"], str(second["roll"])) == (None, update.steps[1].rolled)

    @pytest.mark.parametrize("seats", [2, 30])
    def test_ones_own_last_number_stays_known_and_nobody_elses(self, seats: int) -> None:
        """Also once the round has ended, and while the next one runs."""
        together = next(id for id, game in OWN_GAMES.items() if game.crowd)
        table = Table(game=together, seats=["open"], crowd=True)
        people = [f"person {seat}" for seat in range(seats)]
        for person in people:
            table.do(person, "sit", name=person)
        table.do("host", "start")
        assert last_moves(table, people[0]) == []
        cells = told(table, people[0]).legal[0]
        for seat, person in enumerate(people):
            table.move(person, seat, cells[seat % 25])
        for seat, person in enumerate(people):
            assert last_moves(table, person) == [(seat, cells[seat % 25])]
        assert last_moves(table, "eve") == []
        table.move(people[0], 0, cells[-1])
        assert last_moves(table, people[0]) == [(0, cells[-1])]
        assert last_moves(table, people[1]) == [(1, cells[1])]

    def test_coming_back_is_no_memory_aid(self) -> None:
        """I3: the value of a tile that lies face down is in no update, whatever version one knows."""
        table = Table(game="isis-osiris", seats=["me", "me"])
        table.move("host", 0, "T")
        turned = told(table, "host")
        value = turned.steps[0].views[0]["turned"]
        assert value is not None
        assert turned.steps[0].rolled == str(value)
        table.move("host", 0, "Tc3")
        for person in ("host", "eve"):
            update = told(table, person)
            assert [step.move for step in update.steps] == ["Tc3"]
            assert update.steps[0].views[0]["turned"] is None
            assert "?" in update.steps[0].views[0]["cells"]
            text = json.dumps([step.model_dump() for step in update.steps])
            assert f'"{value:+}"' not in text
            assert f'"rolled": "{value}"' not in text
        table.move("host", 1, "Sa1")
        assert last_moves(table, "host") == last_moves(table, "eve") == [(0, "Tc3"), (1, "Sa1")], "it may be marked"
        table.do("host", "offer", what="takeback")
        assert last_moves(table, "host") == [(0, "Tc3")]

    def test_others_do_not_learn_where_one_wrote(self) -> None:
        """K1: two rooms that differ only in where another seat wrote the running roll give the same update."""
        seen = []
        for cell in ("a1", "e5"):
            table = Table(game="knister", seats=["me", "open"], secrets=7)
            table.do("bo", "sit", name="Bo")
            version = table.room.version
            table.move("bo", 1, cell)
            assert [step.move for step in told(table, "bo", version).steps] == [cell], "one's own is told"
            seen.append(
                [told(table, person, v).model_dump_json() for person in ("host", "eve") for v in (version, None)]
            )
        assert seen[0] == seen[1]
        assert '"seat":1,"move":null' in seen[0][0]

    def test_spectators_get_a_spectators_view(self) -> None:
        table = Table(game="knister", seats=["me", "engine"])
        update = told(table, "eve")
        assert update.steps[0].views[0]["seat"] is None
        assert update.steps[0].views[0]["sheet"] is None
        assert update.legal == {}

    def test_no_person_is_named_by_id(self) -> None:
        table = Table(person="person-id-of-the-host", seats=["me", "open"])
        table.do("person-id-of-bo", "sit", name="Bo")
        for person in ("person-id-of-bo", "person-id-of-the-host", "eve"):
            for seen in (None, 0):
                text = told(table, person, seen, {"person-id-of-the-host"}).model_dump_json()
                assert "person-id" not in text

    def test_texts_are_shared_by_those_only_who_may_know_the_same(self) -> None:
        """Whatever was built before, and for whom: everybody gets what would be built for them alone."""
        table = Table(game="knister", seats=["me", "open", "open"], options={})
        table.do("bo", "sit", name="Bo")
        table.do("cy", "sit", name="Cy")
        start = table.room.version
        table.move("bo", 1, "a1")
        table.move("cy", 2, "e5")
        people = ("bo", "host", "eve", "cy", "zoe")
        builder = UpdateBuilder(table.room, (), 0.0)
        for seen in (None, 0, start, start + 1):
            steps = [step for step in table.steps if seen is not None and step.version > seen]
            shared = [
                builder.snapshot(person) if seen is None else builder.news(person, seen, steps) for person in people
            ]
            alone = [told(table, person, seen).model_dump_json() for person in people]
            assert [m.Update.model_validate_json(text).model_dump_json() for text in shared] == alone
            assert shared[2] is shared[4], "spectators share"
            assert len(set(shared)) == 4

    def test_the_host_is_told_so_and_nobody_else(self) -> None:
        table = Table(game="knister", seats=["open"])
        assert [told(table, person).room.host for person in ("host", "eve")] == [True, False]
        builder = UpdateBuilder(table.room, (), 0.0)
        assert builder.snapshot("eve") != builder.snapshot("host")

    def test_a_result_and_the_secret_when_it_is_over(self) -> None:
        table = Table(game="knister", seats=["me"], words="mine")
        secret = table.room.secret
        assert secret is not None
        update = told(table, "host")
        assert (update.room.over, update.room.result) == (False, None)
        assert [(p.game, p.words, p.secret) for p in update.room.promises] == [(1, {0: "mine"}, None)]
        play_out(table, {0: "host"})
        update = told(table, "eve")
        assert update.room.over
        assert update.room.result is not None
        assert update.room.result.places == {0: 1}
        assert [(p.game, p.words, p.secret) for p in update.room.promises] == [
            (1, {0: "mine"}, secret.hex()),
            (2, {}, None),
        ]
        table.do("host", "entropy", seat=0, words="again")
        table.do("host", "start")
        update = told(table, "eve")
        assert (update.room.over, update.room.result) == (False, None)
        assert [(p.game, p.words, p.secret) for p in update.room.promises] == [(2, {0: "again"}, None)]


def test_who_is_forgotten_leaves_all_seats() -> None:
    table = Table(seats=["me", "open", "me"])
    table.do("bo", "sit", name="Bo")
    table.handle(LeaveAll(), "host")
    assert table.room.seats_of("host") == ()
    assert [chair.kind for chair in table.room.seating] == ["gone", "person", "gone"]
    with pytest.raises(Refusal):
        table.handle(LeaveAll(), "host")


class TestNamesThatChange:
    """Who is called otherwise is so at the table, too, by the rules of names there."""

    def test_the_seat_the_invitation_and_the_record_have_the_new_name(self) -> None:
        table = Table(seats=["me", "open"])
        table.do("bo", "sit", name="Bo")
        table.handle(Rename("Anna", "Ana"), "host")
        room = told(table, "bo").room
        assert (room.seats[0].name, room.host_name) == ("Anna", "Anna")
        table.do("bo", "resign", seat=1, player="greedy")
        record = table.room.record()
        assert record is not None
        assert record.names == ("Anna", "Bo")
        assert table.replayed().seating.chairs == table.room.seating.chairs

    def test_nobody_comes_to_look_like_somebody_else(self) -> None:
        table = Table(seats=["me", "open"])
        table.do("bo", "sit", name="Bo")
        for name in ("ANA", "B\u043e"):
            with pytest.raises(Refusal):
                table.handle(Rename(name, "Bo"), "bo")
        assert [chair.name for chair in table.room.seating] == ["Ana", "Bo"]

    def test_of_several_seats_at_one_screen_only_ones_own(self) -> None:
        table = Table(seats=[{"kind": "me"}, {"kind": "me", "name": "Tom"}])
        table.handle(Rename("Anna", "Ana"), "host")
        assert [chair.name for chair in table.room.seating] == ["Anna", "Tom"]
