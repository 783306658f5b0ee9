"""What is in the box, as pages draw it: RULES' tables again."""

import pytest

from kinds import played
from sobremesa.games.isis_osiris.plain import box

from .boards import start

BOX = box()
STANDARD = BOX["editions"]["standard"]


def test_the_tiles() -> None:
    assert {tile["value"]: tile["count"] for tile in STANDARD["tiles"]} == {
        -4: 1, -3: 2, -2: 6, -1: 2, 1: 2, 2: 6, 3: 2, 4: 1,
    }  # fmt: skip


@pytest.mark.parametrize(("seats", "stones", "tiles", "put_away"), [(2, 8, 11, 0), (3, 6, 7, 1), (4, 5, 5, 2)])
def test_what_everybody_begins_with(seats: int, stones: int, tiles: int, put_away: int) -> None:
    assert STANDARD["hands"][seats] == {"stones": stones, "tiles": tiles, "put_away": put_away}


def test_cells_are_in_the_order_of_a_view() -> None:
    assert (STANDARD["width"], STANDARD["height"], len(STANDARD["cells"])) == (6, 6, 36)
    for cell in ("a1", "f1", "c3", "f6"):
        view = played(start(), f"S{cell}").view(None).as_dict()
        assert view["cells"].index("A") == STANDARD["cells"].index(cell)


def test_i7_neighbours_share_a_side() -> None:
    names = STANDARD["cells"]
    beside = {name: {names[other] for other in STANDARD["neighbours"][cell]} for cell, name in enumerate(names)}
    assert beside["a1"] == {"a2", "b1"}
    assert beside["c3"] == {"b3", "d3", "c2", "c4"}
    assert beside["f4"] == {"f3", "f5", "e4"}


def test_i9_the_track() -> None:
    assert BOX["track"] == {"least": -20, "most": 20}
