"""How a room answers commands: what each may do, and which events it leads to."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, assert_never

from sobremesa.core.game import Game
from sobremesa.games import find_game
from sobremesa.rooms import binding, offers, rated, readiness
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import (
    DrawTimeUp,
    EngineMove,
    GiveHint,
    HouseCommand,
    LeaveAll,
    ReadyTimeUp,
    Rename,
    TimeUp,
)
from sobremesa.rooms.draft import Draft, Transition
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_LISTED_SEATS, MAX_SEATS
from sobremesa.rooms.names import check_company, check_name
from sobremesa.table.series import Series

if TYPE_CHECKING:
    from sobremesa.rooms.room import Room


def create(
    room: "Room",
    setup: m.NewRoom,
    person: str,
    now: float,
    command: str | None = None,
) -> Transition:
    """Sets an empty room up; ``command`` is the idempotency key of who asked for it."""
    game = find_game(setup.game)
    if "seats" in setup.options:
        raise Refusal("malformed", "rooms.error.the-seats-are-a-list-of-their-own")
    if setup.crowd and not game.crowd:
        raise Refusal("malformed", "rooms.error.is-not-for-crowds", game=game.name)
    if setup.origin is not None:
        setup = setup.model_copy(update={"options": _options_of(game, setup, setup.origin)})
    game.set_table(setup.options | {"seats": MAX_SEATS if setup.crowd else len(setup.seats)})
    if setup.games > 1 and not setup.crowd:
        Series(game, setup.options | {"seats": len(setup.seats)}, setup.games)
    for name in (setup.name, *(plan.name for plan in setup.seats if plan.kind == "me" and plan.name)):
        check_name(name, room.resources.reserved)
    draft = Draft(room, person, command, now)
    draft.take(e.Created(**setup.__dict__ | {"rated": rated.wanted(setup)}))
    for seat, plan in enumerate(setup.seats):
        if plan.kind == "me":
            draft.take(e.Seated(seat=seat, name=plan.name or setup.name, seals=setup.seals))
            if setup.words:
                draft.take(e.EntropyAdded(seat=seat, words=setup.words))
        elif plan.kind == "engine":
            player = draft.room.known_player(plan.player)
            draft.take(e.EngineSeated(seat=seat, player=player), by_itself=True)
    return draft.finish()


def handle(
    room: "Room",
    command: m.RoomCommand | HouseCommand,
    person: str | None,
    now: float,
    here: Collection[str] | None = None,
) -> Transition:
    """``Room.handle``."""
    draft = Draft(room, person, command.id if isinstance(command, m.Command) else None, now, here)
    match command:
        case EngineMove():
            _engine_moves(room, command, draft)
        case TimeUp():
            _time_is_up(room, command, draft)
        case DrawTimeUp():
            for event in binding.time_is_up(room, command.since, here):
                draft.take(event, by_itself=True)
        case LeaveAll():
            for seat in room.seats_of(person or ""):
                rated.leave(room, seat, draft)
            if not draft.entries:
                raise Refusal("stale", "rooms.error.the-table-has-changed-since")
        case Rename():
            _rename(room, command, person or "", draft)
        case ReadyTimeUp():
            readiness.time_is_up(room, command.asked, draft)
        case GiveHint():
            room.at_table(command.seat, person or "")
            rated.check_alone(room)
            if command.since != room.since or room.was_helped(command.seat):
                raise Refusal("stale", "rooms.error.the-table-has-changed-since")
            draft.take(e.HintGiven(seat=command.seat))
        case _:
            assert person is not None, "only the house sends commands of its own"
            _handle_person(room, command, person, draft)
    return draft.finish()


def _handle_person(room: "Room", command: m.RoomCommand, person: str, draft: Draft) -> None:
    match command:
        case m.Move():
            state = room.at_table(command.seat, person)
            if not room.since <= command.version <= room.version:
                raise Refusal("stale", "rooms.error.the-table-has-changed-since")
            draft.move(state.parse_move(command.move, command.seat), command.seat, person)
        case m.Sit():
            _sit(room, command, person, draft)
        case m.Leave():
            chair = room.chair(command.seat)
            if not chair.taken or person not in (chair.person, room.host):
                raise Refusal("forbidden", "rooms.error.only-who-sits-there-or-the-host-can")
            if command.name is not None and command.name != chair.name:
                raise Refusal("stale", "rooms.error.the-table-has-changed-since")
            rated.check_free(room, command.seat, person)
            rated.leave(room, command.seat, draft)
        case m.PutEngine():
            chair = room.chair(command.seat)
            if chair.kind == "person":
                raise Refusal("taken", "rooms.error.somebody-sits-there-already")
            if person != room.host and not (chair.kind == "gone" and room.seats_of(person)):
                raise Refusal("forbidden", "rooms.error.only-the-host-can-do-that")
            draft.take(e.EngineSeated(seat=command.seat, player=room.known_player(command.player)))
        case m.AddEntropy():
            if room.playing or room.draw.call is not None:
                raise Refusal("late", "rooms.error.the-game-has-begun")
            room.check_own(command.seat, person)
            draft.take(e.EntropyAdded(seat=command.seat, words=command.words))
        case m.Seal():
            room.check_own(command.seat, person)
            draft.take(binding.seal(room, command))
        case m.Open():
            room.check_own(command.seat, person)
            draft.take(binding.opening(room, command))
        case m.Start():
            _check_start(room, person)
            if room.number and not room.setup.crowd and room.seats_of(person):
                offers.offer(room, "again", person, draft)
            else:
                readiness.start(room, person, draft)
        case m.Ready():
            readiness.say(room, person, draft)
        case m.Offer():
            if command.what == "takeback":
                rated.check_alone(room)
            if command.what not in offers.may(room, room.seats_of(person)):
                if command.what == "stop":
                    raise Refusal("forbidden", "rooms.error.no-game-is-being-played-now")
                raise Refusal("forbidden", "rooms.error.nothing-can-be-taken-back")
            offers.offer(room, command.what, person, draft)
        case m.AnswerOffer():
            offers.answer(room, command.yes, person, draft)
        case m.CloseRound():
            _check_crowd_host(room, person)
            _time_is_up(room, TimeUp(room.since), draft)
        case m.Pause():
            _check_crowd_host(room, person)
            if not room.playing:
                raise Refusal("early", "rooms.error.no-game-is-being-played-now")
            if command.on == room.paused:
                raise Refusal("stale", "rooms.error.the-table-has-changed-since")
            draft.take(e.Paused() if command.on else e.Resumed())
        case m.Resign():
            room.at_table(command.seat, person)
            if "resign" not in offers.may(room, (command.seat,)):
                raise Refusal("forbidden", "rooms.error.a-game-of-a-series-cannot-be-given")
            if len(room.seating) > 2:
                player = room.known_player(command.player)
                rated.leave(room, command.seat, draft)
                draft.take(e.EngineSeated(seat=command.seat, player=player))
                return
            places = tuple(2 if seat == command.seat else 1 for seat in range(2))
            draft.end("resigned", room.scores_so_far, places, command.seat)
        case m.Say() | m.Phrase():
            draft.take(_say(room, command, person))
        case m.Manage():
            if person != room.host:
                raise Refusal("forbidden", "rooms.error.only-the-host-can-do-that")
            draft.take(e.Managed(public=command.public, chat=command.chat))
        case _:
            assert_never(command)


def _check_crowd_host(room: "Room", person: str) -> None:
    if person != room.host or not room.setup.crowd:
        raise Refusal("forbidden", "rooms.error.only-the-host-of-a-crowd-can-do")


def _engine_moves(room: "Room", command: EngineMove, draft: Draft) -> None:
    if room.since != command.since or (command.seat, command.player) not in room.engines_to_move():
        raise Refusal("stale", "rooms.error.the-table-has-changed-since")
    assert room.sitting is not None
    if command.move is None:
        draft.take(e.EngineFailed(seat=command.seat, player=command.player), by_itself=True)
        draft.force(command.seat)
    else:
        draft.move(room.sitting.state.parse_move(command.move, command.seat), command.seat)


def _time_is_up(room: "Room", command: TimeUp, draft: Draft) -> None:
    """The moves of everybody whose time is up, by the game's stated rule (``Game.forced``)."""
    if room.sitting is None or not room.playing or room.paused or room.since != command.since:
        raise Refusal("stale", "rooms.error.the-table-has-changed-since")
    for seat in room.sitting.state.deciding:
        if seat not in room.seating.engines:
            draft.force(seat)
    if not draft.entries:
        raise Refusal("stale", "rooms.error.the-table-has-changed-since")


def _sit(room: "Room", command: m.Sit, person: str, draft: Draft) -> None:
    rated.check_open(room)
    check_name(command.name, room.resources.reserved)
    if len(room.seating) <= MAX_LISTED_SEATS:
        check_company(command.name, (each.name for each in room.seating if each.kind == "person"))
    if room.public and not room.playing and room.seats_of(person):
        raise Refusal("taken", "rooms.error.you-have-a-seat-already-at")
    growing = room.setup.crowd and not room.playing and room.draw.call is None
    if command.seat is None:
        if growing and room.seats_of(person):
            raise Refusal("taken", "rooms.error.you-have-a-seat-already")
        free = room.seating.free
        seat = len(room.seating) if free is None and growing else free
        if seat is None or seat >= MAX_SEATS:
            raise Refusal("full", "rooms.error.there-is-no-seat-left")
    else:
        seat = command.seat
        if room.chair(seat).kind == "person":
            raise Refusal("taken", "rooms.error.somebody-sits-there-already")
        if room.chair(seat).kind == "engine":
            raise Refusal("taken", "rooms.error.a-computer-sits-there")
    draft.take(e.Seated(seat=seat, name=command.name, seals=command.seals))
    if command.words and not room.playing and room.draw.call is None:
        draft.take(e.EntropyAdded(seat=seat, words=command.words))


def _rename(room: "Room", command: Rename, person: str, draft: Draft) -> None:
    """Somebody has the new name at this table, too, where the rules of names that it sits down by allow it."""
    own = room.seats_of(person)
    check_name(command.name, room.resources.reserved)
    if len(room.seating) <= MAX_LISTED_SEATS:
        check_company(
            command.name, (each.name for each in room.seating if each.kind == "person" and each.person != person)
        )
    for seat in own:
        name = room.seating[seat].name
        if name != command.name and (len(own) == 1 or name == command.before):
            draft.take(e.Renamed(seat=seat, name=command.name))
    if not draft.entries:
        raise Refusal("stale", "rooms.error.the-table-has-changed-since")


def _check_start(room: "Room", person: str) -> None:
    if room.playing or room.draw.wait is not None:
        raise Refusal("late", "rooms.error.the-game-has-begun-already")
    if room.setup.crowd and person != room.host:
        raise Refusal("forbidden", "rooms.error.only-the-host-can-do-that")
    if person != room.host and not (room.number and room.seats_of(person)):
        raise Refusal("forbidden", "rooms.error.only-the-host-can-start-the-first-game")
    if room.setup.crowd and not room.seating.taken:
        raise Refusal("early", "rooms.error.nobody-has-sat-down-yet")
    if not (room.seating.full or room.setup.crowd):
        raise Refusal("early", "rooms.error.some-seats-are-still-open")


def _say(room: "Room", command: m.Say | m.Phrase, person: str) -> e.Said | e.PhraseSaid:
    seats = room.seats_of(person)
    if not seats and person != room.host:
        raise Refusal("forbidden", "rooms.error.only-people-at-the-table-can-talk")
    name = room.seating[seats[0]].name if seats else room.setup.name
    seat = seats[0] if seats else None
    if isinstance(command, m.Phrase):
        if command.phrase not in m.PHRASES:
            raise Refusal("malformed", "rooms.error.there-is-no-such-phrase")
        return e.PhraseSaid(seat=seat, name=name, text=command.phrase)
    if not room.chat:
        raise Refusal("forbidden", "rooms.error.the-host-has-switched-free-text-off")
    return e.Said(seat=seat, name=name, text=command.text)


def _options_of(game: Game, setup: m.NewRoom, origin: m.Origin) -> dict[str, Any]:
    """How the table of a position is set, if a room can begin there."""
    if setup.crowd or setup.games > 1:
        raise Refusal("malformed", "rooms.error.from-a-position-single-games-are-played-and-not-by-a-crowd")
    state = game.parse_position(origin.position)
    if state.seats != len(setup.seats):
        raise Refusal("malformed", "rooms.error.the-position-is-for-seats", seats=state.seats)
    if state.over:
        raise Refusal("malformed", "rooms.error.the-game-is-over-in-this-position")
    return {name: value for name, value in state.options.items() if name != "seats"}
