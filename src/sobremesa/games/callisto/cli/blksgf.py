"""Records of Callisto as ``.blksgf`` files, and back: the format of Pentobi."""

from sobremesa.core.errors import InvalidRecord
from sobremesa.games.callisto import GAME, CallistoState, sgf
from sobremesa.table.record import Record


def loads(data: bytes) -> Record:
    """A game from a file."""
    try:
        game = sgf.loads(data.decode())
    except UnicodeDecodeError:
        raise InvalidRecord("callisto.error.this-is-no-sgf-file-it-is-not-in-utf") from None
    state = CallistoState.begin("classic", game.seats, starter=0)
    options = state.options
    for move in game.moves:
        state = state.play(move)
    return Record(
        game=GAME.id,
        rules=GAME.version,
        options=options,
        events=tuple(map(str, game.moves)),
        names=game.names,
        result=state.result(),
    )


def dumps(record: Record) -> str:
    """A game for a file."""
    if record.position is not None:
        raise InvalidRecord("callisto.error.the-game-began-from-a-position")
    moves = tuple(state.parse_move(event) for state, event in zip(record.states(), record.events, strict=False))
    start = next(record.states())
    assert isinstance(start, CallistoState)
    return sgf.dumps(start, moves, record.names)
