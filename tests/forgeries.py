"""Records that somebody could forge: true in themselves, and another game than the one that was played."""

import json
from typing import Any

from sobremesa.core.game import Value
from sobremesa.games import find_game
from sobremesa.table.commitments import BoundChance, BoundProof, Context, Opening, Sealed, Void
from sobremesa.table.fair import FairChance, Words
from sobremesa.table.record import Record, loads
from sobremesa.table.sitting import Sitting

Json = dict[str, Any]


def bound_chance(
    game: str,
    options: dict[str, Value],
    secret: bytes,
    openings: dict[int, Opening | None],
    *,
    words: dict[int, Words] | None = None,
    room: str = "ab" * 32,
    number: int = 1,
    crowd: bool = False,
    voids: tuple[Void, ...] = (),
    places: dict[int, int] | None = None,
) -> BoundChance:
    """The chance of a game for which everything was promised, sealed, called and opened as it should be."""
    set_table = find_game(game).set_table(options)
    agreed = {name: value for name, value in set_table.items() if name not in ("seats", "starter")}
    context = Context(room, number, game, find_game(game).version, agreed, crowd, None, voids)
    promise = context.promise(secret)
    places = {seat: seat for seat in openings} | (places or {})
    sealed = tuple(
        Sealed(seat, context.seal(promise, places[seat], opening or Opening("0" * 32)), places[seat], opening)
        for seat, opening in sorted(openings.items())
    )
    said = tuple(sorted((words or {}).items()))
    return BoundChance(secret, context, promise, int(set_table["seats"]), int(set_table["starter"]), said, sealed)


def played_by(record: Record, chance: FairChance | BoundChance) -> Record:
    """The same moves with this chance: only where moves do not depend on it."""
    sitting = Sitting.start(find_game(record.game), record.options, chance, record.names)
    for event in record.events:
        if sitting.state.chance is not None:
            sitting = sitting.roll()
            continue
        for seat, move in zip(list(sitting.state.deciding), event.split(" "), strict=True):
            sitting = sitting.play(sitting.state.parse_move(move, seat), seat)
    return sitting.record()


def forge(
    true: Json,
    secret: str | None = None,
    words: dict[int, Words] | None = None,
    openings: dict[int, Opening | None] | None = None,
    room: str | None = None,
    number: int | None = None,
) -> Json:
    """A record that is true in itself, from another promise, words or seals."""
    record = loads(json.dumps(true))
    proof = record.fair
    assert isinstance(proof, BoundProof)
    chance = bound_chance(
        record.game,
        record.options,
        bytes.fromhex(secret or proof.secret or ""),
        {each.seat: each.opening for each in proof.sealed} if openings is None else openings,
        words=dict(proof.words) if words is None else words,
        room=room or proof.room,
        number=number or proof.number,
        voids=proof.voids,
    )
    forged: Json = json.loads(played_by(record, chance).dumps())
    return forged


def plainly(true: Json) -> Json:
    """The same game by version 1, where words could be chosen last."""
    record = loads(json.dumps(true))
    assert record.fair is not None
    forged: Json = json.loads(played_by(record, FairChance(bytes.fromhex(record.fair.secret or ""))).dumps())
    return forged
