"""Seals and openings: how the chance of a game comes about, and that nobody can choose it or stop it for free."""

from dataclasses import replace
from typing import Any

import pytest

from rooms.tables import Table, assert_same
from sobremesa.core.errors import InvalidRecord
from sobremesa.games import find_game
from sobremesa.rooms import binding
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import DrawTimeUp, LeaveAll
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.table.commitments import BoundChance, BoundProof, Context, Opening
from sobremesa.table.fair import Digest, FairChance
from sobremesa.table.record import loads
from sobremesa.table.verify import verify


class Sealing(Table):
    """A room in which pages seal and open."""

    def __init__(self, **setup: Any) -> None:
        usual: dict[str, Any] = {"game": "knister", "seats": ["me", "open"], "seals": True, "secrets": 1}
        super().__init__(**usual | setup)

    def opening(self, seat: int) -> Opening:
        """What this seat seals."""
        return Opening(f"{seat:032x}", f"words of {seat}" if seat % 2 else "")

    def seal(self, *seats: int) -> None:
        """Each seat's page seals."""
        for seat in seats:
            context, promise = self.room.draw.context, self.room.commitment
            assert context is not None
            assert promise is not None
            self.do(
                self.room.seating[seat].person or "",
                "seal",
                seat=seat,
                promise=promise,
                seal=context.seal(promise, seat, self.opening(seat)),
            )

    def open(self, *seats: int, **changes: Any) -> None:
        """Each seat's page opens."""
        for seat in seats:
            call = self.room.draw.call
            assert call is not None
            opening = self.opening(call.by_seat[seat].place)
            told: dict[str, Any] = {"call": call.digest, "nonce": opening.nonce, "words": opening.words}
            self.do(self.room.seating[seat].person or "", "open", seat=seat, **told | changes)

    def time_is_up(self) -> None:
        """The next game has waited long enough."""
        assert self.room.draw.wait is not None
        self.handle(DrawTimeUp(self.room.draw.wait.since))

    def play_out(self) -> BoundProof:
        """Plays to the end, and verifies; returns the proof."""
        while self.room.playing:
            assert self.room.sitting is not None
            state = self.room.sitting.state
            seat = next(iter(state.deciding))
            chair = self.room.seating[seat]
            if chair.kind == "engine":
                self.engine_moves(seat, str(state.legal_moves(seat)[0]))
            else:
                self.move(chair.person or "", seat, str(state.legal_moves(seat)[0]))
        record = self.room.record()
        assert record is not None
        again = loads(record.dumps())
        assert again == record
        assert verify(again).fair
        assert_same(self.replayed(), self.room)
        assert isinstance(again.fair, BoundProof)
        return again.fair


def told(table: Table, person: str = "host") -> m.RoomState:
    """What somebody is told of the room."""
    builder = UpdateBuilder(table.room, (), 2000.0)
    return builder.build(builder.viewer(person)).room


def test_promise_seals_call_openings_start() -> None:
    table = Sealing()
    assert table.kinds() == ["created", "seated", "promised"]
    table.seal(0)
    table.do("bo", "sit", name="Bo", seals=True)
    assert table.kinds()[-2:] == ["seated", "gathering"], "Bo's page has to seal first"
    assert told(table).drawing == m.Drawing(stage="sealing", waiting=[1], left=1, deadline=1014.0)
    table.seal(1)
    assert table.kinds()[-2:] == ["sealed", "called"]
    [promise] = told(table).promises
    assert set(promise.seals) == {0, 1}
    assert promise.call is not None
    assert promise.openings == {}
    drawing = told(table).drawing
    assert drawing is not None
    assert (drawing.stage, drawing.waiting) == ("opening", [0, 1])
    table.open(1)
    assert told(table).promises[0].openings == {}, "nobody is told before all have opened"
    table.open(0)
    assert table.kinds()[-3:] == ["opened", "begun", "rolled"]
    assert told(table).drawing is None
    [running] = told(table).promises
    assert running.openings[1] == m.Opening(nonce=table.opening(1).nonce, words="words of 1")
    assert (running.commitment, running.call, running.seals) == (promise.commitment, promise.call, promise.seals)
    proof = table.play_out()
    assert proof.opened == (0, 1)
    assert proof.commitment == promise.commitment
    assert proof.call == promise.call
    assert told(table).promises[0].secret == proof.secret


def test_without_seals_nobody_waits_and_the_proof_binds_for_nobody() -> None:
    table = Table(game="knister", seats=["me", "open"], secrets=1)
    table.do("bo", "sit", name="Bo", words="suerte")
    assert table.kinds()[-3:] == ["words", "begun", "rolled"]
    proof = Sealing.play_out(table)  # type: ignore[arg-type]
    assert proof.words == ((1, "suerte"),)
    assert proof.opened == ()


def test_a_game_without_chance_has_none_of_it() -> None:
    table = Sealing(game="callisto")
    assert table.room.commitment is not None
    with pytest.raises(Refusal):
        table.do("host", "seal", seat=0, promise=table.room.commitment, seal="0" * 64)
    table.do("bo", "sit", name="Bo", seals=True)
    assert table.kinds()[-1] == "begun"


def test_from_a_position_nobody_can_seal_and_nobody_is_waited_for() -> None:
    position = find_game("isis-osiris").start(seats=2).position()
    table = Sealing(game="isis-osiris", seats=["me", "open"], origin=m.Origin(position=position))
    assert told(table).promises[0].context is None
    table.do("bo", "sit", name="Bo", seals=True)
    assert table.room.playing


def test_who_is_not_there_is_not_called() -> None:
    """A table by correspondence: who invited has closed the page."""
    table = Sealing()
    table.seal(0)
    table.here = {"bo"}
    table.do("bo", "sit", name="Bo", seals=True)
    table.seal(1)
    table.open(1)
    assert table.room.playing
    proof = table.play_out()
    assert proof.opened == (1,)


def test_whose_page_does_not_come_to_seal_is_waited_for_once_and_not_for_ever() -> None:
    table = Sealing()
    table.here = {"bo"}
    table.do("bo", "sit", name="Bo")
    assert table.kinds()[-1] == "gathering", "the host's page may be on its way"
    with pytest.raises(Refusal, match="begun already"):
        table.do("host", "start")
    table.time_is_up()
    assert table.room.playing
    assert table.play_out().opened == ()


def test_the_next_game_has_a_promise_and_seals_of_its_own() -> None:
    table = Sealing(seats=["me", "me"])
    table.seal(0, 1)
    table.open(0, 1)
    first = table.play_out()
    table.here = {"host"}
    table.do("host", "start")
    assert table.kinds()[-1] == "gathering"
    table.seal(0, 1)
    assert table.room.draw.call is not None
    table.open(0, 1)
    second = table.play_out()
    assert second.number == 2
    assert second.commitment != first.commitment
    assert not {each.seal for each in second.sealed} & {each.seal for each in first.sealed}


def test_a_seal_is_for_one_promise_and_one_seat() -> None:
    table = Sealing(seats=["me", "me", "open"])
    with pytest.raises(Refusal) as stale:
        table.do("host", "seal", seat=0, promise="0" * 64, seal="0" * 64)
    assert stale.value.reason == "stale"
    with pytest.raises(Refusal) as forbidden:
        table.do("eve", "seal", seat=0, promise=table.room.commitment, seal="0" * 64)
    assert forbidden.value.reason == "forbidden"
    table.seal(0)
    copied = table.room.draw.seals.as_dict()[0].seal
    table.do("host", "seal", seat=1, promise=table.room.commitment, seal=copied)
    table.do("bo", "sit", name="Bo", seals=True)
    table.seal(2)
    table.open(0)
    with pytest.raises(Refusal, match="not what the seat had sealed"):
        table.open(1, nonce=table.opening(0).nonce, words=table.opening(0).words)


def test_what_is_opened_must_be_what_was_sealed_and_for_this_call() -> None:
    table = Sealing(seats=["me", "me"])
    table.seal(0, 1)
    for changes in ({"nonce": "f" * 32}, {"words": "other"}):
        with pytest.raises(Refusal) as refused:
            table.open(1, **changes)
        assert refused.value.reason == "malformed"
    with pytest.raises(Refusal) as refused:
        table.open(1, call="0" * 64)
    assert refused.value.reason == "stale"
    table.open(1)
    with pytest.raises(Refusal) as refused:
        table.open(1)
    assert refused.value.reason == "late"


def test_nothing_that_chance_depends_on_changes_once_the_game_is_called() -> None:
    table = Sealing(seats=["me", "me"])
    table.seal(0, 1)
    with pytest.raises(Refusal, match="words count for the next one"):
        table.do("host", "entropy", seat=0, words="late")
    with pytest.raises(Refusal, match="words count for the next one"):
        table.seal(0)


class TestRefusing:
    """Who sees what would come, and does not open, gets a new promise, everybody's eyes, and in the end no seat."""

    def called(self) -> Sealing:
        table = Sealing()
        table.do("bo", "sit", name="Bo", seals=True)
        table.here = {"host", "bo"}
        table.seal(0, 1)
        table.open(1)
        return table

    def test_the_promise_is_void_and_another_is_made(self) -> None:
        table = self.called()
        promise = table.room.commitment
        call = table.room.draw.call
        assert call is not None
        table.time_is_up()
        assert table.kinds()[-3:] == ["voided", "promised", "gathering"]
        assert table.room.commitment not in (None, promise)
        assert table.room.secret != table.log[2].secret
        assert isinstance(table.room.talk[-1], m.VoidedLine)
        assert table.room.talk[-1].seats == [0]
        [told_now] = told(table).promises
        assert f"void {promise} {call.digest} 0" in (told_now.context or "")
        table.seal(0, 1)
        table.open(0, 1)
        proof = table.play_out()
        assert [(void.commitment, void.call, void.missing) for void in proof.voids] == [(promise, call.digest, (0,))]
        record = table.room.record()
        assert record is not None
        assert verify(record).voids == 1

    def test_the_trace_cannot_be_taken_out_of_the_record(self) -> None:
        table = self.called()
        table.time_is_up()
        table.seal(0, 1)
        table.open(0, 1)
        proof = table.play_out()
        record = table.room.record()
        assert record is not None
        without = BoundProof(**{name: getattr(proof, name) for name in proof.__dataclass_fields__} | {"voids": ()})
        with pytest.raises(InvalidRecord, match="fairness"):
            without.chance(record.game, record.rules, record.options)

    def test_the_second_time_the_seat_is_lost(self) -> None:
        table = self.called()
        table.time_is_up()
        table.seal(0, 1)
        table.open(1)
        table.time_is_up()
        assert table.kinds()[-3:] == ["voided", "left", "promised"]
        assert table.room.seating[0].kind == "open"
        assert not table.room.playing
        table.do("cy", "sit", name="Cy", seals=True)
        table.here = {"cy", "bo"}
        table.seal(0, 1)
        table.open(0, 1)
        assert len(table.play_out().voids) == 2

    def test_who_comes_back_in_time_to_seal_again_keeps_the_seat(self) -> None:
        table = self.called()
        table.time_is_up()
        table.seal(1)
        assert not table.room.playing, "the other one is waited for"
        table.time_is_up()
        table.open(1)
        assert table.room.playing
        assert table.room.seating[0].kind == "person"
        assert table.play_out().opened == (1,)

    @pytest.mark.parametrize("way", ["leave", "thrown out", "forgotten"])
    def test_leaving_instead_is_no_way_around(self, way: str) -> None:
        table = self.called()
        if way == "forgotten":
            table.handle(LeaveAll(), "host")
        else:
            table.do("host", "leave", seat=0 if way == "leave" else 1)
        assert table.kinds()[-3:] == ["left", "voided", "promised"]
        assert table.room.draw.voids[0].missing == ((1,) if way == "thrown out" else (0,))
        assert not table.room.playing

    def test_old_bells_do_nothing(self) -> None:
        table = self.called()
        assert table.room.draw.wait is not None
        with pytest.raises(Refusal) as refused:
            table.handle(DrawTimeUp(table.room.draw.wait.since - 1))
        assert refused.value.reason == "stale"
        assert binding.deadline(table.room) == table.room.draw.wait.since_at + binding.OPEN_WITHIN


class TestCrowds:
    """There is always one that does not open: then the game begins without, and says so."""

    def crowd(self) -> Sealing:
        table = Sealing(seats=[], crowd=True)
        for number in range(5):
            table.do(f"p{number}", "sit", name=f"P{number}", seals=True)
        table.seal(1, 2, 3, 4)
        table.do("p0", "leave", seat=0)
        table.do("host", "start")
        assert table.kinds()[-1] == "called"
        return table

    def test_seats_that_are_cleared_away_move_the_seals_along(self) -> None:
        table = self.crowd()
        table.open(0, 1, 2, 3)
        assert len(table.room.seating) == 4
        proof = table.play_out()
        assert [(each.seat, each.place) for each in proof.sealed] == [(0, 1), (1, 2), (2, 3), (3, 4)]

    def test_who_does_not_open_stops_nobody(self) -> None:
        table = self.crowd()
        table.open(0, 1, 2)
        table.time_is_up()
        proof = table.play_out()
        assert proof.opened == (0, 1, 2)
        record = table.room.record()
        assert record is not None
        assert verify(record).unopened == 1

    def test_nobody_comes_in_once_it_is_called(self) -> None:
        table = self.crowd()
        with pytest.raises(Refusal) as refused:
            table.do("late", "sit", name="Late")
        assert refused.value.reason == "full"

    def test_who_leaves_then_leaves_a_sheet(self) -> None:
        table = self.crowd()
        table.do("p1", "leave", seat=0)
        table.open(1, 2, 3)
        assert not table.room.playing
        table.time_is_up()
        assert table.room.playing
        assert table.play_out().opened == (1, 2, 3)


def test_what_somebody_opened_is_a_digest_once_they_are_forgotten() -> None:
    table = Sealing(seats=["me", "me"])
    table.seal(0, 1)
    table.open(0, 1)
    table.play_out()
    before = table.room.record()
    table.log = [entry.anonymous() for entry in table.log]
    table.room = table.replayed()
    record = table.room.record()
    assert before is not None
    assert record is not None
    text = record.dumps()
    assert "words of 1" in before.dumps()
    assert "words of 1" not in text
    assert Digest.of("words of 1").sha256 in text
    assert verify(loads(text)).fair


def test_a_promise_is_bound_to_what_it_is_for() -> None:
    table = Sealing()
    context = table.room.draw.context
    assert isinstance(context, Context)
    assert context.text.splitlines()[2:] == ["number 1", "game knister", "rules 1", "crowd false"]
    assert "room" not in context.text.replace("\nroom ", ""), "the id itself is an invitation"
    isis = Sealing(game="isis-osiris").room.draw.context
    assert isis is not None
    assert isis.text.splitlines()[6:] == ["option edition standard", "option memory_aid false", "option variant own"]


def test_a_log_of_version_1_goes_on() -> None:
    """A promise that was made before this version: words alone, and nobody is asked to seal."""
    table = Table(game="knister", seats=["me", "open"], words="fortuna", secrets=1)
    [number] = [number for number, entry in enumerate(table.log) if isinstance(entry.event, e.Promised)]
    secret = table.log[number].secret
    assert secret is not None
    old = e.Promised(number=1, commitment=FairChance(secret).commitment)
    table.log[number] = replace(table.log[number], event=old)
    table.room = table.replayed()
    with pytest.raises(Refusal):
        table.do("host", "seal", seat=0, promise=table.room.commitment, seal="0" * 64)
    table.do("bo", "sit", name="Bo", seals=True)
    assert table.room.playing
    assert table.room.sitting is not None
    assert not isinstance(table.room.sitting.chance, BoundChance)
