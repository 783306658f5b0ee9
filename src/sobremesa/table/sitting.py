"""A game while it is being played: what has happened so far, taking back, putting aside, going on."""

from dataclasses import dataclass, field
from typing import Any

from sobremesa.core.errors import SobremesaError
from sobremesa.core.game import Game, Value
from sobremesa.core.seats import Seats
from sobremesa.core.state import State
from sobremesa.games import find_game
from sobremesa.table.fair import FairChance, FairnessProof
from sobremesa.table.record import Record


@dataclass
class _Decision:
    """What the seats that had to decide at one moment did."""

    deciding: Seats
    moves: dict[int, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join(self.moves.get(seat, "-") for seat in self.deciding)


class Sitting:
    """One game at a table, from its first move to its record."""

    def __init__(self, game: Game, state: State[Any], chance: FairChance, names: tuple[str, ...] = ()) -> None:
        self.game = game
        self.state = state
        self.chance = chance
        self.names = names
        self._events: list[_Decision | int] = []
        self._rolls = 0
        self._proven = game.has_chance
        self._undo: list[tuple[int, State[Any]]] = []

    @classmethod
    def start(
        cls, game: Game, options: dict[str, Value], chance: FairChance | None = None, names: tuple[str, ...] = ()
    ) -> "Sitting":
        """A new game."""
        return cls(game, game.start(**options), chance or FairChance.fresh(), names)

    @classmethod
    def resume(cls, record: Record) -> "Sitting":
        """Goes on with a game that was put aside. Without its secret, the rolls to come are new chance, unproven."""
        game = find_game(record.game)
        record.final()
        chance = record.fair.chance() if record.fair else None
        sitting = cls.start(game, record.options, chance, record.names)
        for event in record.events:
            if sitting.state.chance is not None:
                sitting.happen(int(event[1:]))
                continue
            for seat, move in zip(list(sitting.state.deciding), event.split(" "), strict=True):
                if move != "-":
                    sitting.play(sitting.state.parse_move(move, seat), seat)
        sitting._undo.clear()
        sitting._proven = game.has_chance and (chance is not None or not sitting._rolls)
        return sitting

    def play(self, move: Any, seat: int) -> None:
        """The seat makes a move."""
        before = self.state
        self.state = before.play(move, seat)
        last = self._events[-1] if self._events else None
        if not isinstance(last, _Decision) or seat not in last.deciding or seat in last.moves:
            last = _Decision(before.deciding)
            self._events.append(last)
        last.moves[seat] = str(move)
        if self._undo and self._undo[-1][0] != seat:
            self._undo.clear()
        self._undo.append((seat, before))

    @property
    def together(self) -> bool:
        """Whether several seats decide the running moment together, each without seeing what the others do."""
        last = self._events[-1] if self._events else None
        if isinstance(last, _Decision) and self.state.deciding:
            return len(last.deciding) > 1
        return len(self.state.deciding) > 1

    def bound(self) -> int:
        """What chance is bound to bring now."""
        chance = self.state.chance
        if chance is None:
            raise SobremesaError("nothing is left to chance here")
        return chance.at(self.chance.ticket(self._rolls, chance.total))

    def roll(self) -> int:
        """Lets chance bring what it was bound to bring; returns it."""
        outcome = self.bound()
        self.happen(outcome)
        return outcome

    def happen(self, outcome: int) -> None:
        """Chance brings this outcome, wherever it comes from."""
        self.state = self.state.happen(outcome)
        self._events.append(outcome)
        self._rolls += 1
        self._undo.clear()

    @property
    def can_undo(self) -> int | None:
        """The seat that may take its last move back.

        Never across another seat's decision, nor across a roll or a turned tile.
        """
        return self._undo[-1][0] if self._undo else None

    def undo(self, seat: int | None) -> None:
        """The seat takes its last move back."""
        if seat is None or self.can_undo != seat:
            raise SobremesaError("there is nothing to take back: somebody else has moved since, or chance has spoken")
        _, self.state = self._undo.pop()
        last = self._events[-1]
        assert isinstance(last, _Decision)
        del last.moves[seat]
        if not last.moves:
            self._events.pop()

    def record(self, reveal: bool = True) -> Record:
        """The game so far; without ``reveal`` the secret is left out until the game is over."""
        return Record(
            game=self.game.id,
            rules=self.game.version,
            options=self.state.options,
            events=tuple(f"~{event}" if isinstance(event, int) else str(event) for event in self._events),
            names=self.names,
            result=self.state.result(),
            fair=FairnessProof.of(self.chance, reveal or self.state.over) if self._proven else None,
        )
