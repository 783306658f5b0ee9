"""What is in the box, as pages draw it, is what the rules play with."""

import json

import pytest

from sobremesa.core.cells import cell_name
from sobremesa.games.callisto.board import find_board
from sobremesa.games.callisto.plain import box

BOX = box()
BOARDS = [(edition, seats) for edition in ("classic", "pocket") for seats in (2, 3, 4)]


def test_it_is_plain_data() -> None:
    assert json.loads(json.dumps(BOX["shapes"])) == BOX["shapes"]


def test_the_tiles_have_the_squares_that_the_rules_say() -> None:
    squares = {name: shape["squares"] for name, shape in BOX["shapes"].items()}
    assert squares == {
        "2": 2, "I": 3, "V": 3, "O": 4, "L": 4, "T4": 4, "Z": 4, "U": 5, "T5": 5, "W": 5, "X": 5,
    }  # fmt: skip
    for edition, total, tiles in (("classic", 68, 18), ("pocket", 47, 13)):
        copies = BOX["editions"][edition]["tiles"]
        assert sum(copies.values()) == tiles
        assert sum(count * squares[name] for name, count in copies.items()) == total


def test_how_many_ways_a_tile_can_be_held() -> None:
    ways = {name: len(shape["orientations"]) for name, shape in BOX["shapes"].items()}
    assert ways == {"2": 2, "I": 2, "V": 4, "O": 1, "L": 8, "T4": 4, "Z": 4, "U": 4, "T5": 4, "W": 4, "X": 1}


@pytest.mark.parametrize("name", BOX["shapes"])
def test_turning_four_times_and_flipping_twice_change_nothing(name: str) -> None:
    ways = BOX["shapes"][name]["orientations"]
    for start in range(len(ways)):
        at = start
        for _ in range(4):
            at = ways[at]["turned"]
        assert at == start
        assert ways[ways[start]["flipped"]]["flipped"] == start
        back = ways[ways[ways[ways[start]["turned"]]["flipped"]]["turned"]]["flipped"]
        assert back == start, "turned, seen in a mirror, turned: the mirror turns the other way round"


def test_a_quarter_turn_goes_clockwise() -> None:
    """The L with its foot at the bottom left of a lying bar: turned, the bar stands and the foot is at its top."""
    way = BOX["shapes"]["L"]["orientations"][0]
    assert way["offsets"] == [[0, 0], [1, 0], [2, 0], [0, 1]]
    turned = BOX["shapes"]["L"]["orientations"][way["turned"]]
    assert turned["offsets"] == [[0, 0], [0, 1], [0, 2], [1, 2]]
    flipped = BOX["shapes"]["L"]["orientations"][way["flipped"]]
    assert flipped["offsets"] == [[0, 0], [1, 0], [2, 0], [2, 1]]


@pytest.mark.parametrize(("edition", "seats"), BOARDS)
def test_the_pieces_of_the_box_make_exactly_the_placements_of_the_rules(edition: str, seats: int) -> None:
    drawn = BOX["editions"][edition]["boards"][seats]
    cells = {
        (x, drawn["height"] - 1 - y)
        for y, width in enumerate(drawn["rows"])
        for x in range((drawn["width"] - width) // 2, (drawn["width"] + width) // 2)
    }
    made = {f"P@{cell_name(*cell)}": cell_name(*cell) for cell in cells}
    for name in BOX["editions"][edition]["tiles"]:
        for way in BOX["shapes"][name]["orientations"]:
            for left in range(drawn["width"]):
                for low in range(drawn["height"]):
                    squares = [(left + x, low + y) for x, y in way["offsets"]]
                    if set(squares) <= cells:
                        names = [cell_name(*square) for square in squares]
                        made[f"{name}{way['letter']}@{names[0]}"] = ",".join(names)
    assert made == {placement.short: placement.text for placement in find_board(edition, seats).placements}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_centre_of_the_classic_board_and_none_in_the_pocket_frame(seats: int) -> None:
    centre = BOX["editions"]["classic"]["boards"][seats]["centre"]
    assert len(centre) == 24
    board = find_board("classic", seats)
    assert {board.by_short[f"p@{name}"].cells for name in centre} == {
        1 << cell for cell in range(board.centre.bit_length()) if board.centre >> cell & 1
    }
    assert BOX["editions"]["pocket"]["boards"][seats]["centre"] == []


def test_the_pillar_rules() -> None:
    rules = {name: [pillar["rule"] for pillar in edition["pillars"]] for name, edition in BOX["editions"].items()}
    assert rules == {"classic": ["C4", "C4", "C4"], "pocket": ["C5", "C5", "C6"]}
