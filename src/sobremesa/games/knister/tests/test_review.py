"""The review of a finished game, in points."""

import pytest

from engines.test_review import played
from sobremesa.engines.player import Budget
from sobremesa.engines.review import compare, review


def test_a_review_tells_points() -> None:
    record = played("knister", "random", "greedy")
    pairs = list(review(record, "net", Budget(seconds=1)))
    found = compare(record, [moment for moment, _ in pairs], [thought for _, thought in pairs])
    assert found.measure == "points"
    assert len(found.moves) == 50
    assert found.lost(0) > found.lost(1) > 0
    assert all(move.lost >= 0 and move.best[0].value >= move.value - 1e-6 for move in found.moves)
    assert record.result is not None
    assert found.curve[-1].points == record.result.scores
    # With everything written but one number, the expectation is near the end.
    for seat in range(2):
        last = [move for move in found.moves if move.seat == seat][-1]
        assert last.value == pytest.approx(record.result.scores[seat], abs=0.01)
    assert [point.event for point in found.curve] == sorted(point.event for point in found.curve)
