"""Games as files: what was played, in order, so that it replays to the identical end for ever.

An event is a text. ``~8`` is what chance brought. Otherwise it is what the deciding seats did, in the
order of the seats with blanks between them: one move in most games, a whole round in Knister. A ``-``
stands for a seat that has not decided yet, in the last event of a game that was put aside.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any
from unicodedata import category

from sobremesa.core.errors import InvalidRecord, SobremesaError
from sobremesa.core.game import Game, Value
from sobremesa.core.result import Result
from sobremesa.core.state import State
from sobremesa.games import find_game
from sobremesa.table.commitments import BoundChance, BoundProof, Opening, Sealed, Void
from sobremesa.table.fair import MAX_WORDS_LENGTH, Digest, FairChance, FairnessProof, Words

FORMAT = "sobremesa-record-1"
MAX_RECORD_BYTES = 4 << 20
"""Larger files are refused unread unless the caller asks for more; 10,000 sheets of Knister take 800 kB, and as much
again and half if all seats took part in fair chance."""
MAX_POSITION_LENGTH = 4_000
"""The most characters of a position."""
MAX_NAME_LENGTH = 60
"""The most characters of a seat's name."""

_JOINER = "\u200d"
_OUTCOME = re.compile(r"~(0|-?[1-9][0-9]{0,3})", re.ASCII)
_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SEAT = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_NONCE = re.compile(r"[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True)
class Record:
    """One game."""

    game: str
    """The game's id."""
    rules: int
    """The version of the rules that it was played by."""
    options: dict[str, Value]
    events: tuple[str, ...]
    names: tuple[str, ...] = ()
    """The seats' names, or none at all."""
    position: str | None = None
    """Where the game began, as one line of text; None for the laid table."""
    result: Result | None = None
    """Scores and places; None while the game is not over."""
    fair: FairnessProof | BoundProof | None = None
    """The proof of fair chance; None if nothing is left to chance, or nobody promised anything."""
    hints: tuple[tuple[int, int], ...] = ()
    """Whom a computer told what it would do: the event that was being decided, counted from 1, and the seat."""

    @property
    def game_played(self) -> Game:
        """The game, in the version that the record was written for."""
        game = find_game(self.game)
        if not 1 <= self.rules <= game.version:
            raise InvalidRecord(
                "table.error.the-record-was-written-for-version-of-this",
                rules=self.rules,
                game=game.name,
                known=game.version,
            )
        return game

    def dumps(self) -> str:
        """The record as JSON, an event a line."""
        data: dict[str, Any] = {"format": FORMAT, "game": self.game, "rules": self.rules, "options": self.options}
        if self.names:
            data["names"] = self.names
        if self.position is not None:
            data["position"] = self.position
        if self.fair:
            data["fair"] = _write_proof(self.fair)
        if self.result:
            data["result"] = {"scores": self.result.scores, "places": self.result.places}
        if self.hints:
            data["hints"] = self.hints
        lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items()]
        events = ",\n".join(f"  {json.dumps(event)}" for event in self.events)
        lines.append(f'"events": [\n{events}\n]' if self.events else '"events": []')
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def chance(self) -> FairChance | BoundChance | None:
        """The chance that the proof gives, if its secret is revealed; raises if it does not fit what was promised."""
        if isinstance(self.fair, BoundProof):
            return self.fair.chance(self.game, self.rules, self.options, self.position)
        return self.fair.chance() if self.fair is not None else None

    def states(self) -> Iterator[State[Any]]:
        """The state at the start and after every event; raises at the first event that cannot be."""
        state = first_state(self.game_played, self.options, self.position)
        yield state
        for number, event in enumerate(self.events, start=1):
            try:
                state = apply_event(state, event, last=number == len(self.events))
            except SobremesaError as error:
                raise InvalidRecord(
                    "table.error.event-number-event", number=number, event=event[:60], error=error
                ) from error
            yield state

    def __str__(self) -> str:
        """The events, and how it ended."""
        names = ", ".join(self.names) or f"seats: {self.options['seats']}"
        end = f"\n{self.result.scores}, places {self.result.places}" if self.result else ""
        return f"{self.game_played.name} · {names}\n{' '.join(self.events)}{end}"

    def _repr_svg_(self) -> str:
        return self.final().view(None).svg()

    def final(self) -> State[Any]:
        """The state after the last event."""
        *_, state = self.states()
        return state


def first_state(game: Game, options: dict[str, Value], position: str | None) -> State[Any]:
    """Where a game begins: the laid table, or a position that is set as the options say."""
    if position is None:
        return game.start(**options)
    state = game.parse_position(position)
    if state.options != game.set_table(options):
        raise InvalidRecord("table.error.the-options-are-not-those-of-the-position")
    return state


def apply_event(state: State[Any], event: str, last: bool = True) -> State[Any]:
    """The state after one event of a record; only the last one may leave a round open."""
    if state.over:
        raise InvalidRecord("table.error.the-game-is-over-already")
    if state.chance is not None:
        return state.happen(read_outcome(event))
    seats = list(state.deciding)
    moves = event.split(" ")
    if event.startswith("~"):
        raise InvalidRecord("table.error.seat-has-to-decide-here-not-chance", seat=seats[0])
    if len(moves) != len(seats):
        raise InvalidRecord("table.error.moves-are-here-but", seats=len(seats), moves=len(moves))
    for seat, move in zip(seats, moves, strict=True):
        if move == "-":
            if not last or len(seats) == 1:
                raise InvalidRecord("table.error.seat-has-not-decided", seat=seat)
            continue
        try:
            state = state.play(state.parse_move(move, seat), seat)
        except SobremesaError as error:
            raise InvalidRecord("table.error.seat-seat", seat=seat, error=error) from error
    return state


def read_outcome(event: str) -> int:
    """The outcome that a chance event holds."""
    match = _OUTCOME.fullmatch(event)
    if match is None:
        raise InvalidRecord("table.error.chance-decides-here")
    return int(match[1])


def loads(text: str | bytes, limit: int = MAX_RECORD_BYTES) -> Record:
    """Reads a record, checking its form; ``sobremesa.table.verify`` checks what it says."""
    if len(text) > limit:
        raise InvalidRecord("table.error.the-file-is-too-large-for-a-record", limit=limit)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidRecord("table.error.this-is-no-record") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidRecord("table.error.this-is-no-record-its", format=FORMAT)
    known = {"format", "game", "rules", "options", "names", "position", "fair", "result", "hints", "events"}
    if unknown := set(data) - known:
        raise InvalidRecord("table.error.a-record-has-no-field", field=min(unknown)[:40])
    game = find_game(_typed(data, "game", str))
    options = game.set_table(_typed(data, "options", dict))
    seats = int(options["seats"])
    if seats > limit:
        raise InvalidRecord("table.error.the-record-has-too-many-seats-for-its")
    names = _texts(data.get("names", []), "names", MAX_NAME_LENGTH)
    if names and len(names) != seats:
        raise InvalidRecord("table.error.names-for-a-table", names=len(names), seats=seats)
    events = _texts(_typed(data, "events", list), "events", limit)
    return Record(
        game=game.id,
        rules=_typed(data, "rules", int),
        options=options,
        events=events,
        names=names,
        position=_read_position(data.get("position")),
        result=_read_result(data["result"], seats) if data.get("result") is not None else None,
        fair=_read_proof(data["fair"], seats) if data.get("fair") is not None else None,
        hints=_read_hints(data.get("hints", []), len(events), seats),
    )


def _read_position(value: object) -> str | None:
    if value is None or (is_line(value) and isinstance(value, str) and 0 < len(value) <= MAX_POSITION_LENGTH):
        return value
    raise InvalidRecord("table.error.the-record-field-is-missing-or-malformed", field="position")


def _typed(data: dict[str, Any], key: str, kind: type) -> Any:
    value = data.get(key)
    if type(value) is not kind:
        raise InvalidRecord("table.error.the-record-field-is-missing-or-malformed", field=key)
    return value


def _texts(value: object, key: str, max_length: int) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(map(is_line, value)) or max(map(len, value), default=0) > max_length:
        raise InvalidRecord("table.error.the-record-field-is-missing-or-malformed", field=key)
    return tuple(value)


def _read_result(data: object, seats: int) -> Result:
    if isinstance(data, dict) and set(data) == {"scores", "places"}:
        rows = [data["scores"], data["places"]]
        if all(isinstance(row, list) and len(row) == seats and all(type(n) is int for n in row) for row in rows):
            return Result(*map(tuple, rows))
    raise InvalidRecord("table.error.the-record-field-is-missing-or-malformed", field="result")


def _read_hints(data: object, events: int, seats: int) -> tuple[tuple[int, int], ...]:
    if not isinstance(data, list):
        raise InvalidRecord("table.error.the-record-field-is-missing-or-malformed", field="hints")
    hints = []
    for pair in data:
        if not isinstance(pair, list) or list(map(type, pair)) != [int, int]:
            raise InvalidRecord("table.error.the-record-field-is-missing-or-malformed", field="hints")
        event, seat = pair
        # The last hint may be for a move that was never made: the game was given up instead.
        if not (1 <= event <= events + 1 and 0 <= seat < seats):
            raise InvalidRecord("table.error.the-record-field-is-missing-or-malformed", field="hints")
        hints.append((event, seat))
    return tuple(hints)


def _write_proof(proof: FairnessProof | BoundProof) -> dict[str, Any]:
    if isinstance(proof, FairnessProof):
        words = [_write_words(words) for words in proof.words]
        return {"commitment": proof.commitment, "words": words, "secret": proof.secret}
    return {
        "version": proof.version,
        "room": proof.room,
        "number": proof.number,
        "crowd": proof.crowd,
        "void": [
            {"commitment": void.commitment, "call": void.call, "missing": list(void.missing)} for void in proof.voids
        ],
        "commitment": proof.commitment,
        "words": {str(seat): _write_words(words) for seat, words in proof.words},
        "seals": {str(sealed.seat): _write_sealed(sealed) for sealed in proof.sealed},
        "call": proof.call,
        "secret": proof.secret,
    }


def _write_sealed(sealed: Sealed) -> dict[str, Any]:
    data: dict[str, Any] = {"seal": sealed.seal}
    if sealed.place != sealed.seat:
        data["place"] = sealed.place
    if sealed.opening is not None:
        data["nonce"] = sealed.opening.nonce
        if sealed.opening.words != "":
            data["words"] = _write_words(sealed.opening.words)
    return data


def _read_proof(data: object, seats: int) -> FairnessProof | BoundProof:
    if isinstance(data, dict) and "version" in data:
        return _read_bound_proof(data, seats)
    if isinstance(data, dict) and set(data) <= {"commitment", "words", "secret"}:
        commitment, secret = data.get("commitment"), data.get("secret")
        words = _read_words(data.get("words", []))
        if len(words) in (0, seats) and _is_hex(commitment) and (secret is None or _is_hex(secret)):
            return FairnessProof(str(commitment), words, secret)
    raise _malformed_proof()


_PROOF = {"version", "room", "number", "crowd", "void", "commitment", "words", "seals", "call", "secret"}


def _read_bound_proof(data: dict[Any, Any], seats: int) -> BoundProof:
    """A proof of version 2, in the one form that it has."""
    if set(data) != _PROOF or type(data["version"]) is not int or data["version"] != BoundProof.version:
        raise _malformed_proof()
    number, secret = data["number"], data["secret"]
    hexes = all(_is_hex(data[name]) for name in ("room", "commitment", "call")) and (secret is None or _is_hex(secret))
    if not hexes or type(data["crowd"]) is not bool or type(number) is not int or not 0 < number < 2**31:
        raise _malformed_proof()
    if not isinstance(data["void"], list):
        raise _malformed_proof()
    words = tuple((seat, _read_word(said)) for seat, said in _by_seat(data["words"], seats))
    if any(said == "" for _, said in words):
        raise _malformed_proof()
    sealed = tuple(_read_sealed(seat, each) for seat, each in _by_seat(data["seals"], seats))
    places = [each.place for each in sealed]
    if any(one >= other for one, other in pairwise(places)) or not (
        data["crowd"] or all(each.place == each.seat for each in sealed)
    ):
        raise _malformed_proof()
    return BoundProof(
        commitment=data["commitment"],
        room=data["room"],
        number=number,
        crowd=data["crowd"],
        voids=tuple(map(_read_void, data["void"])),
        call=data["call"],
        words=words,
        sealed=sealed,
        secret=secret,
    )


def _by_seat(data: object, seats: int) -> list[tuple[int, Any]]:
    """What a proof says of some seats, in their order."""
    if not isinstance(data, dict) or len(data) > seats:
        raise _malformed_proof()
    found = [(int(key), value) for key, value in data.items() if _SEAT.fullmatch(key)]
    if len(found) != len(data) or any(seat >= seats for seat, _ in found):
        raise _malformed_proof()
    return sorted(found, key=itemgetter(0))


def _read_sealed(seat: int, data: object) -> Sealed:
    if not isinstance(data, dict) or not {"seal"} <= set(data) <= {"seal", "place", "nonce", "words"}:
        raise _malformed_proof()
    place, nonce = data.get("place", seat), data.get("nonce")
    usual = data.get("place") == seat or data.get("words") == ""  # is not written: there is one form only
    if not _is_hex(data["seal"]) or type(place) is not int or not 0 <= place < 2**31 or usual:
        raise _malformed_proof()
    if "nonce" not in data:
        if "words" in data:
            raise _malformed_proof()
        return Sealed(seat, data["seal"], place)
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise _malformed_proof()
    return Sealed(seat, data["seal"], place, Opening(nonce, _read_word(data.get("words", ""))))


def _read_void(data: object) -> Void:
    if isinstance(data, dict) and set(data) == {"commitment", "call", "missing"}:
        missing = data["missing"]
        if _is_hex(data["commitment"]) and _is_hex(data["call"]) and isinstance(missing, list):
            rising = all(one < other for one, other in pairwise([-1, *missing])) if _whole(missing) else False
            if missing and rising and missing[-1] < 2**31:
                return Void(data["commitment"], data["call"], tuple(missing))
    raise _malformed_proof()


def _whole(values: list[Any]) -> bool:
    return all(type(value) is int for value in values)


def _malformed_proof() -> InvalidRecord:
    return InvalidRecord("table.error.the-record-field-is-missing-or-malformed", field="fair")


def _write_words(words: Words) -> str | dict[str, str]:
    return words if isinstance(words, str) else {"sha256": words.sha256}


def _read_word(value: object) -> Words:
    return _read_words([value])[0]


def _read_words(value: object) -> tuple[Words, ...]:
    """The words of each seat; of somebody who was forgotten there is the digest alone."""
    if not isinstance(value, list):
        return _texts(value, "fair", MAX_WORDS_LENGTH)
    digests = {
        index: Digest(words["sha256"])
        for index, words in enumerate(value)
        if isinstance(words, dict) and set(words) == {"sha256"} and _is_hex(words["sha256"])
    }
    texts = _texts(["" if index in digests else words for index, words in enumerate(value)], "fair", MAX_WORDS_LENGTH)
    return tuple(digests.get(index, text) for index, text in enumerate(texts))


def is_line(value: object) -> bool:
    """Whether it is a text without control or format characters, which could do tricks in a terminal.

    The joiner that makes one emoji of several is none of these, nor are blanks of any width.
    """
    if not isinstance(value, str):
        return False
    return value.isprintable() or all(c.isprintable() or c == _JOINER or category(c) == "Zs" for c in value)


def _is_hex(value: object) -> bool:
    return isinstance(value, str) and _HEX.fullmatch(value) is not None
