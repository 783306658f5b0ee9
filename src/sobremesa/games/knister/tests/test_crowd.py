"""K8: one to any number of players."""

from random import Random

import pytest

from kinds import played
from sobremesa import playout
from sobremesa.core import InvalidSetup
from sobremesa.games.knister import GAME
from sobremesa.games.knister.scoring import points
from sobremesa.games.knister.sheets import Sheets

from .sheets import start


def test_k8_one_plays_alone() -> None:
    end = playout(GAME.start(), Random(1))
    result = end.result()
    assert result is not None
    assert result.places == (1,)


def test_k8_nobody_is_too_few() -> None:
    for seats in (0, -1):
        with pytest.raises(InvalidSetup):
            GAME.start(seats=seats)


def test_k8_a_thousand_play_one_game_to_its_end() -> None:
    end = playout(start(1000, starter=999), Random(8))
    result = end.result()
    assert result is not None
    assert len(result.scores) == len(result.places) == 1000
    assert result.scores == tuple(map(points, end.sheets))
    rolls = sorted(end.sheets[0])
    assert all(sorted(sheet) == rolls for sheet in end.sheets)
    best = max(result.scores)
    assert result.winners == tuple(seat for seat, score in enumerate(result.scores) if score == best)
    assert GAME.parse_position(end.position()) == end


def test_k8_ten_thousand_can_write() -> None:
    state = start(10_000).happen(7)
    assert len(state.deciding) == 10_000
    after = state.play(state.legal_moves(9_999)[3], 9_999)
    assert len(after.deciding) == 9_999
    assert after.sheets[9_999] != state.sheets[9_999]
    assert after.sheets[9_998] == state.sheets[9_998]


@pytest.mark.parametrize("seats", [1, 2, 31, 32, 33, 1023, 1024, 1025])
def test_sheets_of_any_number_of_seats_change_one_at_a_time(seats: int) -> None:
    row = [bytes([seat % 11 + 2]) * 25 for seat in range(seats)]
    sheets = Sheets(row)
    assert list(sheets) == row
    assert len(sheets) == seats
    for seat in {0, seats // 2, seats - 1}:
        changed = sheets.put(seat, b"x" * 25)
        assert [changed[other] for other in range(seats)] == [*row[:seat], b"x" * 25, *row[seat + 1 :]]
        assert changed != sheets
        assert changed.put(seat, row[seat]) == sheets
        assert hash(changed.put(seat, row[seat])) == hash(sheets)
    assert list(sheets) == row


def test_k7_solitaire_is_the_same_game() -> None:
    state = played(start(), "*7 a1 *7 b1 *7 c1 *7 d1 *7 e1")
    assert points(state.sheets[0]) == 10
