"""How a room takes in one entry of its event log: the only way in which it changes."""

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from sobremesa.core.result import Result
from sobremesa.games import find_game
from sobremesa.rooms import binding, offers, promises, rated, readiness
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.binding import Draw
from sobremesa.rooms.history import Hint, Missed, TableStep, Undo
from sobremesa.rooms.limits import MAX_LISTED_SEATS, MAX_TAKEN_BACK, MAX_TALK_LINES
from sobremesa.rooms.seating import OPEN, Chair, Seating
from sobremesa.table.commitments import BoundChance
from sobremesa.table.fair import FairChance
from sobremesa.table.sitting import Sitting

if TYPE_CHECKING:
    from sobremesa.rooms.room import Room


def apply(room: "Room", entry: e.Entry, sitting: Sitting | None = None) -> "Room":
    """The room after one entry. ``sitting`` is the game after a move that has been played already."""
    assert entry.version == room.version + 1, "entries come in order"
    name = ""
    event = entry.event
    match event:
        case e.Moved():
            assert room.sitting is not None
            if sitting is None:
                move = room.sitting.state.parse_move(event.move, event.seat)
                sitting = room.sitting.play(move, event.seat)
            step = TableStep(entry.version, sitting.state, event)
            changed = replace(
                room,
                sitting=sitting,
                step=step,
                open_step=room.open_step if event.hidden else step,
                undo=_undo_after(room, event),
                missed_now=Missed(event.seat, event.move, room.missed_now) if event.forced else room.missed_now,
                forced=_forced_after(room, event),
                offer=None if room.offer and room.offer.what == "takeback" else room.offer,
                stake=room.stake and room.stake.after(event, room.seating[event.seat].kind == "person"),
            )
            if not sitting.together or not sitting.state.deciding:
                changed = _wait_from(changed, entry)
        case e.Rolled():
            assert room.sitting is not None
            sitting = room.sitting.happen(event.outcome)
            step = TableStep(entry.version, sitting.state, event, draw=room.sitting.rolls)
            changed = replace(room, sitting=sitting, step=step, open_step=step, undo=())
            changed = _wait_from(changed, entry)
        case e.TakenBack():
            undo = room.undo[-event.moves]
            step = TableStep(entry.version, undo.sitting.state, event, undo.step.version)
            kept = room.undo[: -event.moves]
            forced = room.forced - {undone.seat for undone in room.undo[-event.moves :]}
            changed = replace(
                room, sitting=undo.sitting, step=step, open_step=step, undo=kept, forced=forced, offer=None
            )
            changed = _wait_from(changed, entry)
        case e.Paused():
            changed = replace(room, paused_at=entry.at)
        case e.Resumed():
            # Not more time than there was, even if clocks went back meanwhile.
            rest = max(0.0, entry.at - (entry.at if room.paused_at is None else room.paused_at))
            changed = replace(room, paused_at=None, since_at=room.since_at + rest)
        case e.Offered():
            changed = replace(room, offer=offers.Offer(event.what, event.seats[0], frozenset(event.seats)))
        case e.Agreed():
            assert room.offer is not None
            changed = replace(room, offer=replace(room.offer, agreed=room.offer.agreed | set(event.seats)))
        case e.Declined():
            changed = replace(room, offer=None)
        case e.Created():
            changed = replace(
                room,
                setup=event,
                game=find_game(event.game),
                host=entry.person,
                public=event.public,
                chat=event.chat,
                seating=Seating(OPEN for _ in event.seats),
            )
        case e.Seated():
            chair = Chair("person", event.name, entry.person, event.seals)
            changed = replace(room, seating=room.seating.with_chair(event.seat, chair), offer=None, ready=None)
        case e.Renamed():
            seating = room.seating.with_chair(event.seat, replace(room.seating[event.seat], name=event.name))
            changed = replace(room, seating=seating)
            if room.sitting is not None and room.playing and room.sitting.names:
                names = room.sitting.names
                renamed = (*names[: event.seat], event.name, *names[event.seat + 1 :])
                changed = replace(changed, sitting=replace(room.sitting, names=renamed))
        case e.Left() | e.Forfeited():
            name = room.seating[event.seat].name
            chair = Chair("gone" if room.number or room.draw.call is not None else "open", name)
            words = {seat: words for seat, words in room.words.items() if seat != event.seat}
            seating, draw = room.seating.with_chair(event.seat, chair), room.draw.without(event.seat)
            if draw.call is None and not room.setup.crowd:
                draw = replace(draw, wait=None, again=False)
            forced = room.forced - {event.seat}
            changed = replace(room, seating=seating, words=words, draw=draw, forced=forced, offer=None, ready=None)
            if isinstance(event, e.Forfeited) and room.stake is not None:
                changed = replace(changed, stake=replace(room.stake, lost=(*room.stake.lost, event.seat)))
        case e.EngineSeated():
            seating = room.seating.with_chair(event.seat, Chair("engine", event.player))
            changed = replace(room, seating=seating, ready=None)
        case e.ReadyAsked():
            changed = replace(room, ready=readiness.Asked(entry.version, entry.at, room.seating.engines))
        case e.ReadySaid():
            assert room.ready is not None
            said = replace(room.ready, seats=room.ready.seats.union(event.seats))
            changed = replace(room, ready=said)
        case e.HintGiven():
            assert room.sitting is not None
            hint = Hint(event.seat, room.since, room.sitting.next_event)
            changed = replace(room, hints=(*room.hints, hint))
        case e.EntropyAdded():
            changed = replace(room, words=room.words | {event.seat: event.added})
        case e.Promised():
            draw = binding.after(room, event, entry)
            changed = replace(room, commitment=event.commitment, secret=entry.secret, draw=draw)
        case e.Voided():
            draw = binding.after(room, event, entry)
            changed = replace(room, commitment=None, secret=None, draw=draw)
        case e.Gathering() | e.Called():
            cleared = _cleared(room, event.taken) if isinstance(event, e.Called) else room
            changed = replace(cleared, draw=binding.after(cleared, event, entry), offer=None, ready=None)
        case e.Sealed() | e.Opened():
            changed = replace(room, draw=binding.after(room, event, entry))
        case e.Begun():
            changed = _begin(room, event, entry)
        case e.Ended():
            changed = _end(room, event)
        case e.Managed():
            changed = replace(
                room,
                public=room.public if event.public is None else event.public,
                chat=room.chat if event.chat is None else event.chat,
                ready=None,
            )
        case e.Said() | e.PhraseSaid() | e.EngineFailed():
            changed = room
        case _:
            assert_never(event)
    return replace(changed, version=entry.version, changed_at=entry.at, talk=_heard(room, event.line(entry, name)))


def _heard(room: "Room", line: m.TalkLine | None) -> tuple[m.TalkLine, ...]:
    """The talk with one more line. In a crowd coming and going is not worth one."""
    if line is None:
        return room.talk
    if len(room.seating) > MAX_LISTED_SEATS and line.kind in ("seated", "left", "engine"):
        return room.talk
    return (*room.talk, line)[-MAX_TALK_LINES:]


def _cleared(room: "Room", taken: list[int] | None) -> "Room":
    """The room after the seats were cleared away that are not among those that stay."""
    if taken is None:
        return room
    places = {seat: place for place, seat in enumerate(taken)}
    words = {places[seat]: said for seat, said in room.words.items() if seat in places}
    seating = Seating(room.seating[seat] for seat in taken)
    return replace(room, seating=seating, words=words, draw=room.draw.renumbered(taken))


def _begin(room: "Room", event: e.Begun, entry: e.Entry) -> "Room":
    cleared = _cleared(room, event.taken)
    seating, words = cleared.seating, cleared.words
    seats = range(len(seating))
    chance: FairChance | BoundChance | None = binding.chance_of(cleared, event.starter)
    if chance is None:
        chance = FairChance(room.secret or b"", tuple(words.get(seat, "") for seat in seats) if words else ())
    options = room.setup.options | {"seats": len(seats), "starter": event.starter}
    position = None if room.setup.origin is None else room.setup.origin.position
    sitting = Sitting.start(room.game, options, chance, tuple(chair.name for chair in seating), position)
    step = TableStep(entry.version, sitting.state, event)
    begun = replace(
        room,
        seating=seating,
        words=words,
        words_in_play=words,
        sitting=sitting,
        number=event.number,
        playing=True,
        draw=Draw(),
        kept_promise=None,
        step=step,
        open_step=step,
        undo=(),
        missed_now=None,
        missed_last=None,
        forced=frozenset(),
        offer=None,
        end=None,
        stake=rated.Stake(tuple(chair.person for chair in seating)) if event.rated else None,
        ready=None,
        hints=(),
    )
    return _wait_from(begun, entry)


def _end(room: "Room", event: e.Ended) -> "Room":
    kept = None
    if room.commitment is not None:
        kept = promises.running(room, event.secret)
    stopped = event.how == "stopped"
    lost = () if room.stake is None else room.stake.lost
    started = () if room.sitting is None else room.sitting.names
    names = tuple(started[seat] if seat in lost else chair.name for seat, chair in enumerate(room.seating))
    return replace(
        room,
        results=room.results if stopped else (*room.results, Result(event.scores, event.places)),
        # The names that people have at the end: who came back under another one lost or won with it.
        sitting=None if room.sitting is None else replace(room.sitting, names=names),
        undo=(),
        offer=None,
        end=event,
        playing=False,
        paused_at=None,
        commitment=None,
        secret=None,
        words={},
        kept_promise=kept,
    )


def _undo_after(room: "Room", event: e.Moved) -> tuple[Undo, ...]:
    """What can be taken back after a move: nothing, if it was hidden from others or hides what was open."""
    assert room.sitting is not None
    if event.hidden or room.game.hides(event.move) or room.step is None or room.open_step is None:
        return ()
    return (*room.undo, Undo(event.seat, event.move, room.sitting, room.step, room.open_step))[-MAX_TAKEN_BACK:]


def _forced_after(room: "Room", event: e.Moved) -> frozenset[int]:
    """Whose last move was made for them; a set for thousands would be made anew with every move."""
    if len(room.seating) > MAX_LISTED_SEATS:
        return room.forced
    if event.forced and room.seating[event.seat].kind == "person":
        return room.forced | {event.seat}
    return room.forced - {event.seat}


def _wait_from(room: "Room", entry: e.Entry) -> "Room":
    """A new decision begins with this entry: its clock starts, and moves must answer it."""
    if entry.version == room.since:
        return room
    # A roll right after the moves of a round belongs to the same change of decision.
    moved = isinstance(entry.event, e.Rolled) and room.since == entry.version - 1 and room.missed_now is None
    last = room.missed_last if moved else room.missed_now
    return replace(room, since=entry.version, since_at=entry.at, missed_last=last, missed_now=None)
