"""Nothing is hidden in Callisto: everybody sees everything."""

import json

from kinds import played
from sobremesa.core.cells import cell_name, parse_cell
from sobremesa.games.callisto import plain
from sobremesa.games.callisto.board import Placement, find_board

from .boards import position, start


def test_everybody_sees_the_same() -> None:
    state = position("h1 i1 h2,i2", "h16 a8", turn=1)
    seen = [dict(state.view(seat).as_dict()) for seat in (0, 1, None)]
    assert [view.pop("seat") for view in seen] == [0, 1, None]
    assert seen[0] == seen[1] == seen[2]


def test_only_the_seat_on_turn_has_moves() -> None:
    state = played(start(), "h1")
    assert state.view(1).legal_moves() == state.legal_moves()
    assert state.view(0).legal_moves() == state.view(None).legal_moves() == []


def test_a_view_as_plain_data() -> None:
    view = position("h1 i1 i2,h2", "h16", turn=1, starter=1, out="x.").view(1).as_dict()
    assert json.loads(json.dumps(view)) == view
    assert view["game"] == "callisto"
    assert view["options"] == {"edition": "classic", "seats": 2, "starter": 1}
    assert view["deciding"] == [1]
    assert view["sides"][0] == {
        "placed": [
            {"move": "h1", "piece": "P", "orientation": 0, "cell": "h1"},
            {"move": "i1", "piece": "P", "orientation": 0, "cell": "i1"},
            {"move": "h2,i2", "piece": "2", "orientation": 0, "cell": "h2"},
        ],
        "tiles": {"2": 1, "I": 2, "V": 2, "O": 2, "L": 2, "T4": 2, "Z": 2, "U": 1, "T5": 1, "W": 1, "X": 1},
        "pillars": 1,
        "penalty": 66,
        "out": True,
    }
    assert view["sides"][1]["pillars"] == 2
    assert not view["sides"][1]["out"]


def test_nobody_decides_after_the_end() -> None:
    assert position("h1 i1", "h16 i16", turn=None, out="xx").view(0).as_dict()["deciding"] == []


def test_scores_and_places_are_there_once_the_game_is_over() -> None:
    assert position("h1 i1", "h16 i16", turn=0).view(0).as_dict()["scores"] is None
    end = position("h1 i1 h2,i2", "h16 i16", turn=None, out="xx").view(None).as_dict()
    assert end["scores"] == [66, 68]
    assert end["places"] == [1, 2]


def test_a_piece_is_told_as_what_it_is() -> None:
    """Kind, orientation and cell give the same cells again, by the box alone."""
    shapes = plain.box()["shapes"]
    for placement in find_board("classic", 4).by_cells.values():
        check_piece(placement, shapes)


def check_piece(placement: Placement, shapes: dict[str, plain.CallistoShape]) -> None:
    told = plain.piece(placement)
    pillar = told["piece"] not in shapes
    squares = [[0, 0]] if pillar else shapes[told["piece"]]["orientations"][told["orientation"]]["offsets"]
    x, y = parse_cell(told["cell"], 20, 20)
    cells = [cell_name(x - squares[0][0] + right, y - squares[0][1] + up) for right, up in squares]
    assert ",".join(cells) == told["move"] == placement.text
