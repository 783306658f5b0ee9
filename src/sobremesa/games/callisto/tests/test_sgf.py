"""Callisto games exchanged with Pentobi as ``.blksgf``."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.core.errors import InvalidRecord
from sobremesa.core.playout import random_play
from sobremesa.games.callisto import CallistoState, Placement, sgf

BOUGHT = """(;GM[Callisto Two-Player]
CA[UTF-8]AP[Pentobi:31.0]PB[Ana \\[1\\]]PW[Bo]DT[2026-11-01]
;B[c8]C[a comment with \\] and ; and (]
;W[n9]
;B[f3]
;W[j13]
;B[d8,e8,d9]
(;W[n7,n8,o8]
;B[f4,f5,g5])
(;W[n8,o8]C[a variation]))
"""
"""Written as Pentobi writes: comments, escapes, a variation at the end."""


def random_game(seats: int, starter: int, seed: int) -> tuple[CallistoState, tuple[Placement, ...]]:
    start = CallistoState.begin("classic", seats, starter)
    random = Random(seed)
    state, moves = start, []
    while not state.over:
        moves.append(state.random_move(random))
        state = state.play(moves[-1])
    return start, tuple(moves)


def test_the_main_line_of_a_file_is_read() -> None:
    game = sgf.loads(BOUGHT)
    assert game.seats == 2
    assert game.names == ("Ana [1]", "Bo")
    assert [str(move) for move in game.moves] == [
        "c8", "n9", "f3", "j13", "d8,e8,d9", "n7,n8,o8", "f4,f5,g5",
    ]  # fmt: skip


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("starter", [0, 1])
def test_what_is_written_reads_back(seats: int, starter: int) -> None:
    start, moves = random_game(seats, starter, seed=seats)
    names = tuple(f"N{seat} \\ ]" for seat in range(seats))
    game = sgf.loads(sgf.dumps(start, moves, names))
    assert game.moves == moves
    assert game.names == names[starter:] + names[:starter], "seats are written in the order of play"


@pytest.mark.parametrize(
    ("seats", "name", "colours"),
    [(2, "Callisto Two-Player", "BW"), (3, "Callisto Three-Player", "123"), (4, "Callisto", "1234")],
)
def test_the_form_that_pentobi_reads(seats: int, name: str, colours: str) -> None:
    start, moves = random_game(seats, 0, seed=1)
    lines = sgf.dumps(start, moves).splitlines()
    assert lines[0] == f"(;GM[{name}]"
    assert lines[-1].endswith(")")
    assert [line[1] for line in lines[2 : 2 + seats]] == list(colours)
    assert lines[2] == f";{colours[0]}[{moves[0]}]"


def test_numbers_for_two_players_as_pentobi_12_wrote_them() -> None:
    assert len(sgf.loads("(;GM[Callisto Two-Player];1[c8];2[n9])").moves) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no SGF file"),
        ("hello", "no SGF file"),
        ("(;GM[Callisto Two-Player]", "no SGF file"),
        ("(;GM[Callisto Two-Player];B[c8", "no SGF file"),
        ("(;GM[Blokus])", "no game of Callisto"),
        ("(;FF[4])", "no game of Callisto"),
        ("(;GM[Callisto Two-Player];B[h8])", r"move 1 \(“h8”\): C4: a pillar may not stand in the centre"),
        ("(;GM[Callisto Two-Player];W[c8])", "move 1 .*C1: it is not your turn"),
        ("(;GM[Callisto Two-Player];B[c8];B[d8])", "move 2 .*C1"),
        ("(;GM[Callisto Two-Player];B[a1])", "move 1 .*not on this board"),
        ("(;GM[Callisto Two-Player]AB[c8])", "sets up a position"),
        ("(" * 200_000, "no SGF file"),
        ("(;" * 200_000, "no SGF file"),
        ("x" * 3_000_000, "too large"),
    ],
)
def test_other_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidRecord, match=message):
        sgf.loads(text)


def test_the_pocket_edition_is_unknown_to_pentobi() -> None:
    with pytest.raises(InvalidRecord, match="classic edition only"):
        sgf.dumps(CallistoState.begin("pocket", 2, 0), ())


@given(st.data())
def test_garbled_files(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(BOUGHT)))
    garbled = BOUGHT[:at] + data.draw(st.text(max_size=5)) + BOUGHT[at + data.draw(st.integers(0, 9)) :]
    try:
        game = sgf.loads(garbled)
    except InvalidRecord as error:
        assert str(error)
        return
    assert len(list(random_play(CallistoState.begin("classic", game.seats, 0), Random(1)))) > 0


@given(st.text())
def test_any_text(text: str) -> None:
    with pytest.raises(InvalidRecord):
        sgf.loads(text)


def test_a_file_may_hold_several_games() -> None:
    start, moves = random_game(3, 0, 1)
    other = sgf.dumps(start, moves, ("Ana (1)", "Bo [2]", "Cy"))
    assert [sgf.loads(text) for text in sgf.split(BOUGHT + other)] == [sgf.loads(BOUGHT), sgf.loads(other)]
    assert list(sgf.split("(;GM[Callisto]")) == []
    assert list(sgf.split(") nothing")) == []
