"""Is a record true? Every move legal, the result right, every roll the one that was promised."""

from dataclasses import dataclass
from typing import Any

from sobremesa.core.errors import InvalidRecord
from sobremesa.core.state import State
from sobremesa.table.commitments import BoundProof
from sobremesa.table.record import Record, read_outcome


@dataclass(frozen=True)
class Verdict:
    """What a true record shows."""

    final: State[Any]
    moves: int
    rolls: int
    fair: bool | None
    """Whether every roll was shown to follow from the promise; None if there is no proof, or no secret yet."""
    version: int | None = None
    """Of the proof: in version 1 a server that works together with a seat could steer."""
    bound: tuple[int, ...] = ()
    """The seats that took part in version 2: against any of them nobody could steer chance without a trace."""
    voids: int = 0
    """How many promises for this game were void before, because somebody who was called did not open."""
    unopened: int = 0
    """How many seats of a crowd were called and did not open."""


def verify(record: Record) -> Verdict:
    """Replays a record and checks everything in it; raises InvalidRecord that says what is wrong, and where."""
    chance = record.chance()
    moves = rolls = 0
    states = record.states()
    state = next(states)
    for number, (event, after) in enumerate(zip(record.events, states, strict=True), start=1):
        if state.chance is None:
            moves += len(event.split(" ")) - event.split(" ").count("-")
        else:
            if chance is not None:
                recorded, promised = read_outcome(event), state.chance.at(chance.ticket(rolls, state.chance.total))
                if recorded != promised:
                    raise InvalidRecord(
                        "table.error.fairness-event-says-but",
                        number=number,
                        recorded=recorded,
                        promised=promised,
                    )
            rolls += 1
        state = after
    _check_result(record, state)
    shown = True if chance is not None and rolls else None
    proof = record.fair
    if not isinstance(proof, BoundProof):
        return Verdict(state, moves, rolls, shown, None if proof is None else proof.version)
    unopened = len(proof.sealed) - len(proof.opened)
    return Verdict(state, moves, rolls, shown, proof.version, proof.opened, len(proof.voids), unopened)


def _check_result(record: Record, state: State[Any]) -> None:
    result = state.result()
    if record.result == result:
        return
    if result is None:
        raise InvalidRecord("table.error.result-the-record-gives")
    if record.result is None:
        raise InvalidRecord("table.error.result-the-game-is-over")
    recorded, true = record.result, result
    for seat in range(state.seats):
        if recorded.scores[seat] != true.scores[seat]:
            raise InvalidRecord(
                "table.error.result-the-record-gives-seat",
                seat=seat,
                recorded=recorded.scores[seat],
                true=true.scores[seat],
            )
        if recorded.places[seat] != true.places[seat]:
            raise InvalidRecord(
                "table.error.result-the-record-gives-seat-the-place",
                seat=seat,
                recorded=recorded.places[seat],
                true=true.places[seat],
            )
