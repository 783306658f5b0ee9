"""Who remembers what of the tiles that lie face down (I3)."""

from collections.abc import Iterable, Sequence
from random import Random

from sobremesa.games.isis_osiris.editions import find_setup
from sobremesa.games.isis_osiris.state import FACE_DOWN, NOTHING, IsisOsirisState
from sobremesa.games.isis_osiris.view import FREE, HIDDEN, IsisOsirisView


def seen(views: Iterable[IsisOsirisView]) -> dict[int, tuple[int, int]]:
    """The tiles that were turned over before the eyes of somebody who saw these views in order.

    By cell: the value, and how many cells have been filled since.
    """
    known: dict[int, tuple[int, int]] = {}
    before: IsisOsirisView | None = None
    filled = 0
    for view in views:
        filled = sum(mark != FREE for mark in view.cells)
        if before is not None and before.turned is not None and view.turned is None:
            for cell, (was, mark) in enumerate(zip(before.cells, view.cells, strict=True)):
                if was == FREE and mark != FREE and mark not in "ABCD":
                    known[cell] = (before.turned, filled)
        before = view
    return {cell: (value, filled - then) for cell, (value, then) in known.items()}


def recall(
    view: IsisOsirisView, past: Sequence[IsisOsirisView], seed: str, memory_span: float | None = None
) -> IsisOsirisState:
    """The position as somebody has it in mind: a determinisation of what is hidden.

    With a memory span, each tile is remembered until about that many more pieces have been placed; what is forgotten,
    or was never seen, is taken for one of the tiles that might lie there. The seed decides, the same in all of a game.
    """
    remembered: dict[int, int] = {}
    for cell, (value, age) in seen([*past, view]).items():
        if memory_span is None or age <= Random(f"{seed} {cell}").expovariate(1 / memory_span):
            remembered[cell] = value
    for cell, mark in enumerate(view.cells):
        if mark[0] in "+-":
            remembered[cell] = int(mark)
    hidden = [cell for cell, mark in enumerate(view.cells) if mark == HIDDEN and cell not in remembered]
    setup = find_setup(view.edition, view.seats, view.variant, view.memory_aid, view.starter)
    known = [*remembered.values(), *([view.turned] if view.turned is not None else [])]
    counts = {value: count - known.count(value) for value, count in setup.edition.tiles.items()}
    pool = [value for value, count in counts.items() for _ in range(count)]
    for cell in hidden:
        guess = Random(f"{seed} {cell} {len(pool)}").choice(pool)
        remembered[cell] = guess
        pool.remove(guess)
    return IsisOsirisState(
        setup=setup,
        turn=0 if view.turn is None else view.turn,
        turned=FACE_DOWN if view.turning else NOTHING if view.turned is None else view.turned,
        free=sum(1 << cell for cell, mark in enumerate(view.cells) if mark == FREE),
        stones=tuple(
            sum(1 << cell for cell, mark in enumerate(view.cells) if mark == letter) for letter in "ABCD"[: view.seats]
        ),
        tiles=tuple(remembered.get(cell, 0) for cell in range(len(view.cells))),
        stones_left=view.stones_left,
        stocks=view.tiles_left if view.variant == "own" else view.tiles_left[:1],
        unseen=tuple(pool.count(value) for value in setup.values),
    )
