"""What clients are told of a room. Everything about the game comes from views; nothing else of a state leaves."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, assert_never

from sobremesa.core.result import Result
from sobremesa.core.state import State, View
from sobremesa.rooms import binding, offers, rated
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.history import TableStep
from sobremesa.rooms.limits import MAX_LISTED_SEATS, MAX_NAMED_MISSED, MAX_NEWCOMERS, MAX_OWN_VIEWS
from sobremesa.rooms.pictures import shown_view
from sobremesa.rooms.promises import Promise
from sobremesa.rooms.room import Room
from sobremesa.table.fair import Words

Viewer = tuple[tuple[int, ...], bool]
"""Whoever has the same seats, and is the host or not, is told the same."""


class UpdateBuilder:
    """Builds what each client is told of one version of a room. Clients who are told the same share one text."""

    def __init__(self, room: Room, here: Collection[str], now: float) -> None:
        self.room = room
        self.now = now
        self._here = here
        self.large = len(room.seating) > MAX_LISTED_SEATS
        """Whether there are too many seats to list them, and to tell single moves of a round."""
        self._texts: dict[tuple[Viewer, int | None], str] = {}

    def viewer(self, person: str) -> Viewer:
        """What decides what a person is told."""
        return self.room.seats_of(person), person == self.room.host

    def snapshot(self, person: str) -> str:
        """Everything that somebody needs who comes in: the last step, the last lines of talk, fair chance; as JSON."""
        key = self.viewer(person), None
        if (text := self._texts.get(key)) is None:
            text = self._texts[key] = self.build(key[0]).model_dump_json()
        return text

    def news(self, person: str, seen: int, steps: Iterable[TableStep], moves: Iterable[e.Entry] = ()) -> str:
        """What has happened since a version that this conversation was told, as JSON.

        ``steps`` are those after it. In a crowd they do not matter: an update brings this person's own ``moves`` after
        that version, and the last step.
        """
        key = self.viewer(person), seen
        if (text := self._texts.get(key)) is None:
            text = self._texts[key] = self.build(key[0], seen, steps, moves).model_dump_json()
        return text

    def build(
        self,
        viewer: Viewer,
        seen: int | None = None,
        steps: Iterable[TableStep] = (),
        moves: Iterable[e.Entry] = (),
    ) -> m.Update:
        """An update; without a version that was seen it is a snapshot."""
        room = self.room
        own, host = viewer
        views = self._views(own)
        now: list[Mapping[str, Any]] = []
        if seen is None or self.large:
            now = [shown_view(room.game, view) for view in views]
            shown = self._with_moves(own, now, moves, self._last_step(own, now, seen or 0))
        else:
            shown = [
                _step(
                    own,
                    step.version,
                    step.event,
                    [shown_view(room.game, view) for view in _views(own, step.state)],
                    step.back,
                    step.draw,
                )
                for step in steps
            ]
        return m.Update(
            version=room.version,
            reset=seen is None,
            room=self._room_state(own, host, views),
            steps=shown,
            talk=[line for line in room.talk if seen is None or line.version > seen],
            legal={
                view.seat: [str(move) for move in moves]
                for view in ([] if room.paused else views)
                if view.seat is not None and (moves := view.legal_moves())
            },
        )

    def _views(self, own: Iterable[int]) -> list[View[Any]]:
        """The table as it is now."""
        return [] if self.room.sitting is None else _views(own, self.room.sitting.state)

    def _last_step(self, own: Collection[int], now: list[Mapping[str, Any]], seen: int) -> list[m.Step]:
        """The last step, with the table as it is now. In a crowd that writes, only how far it has come is told."""
        step, last_open = self.room.step, self.room.open_step
        if step is None or last_open is None or step.version <= seen:
            return []
        if not self.large or not isinstance(step.event, e.Moved) or step.event.shows_move(own):
            return [_step(own, step.version, step.event, now, step.back, step.draw)]
        if last_open.version > seen:
            return [_step(own, last_open.version, last_open.event, now, draw=last_open.draw)]
        return [m.Step(version=step.version, seat=None, move=None, rolled=None, views=now)]

    def _with_moves(
        self, own: Collection[int], now: list[Mapping[str, Any]], moves: Iterable[e.Entry], last: list[m.Step]
    ) -> list[m.Step]:
        """One's own moves in a crowd that have not been told yet, and the last step.

        The roll that follows a move is told with it, in one step: both have the table as it is now, and ten thousand
        are told it at once.
        """
        steps = [_step(own, entry.version, entry.event, now) for entry in moves if isinstance(entry.event, e.Moved)]
        if not steps or not last:
            return last
        newest, step = steps[-1], last[0]
        if step.version <= newest.version or (step.seat is None and step.rolled is None):
            return steps
        if step.seat is None:
            steps[-1] = step.model_copy(update={"seat": newest.seat, "move": newest.move})
            return steps
        return [*steps, step]

    def _room_state(self, own: Collection[int], host: bool, views: Iterable[View[Any]]) -> m.RoomState:
        room, setup = self.room, self.room.setup
        listed = self._listed(own, host, views)
        series, result = room.series, room.result
        return m.RoomState(
            id=room.id,
            game=room.game.id,
            language=setup.language,
            options=setup.options,
            crowd=setup.crowd,
            public=room.public,
            chat=room.chat,
            hints=setup.hints and room.advised and not room.at_stake,
            rated=rated.would_be(room),
            lost=[] if room.stake is None else sorted(set(room.stake.lost).intersection(listed)),
            helped=_helped(room, listed),
            ready=_ready(room),
            clock=setup.clock,
            games=setup.games,
            origin=None if setup.origin is None else m.OriginInfo(moment=setup.origin.moment),
            number=room.number,
            playing=room.playing,
            paused=room.paused,
            over=result is not None,
            result=None if result is None else result_of(result, listed),
            seats_total=len(room.seating),
            seats_taken=room.seating.taken,
            seats_here=self._connected,
            seats={seat: self._seat(seat, own) for seat in listed},
            host=host,
            host_name=_host_name(room),
            last_moves=_last_moves(room, own, listed),
            missed=self._missed_moves(own),
            offer=_offer(room),
            may=offers.may(room, own),
            end=_end(room),
            next_starter=room.next_starter,
            series=None if series is None else standing_of(series.standing),
            uneven=series is not None and series.uneven,
            promises=[self._promise(promise, listed) for promise in room.promises],
            drawing=self._drawing(listed),
            deadline=self._deadline(),
            now=self.now,
        )

    def _drawing(self, listed: Collection[int]) -> m.Drawing | None:
        """What the next game waits for, once it is to begin."""
        waiting, deadline = binding.waiting(self.room), binding.deadline(self.room)
        if deadline is None:
            return None
        return m.Drawing(
            stage="sealing" if self.room.draw.call is None else "opening",
            waiting=[seat for seat in listed if seat in waiting],
            left=len(waiting),
            deadline=min(deadline, self.now + binding.OPEN_WITHIN),
        )

    def _promise(self, promise: Promise, listed: Collection[int]) -> m.Promise:
        """A promise as it is told here.

        Its context has the position from which a room begins: nobody is told that before the game is over, since it may
        name what lies face down. So nobody seals words in such a room.
        """
        shown = promise_of(promise, listed)
        if self.room.setup.origin is None or promise.secret is not None:
            return shown
        return shown.model_copy(update={"context": None})

    def _deadline(self) -> float | None:
        """When the time is up. Never further away than a decision may take, whatever the clock was when it began."""
        deadline = self.room.deadline
        return None if deadline is None else min(deadline, self.now + self.room.setup.clock)

    def _seat(self, seat: int, own: Collection[int]) -> m.SeatInfo:
        chair = self.room.seating[seat]
        here = chair.kind == "engine" or chair.person in self._here
        return m.SeatInfo(kind=chair.kind, name=chair.name, yours=seat in own, here=here)

    @cached_property
    def _connected(self) -> int:
        """How many of the seats that are taken have somebody who is connected, or a computer."""
        seating = self.room.seating
        return len(seating.engines) + sum(len(seating.seats_of(person)) for person in self._here)

    @cached_property
    def _missed(self) -> list[int]:
        """The people whose time was up, by seat. Nobody waited for who has left."""
        seating = self.room.seating
        return [seat for seat in sorted(self.room.missed) if seating[seat].kind == "person"]

    def _missed_moves(self, own: Collection[int]) -> m.MissedMoves | None:
        room, missed = self.room, self._missed
        if not missed:
            return None
        named = sorted({*missed[:MAX_NAMED_MISSED], *(seat for seat in own if seat in room.missed)})
        first = [m.MissedMove(seat=seat, name=room.seating[seat].name, move=room.missed[seat]) for seat in named]
        return m.MissedMoves(count=len(missed), first=first, rule=room.game.forced_rule)

    @cached_property
    def _newcomers(self) -> list[int]:
        """Who has sat down last, before the first game: the last seats that are taken."""
        seating = self.room.seating
        taken = (seat for seat in reversed(range(len(seating))) if seating[seat].taken)
        return [] if self.room.number else list(islice(taken, MAX_NEWCOMERS))

    def _listed(self, own: Collection[int], host: bool, views: Iterable[View[Any]]) -> list[int]:
        """The seats that are told: all of a few, else one's own and those that one's views name.

        Who looks on, and the host, are told the newcomers of a crowd besides.
        """
        count = len(self.room.seating)
        if not self.large:
            return list(range(count))
        named = {seat for view in views for seat in view.named_seats()}
        named.update(own, self._newcomers if host or not own else ())
        return [seat for seat in sorted(named) if seat < count]


def result_of(result: Result, listed: Iterable[int]) -> m.GameResult:
    """A game's result for some seats."""
    seats = [seat for seat in listed if seat < len(result.scores)]
    scores = {seat: result.scores[seat] for seat in seats}
    return m.GameResult(scores=scores, places={seat: result.places[seat] for seat in seats})


def standing_of(result: Result) -> m.Standing:
    """A result for all seats."""
    return m.Standing(scores=list(result.scores), places=list(result.places))


def promise_of(promise: Promise, listed: Collection[int] | None = None) -> m.Promise:
    """A promise of fair chance as it is told, with the words of some seats."""
    of = promise.words.keys() | promise.seals.keys() if listed is None else listed
    return m.Promise(
        game=promise.game,
        commitment=promise.commitment,
        words={seat: _words(words) for seat in sorted(of) if (words := promise.words.get(seat))},
        secret=promise.secret,
        context=None if promise.context is None else promise.context.text,
        seals={seat: promise.seals[seat] for seat in sorted(of) if seat in promise.seals},
        call=promise.call,
        openings={
            seat: m.Opening(nonce=opening.nonce, words=_words(opening.words))
            for seat in sorted(of)
            if (opening := promise.openings.get(seat)) is not None
        },
    )


def _words(words: Words) -> str | m.WordsDigest:
    return words if isinstance(words, str) else m.WordsDigest(sha256=words.sha256)


def _step(
    own: Collection[int],
    version: int,
    event: e.Begun | e.Moved | e.Rolled | e.TakenBack,
    views: list[Mapping[str, Any]],
    back: int | None = None,
    draw: int | None = None,
) -> m.Step:
    """A step as somebody with these seats may know it."""
    seat = move = rolled = None
    match event:
        case e.Moved() as moved:
            seat = moved.seat
            move = moved.move if moved.shows_move(own) else None
        case e.Rolled() as roll:
            rolled = str(roll.outcome)
        case e.Begun() | e.TakenBack():
            pass
        case _:
            assert_never(event)
    return m.Step(version=version, seat=seat, move=move, rolled=rolled, draw=draw, back=back, views=views)


def _last_moves(room: Room, own: Collection[int], listed: Iterable[int]) -> list[m.LastMove]:
    """The last move of each of some seats, oldest first: one's own, and what the others did in the open."""
    if room.sitting is None:
        return []
    found = [last for seat in listed if (last := room.sitting.last_move(seat)) is not None]
    known = [last for last in found if last.seat in own or not last.together]
    return [
        m.LastMove(seat=last.seat, move=last.move, forced=last.seat in room.forced)
        for last in sorted(known, key=lambda last: -last.age)
    ]


def _host_name(room: Room) -> str:
    """Who invites: by the name that the host has at the table now."""
    seats = room.seats_of(room.host or "")
    return room.seating[seats[0]].name if seats else room.setup.name


def _offer(room: Room) -> m.OpenOffer | None:
    offer = room.offer
    return None if offer is None else m.OpenOffer(what=offer.what, seat=offer.seat, agreed=sorted(offer.agreed))


def _ready(room: Room) -> m.ReadyCheck | None:
    ready = room.ready
    return None if ready is None else m.ReadyCheck(deadline=ready.deadline, seats=sorted(ready.seats))


def _helped(room: Room, listed: Iterable[int]) -> dict[int, int]:
    helped = Counter(hint.seat for hint in room.hints)
    return {seat: helped[seat] for seat in listed if helped[seat]}


def _end(room: Room) -> m.GameEnd | None:
    end = room.end
    return None if end is None or end.how == "played" else m.GameEnd(how=end.how, seat=end.seat)


def _views(own: Iterable[int], state: State[Any]) -> list[View[Any]]:
    """What one's own seats see, else what a spectator sees."""
    seats = [seat for seat in own if seat < state.seats][:MAX_OWN_VIEWS]
    return [state.view(seat) for seat in seats] or [state.view(None)]
