"""I1, I3 and I7: who sees which tiles, and when."""

import json

import pytest

from kinds import Kind, kinds_of, played
from sobremesa.games.isis_osiris import GAME

from .boards import random_game, start

KINDS = kinds_of("isis-osiris")

EVERYBODY = (0, 1, None)
C3 = 14


@pytest.mark.parametrize("seat", EVERYBODY)
def test_i1_nobody_sees_a_tile_before_it_is_turned_over(seat: int | None) -> None:
    """Not even while it is being turned: what chance will bring is in no view."""
    for moves in ("", "T", "T *+4 Tc3 T"):
        view = played(start(), moves).view(seat)
        assert view.turned is None
    assert played(start(), "T").view(seat).turning


@pytest.mark.parametrize("seat", EVERYBODY)
@pytest.mark.parametrize("memory_aid", [False, True])
def test_i3_everybody_sees_the_tile_when_it_is_turned(seat: int | None, memory_aid: bool) -> None:
    view = played(start(memory_aid=memory_aid), "T *-3").view(seat)
    assert view.turned == -3
    assert not view.turning


@pytest.mark.parametrize("seat", EVERYBODY)
def test_i3_nobody_sees_it_once_it_lies_face_down(seat: int | None) -> None:
    view = played(start(), "T *-3 Tc3").view(seat)
    assert view.cells[C3] == "?"
    assert view.turned is None
    assert "-3" not in json.dumps(view.as_dict())


@pytest.mark.parametrize("seat", EVERYBODY)
def test_i3_the_memory_aid_shows_it(seat: int | None) -> None:
    view = played(start(memory_aid=True), "T *-3 Tc3").view(seat)
    assert view.cells[C3] == "-3"


def test_i3_the_memory_aid_is_off_by_default() -> None:
    assert GAME.start().options["memory_aid"] is False


def test_i3_coming_back_is_no_memory_aid() -> None:
    """A view is made from the position alone: looking earlier, or never, makes no difference."""
    state = played(start(), "T *-3")
    state.view(1)
    state = played(state, "Tc3")
    assert state.view(1) == GAME.parse_position(state.position()).view(1)


def test_i3_face_down_tiles_look_alike() -> None:
    one, other = played(start(), "T *-4 Tc3"), played(start(), "T *+4 Tc3")
    assert one != other
    for seat in EVERYBODY:
        assert one.view(seat) == other.view(seat)
        assert one.view(seat).as_dict() == other.view(seat).as_dict()


@pytest.mark.parametrize("seat", EVERYBODY)
def test_stones_and_what_everybody_has_left_are_public(seat: int | None) -> None:
    view = played(start(), "Sc3 T *+1 Ta1").view(seat)
    assert view.cells[C3] == "A"
    assert view.stones_left == (7, 8)
    assert view.tiles_left == (11, 10)
    assert view.turn == 0
    assert view.scores is None


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_i7_all_tiles_on_the_board_are_shown_at_the_end_and_not_before(kind: Kind) -> None:
    states = random_game(kind, seed=1)
    for seat in (*range(states[0].seats), None):
        for state in states[:-1]:
            shown = {mark for mark in state.view(seat).cells if mark[0] in "+-"}
            assert bool(shown) == (kind.options["memory_aid"] and any(state.tiles))
            assert state.view(seat).scores is None
        end = states[-1].view(seat)
        assert "?" not in end.cells
        assert end.scores == states[-1].scores()
        assert end.turn is None


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_i1_tiles_put_away_stay_unseen_also_after_the_game(kind: Kind) -> None:
    """Whatever the unseen tiles are, no view at any time tells of them."""
    for state in random_game(kind, seed=2):
        other = state._replace(unseen=tuple(reversed(state.unseen)))
        assert other.view(0) == state.view(0)
        assert other.view(None).as_dict() == state.view(None).as_dict()


def test_a_view_as_plain_data() -> None:
    view = played(start(3, starter=1), "T *+2 Tc3 Sd4 T").view(2).as_dict()
    assert json.loads(json.dumps(view)) == view
    cells = ["."] * 36
    cells[C3], cells[21] = "?", "C"
    assert view == {
        "game": "isis-osiris",
        "seat": 2,
        "options": {"edition": "standard", "seats": 3, "variant": "own", "memory_aid": False, "starter": 1},
        "deciding": [],
        "turn": 0,
        "turning": True,
        "turned": None,
        "cells": cells,
        "stones_left": [6, 6, 5],
        "tiles_left": [6, 6, 7],
        "scores": None,
        "places": None,
    }
