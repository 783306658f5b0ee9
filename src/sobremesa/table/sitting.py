"""A game while it is being played: what has happened so far, taking back, putting aside, going on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sobremesa.core.errors import SobremesaError
from sobremesa.core.game import Game, Value
from sobremesa.core.seats import NOBODY, Seats
from sobremesa.core.state import State
from sobremesa.games import find_game
from sobremesa.table.commitments import BoundChance
from sobremesa.table.fair import FairChance
from sobremesa.table.record import Record, first_state


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """One move, or one outcome of chance: a link of a persistent list that earlier sittings share."""

    before: "_Entry | None"
    text: str
    """The move in notation, or the outcome."""
    seat: int | None
    """Who moved; None for chance."""
    state: State[Any] | None
    """The state in which this decision began; None for the later moves of seats that decide together."""
    deciding: Seats = NOBODY
    """The seats that decide together, beside the first of their moves."""
    left: int = 0
    """How many of them have not moved yet."""

    @property
    def together(self) -> bool:
        """Whether it is the move of a seat that decided together with others."""
        return self.seat is not None and (self.state is None or len(self.deciding) > 1)


@dataclass(frozen=True, slots=True)
class LastMove:
    """The last move of a seat."""

    seat: int
    move: str
    """In notation."""
    together: bool
    """Whether others decided at the same time, without seeing it."""
    age: int
    """How much has happened since: 0 for the last of all."""


@dataclass(frozen=True, eq=False)
class Sitting:
    """One game at a table, from its first move to its record. Immutable: whatever happens makes a new one."""

    game: Game
    state: State[Any]
    chance: FairChance | BoundChance
    names: tuple[str, ...] = ()
    position: str | None = None
    """Where it began, if not with the laid table."""
    rolls: int = 0
    """How often chance has spoken: the counter of the next roll."""
    _proven: bool = False
    _last: _Entry | None = field(default=None, repr=False)
    _undo: "tuple[int, Sitting] | None" = field(default=None, repr=False)
    """Who may take the last move back, and the sitting before it."""

    @classmethod
    def start(
        cls,
        game: Game,
        options: Mapping[str, Value] | None = None,
        chance: FairChance | BoundChance | None = None,
        names: tuple[str, ...] = (),
        position: str | None = None,
    ) -> "Sitting":
        """A new game; from a position, if one is given. Without ``chance`` nobody can foresee the rolls."""
        state = first_state(game, dict(options or {}), position)
        return cls(game, state, chance or FairChance.fresh(), names, position, _proven=game.has_chance)

    @classmethod
    def resume(cls, record: Record) -> "Sitting":
        """Goes on with a game that was put aside. Without its secret, the rolls to come are new chance, unproven."""
        game = find_game(record.game)
        record.final()
        chance = record.chance()
        sitting = cls.start(game, record.options, chance, record.names, record.position)
        for event in record.events:
            if sitting.state.chance is not None:
                sitting = sitting.happen(int(event[1:]))
                continue
            for seat, move in zip(list(sitting.state.deciding), event.split(" "), strict=True):
                if move != "-":
                    sitting = sitting.play(sitting.state.parse_move(move, seat), seat)
        proven = game.has_chance and (chance is not None or not sitting.rolls)
        return replace(sitting, _undo=None, _proven=proven)

    def play(self, move: Any, seat: int | None = None) -> "Sitting":
        """The sitting after a seat's move, or its text; raises the rules' own error if the seat may not.

        The seat may be left out where one alone has to decide.
        """
        before = self.state
        if seat is None:
            seat = before.decider()
        if isinstance(move, str):
            move = before.parse_move(move, seat)
        after = before.play(move, seat)
        if self._last is not None and self._last.left:
            entry = _Entry(self._last, str(move), seat, None, left=self._last.left - 1)
        else:
            deciding = before.deciding
            entry = _Entry(self._last, str(move), seat, before, deciding, len(deciding) - 1)
        # Only one's own moves in a row can be taken back: never across another seat's decision.
        back = self if self.can_undo in (None, seat) else replace(self, _undo=None)
        return replace(self, state=after, _last=entry, _undo=(seat, back))

    @property
    def together(self) -> bool:
        """Whether several seats decide the running moment together, each without seeing what the others do."""
        return (self._last is not None and self._last.left > 0) or len(self.state.deciding) > 1

    def bound(self) -> int:
        """What chance is bound to bring now."""
        chance = self.state.chance
        if chance is None:
            raise SobremesaError("table.error.nothing-is-left-to-chance-here")
        return chance.at(self.chance.ticket(self.rolls, chance.total))

    def roll(self) -> "Sitting":
        """The sitting after chance brought what it was bound to bring."""
        return self.happen(self.bound())

    def happen(self, outcome: int) -> "Sitting":
        """The sitting after chance brought this outcome, wherever it comes from."""
        entry = _Entry(self._last, str(outcome), None, self.state)
        return replace(self, state=self.state.happen(outcome), rolls=self.rolls + 1, _last=entry, _undo=None)

    @property
    def can_undo(self) -> int | None:
        """The seat that may take its last move back.

        Never across another seat's decision, nor across a roll or a turned tile.
        """
        return self._undo[0] if self._undo else None

    def undo(self, seat: int | None) -> "Sitting":
        """The sitting before the seat's last move."""
        if seat is None or self._undo is None or self._undo[0] != seat:
            raise SobremesaError("table.error.there-is-nothing-to-take-back")
        return self._undo[1]

    def _entries(self) -> list[_Entry]:
        """Everything that has happened, oldest first."""
        entries = []
        entry = self._last
        while entry is not None:
            entries.append(entry)
            entry = entry.before
        return entries[::-1]

    def last_move(self, seat: int) -> LastMove | None:
        """A seat's last move, if it has made one."""
        if (found := self._last_entries.get(seat)) is None:
            return None
        age, entry = found
        return LastMove(seat, entry.text, entry.together, age)

    @cached_property
    def _last_entries(self) -> Mapping[int, tuple[int, _Entry]]:
        """Each seat's last move, and how much has happened since."""
        found: dict[int, tuple[int, _Entry]] = {}
        entry, age = self._last, 0
        while entry is not None and len(found) < self.state.seats:
            if entry.seat is not None and entry.seat not in found:
                found[entry.seat] = age, entry
            entry, age = entry.before, age + 1
        return found

    def past(self) -> tuple[State[Any], ...]:
        """The states before each event so far, the start first; the present state is not among them."""
        return tuple(entry.state for entry in self._entries() if entry.state is not None)

    @property
    def next_event(self) -> int:
        """The number, from 1, of the record's event that is being decided."""
        return len(self.past()) + (self._last is None or not self._last.left)

    def events(self) -> Iterator[str]:
        """What has happened, as a record writes it: an outcome, or the moves of all who decided together."""
        entries = self._entries()
        starts = [index for index, entry in enumerate(entries) if entry.state is not None]
        for start, end in zip(starts, [*starts[1:], len(entries)], strict=False):
            first = entries[start]
            if first.seat is None:
                yield f"~{first.text}"
            elif end == start + 1 and not first.left:
                yield first.text
            else:
                moves = {entry.seat: entry.text for entry in entries[start:end]}
                yield " ".join(moves.get(seat, "-") for seat in first.deciding)

    def record(self, reveal: bool = True) -> Record:
        """The game so far; without ``reveal`` the secret is left out until the game is over."""
        return Record(
            game=self.game.id,
            # What was promised under older rules proves itself under those alone.
            rules=self.chance.context.rules if isinstance(self.chance, BoundChance) else self.game.version,
            options=self.state.options,
            events=tuple(self.events()),
            names=self.names,
            position=self.position,
            result=self.state.result(),
            fair=self.chance.proof(reveal or self.state.over) if self._proven else None,
        )
