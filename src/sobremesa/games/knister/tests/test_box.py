"""What is in the box, as pages draw it: RULES' tables again."""

from random import Random

from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.plain import box, lines
from sobremesa.games.knister.scoring import CELLS, combination, points

BOX = box()


def test_k3_the_points() -> None:
    assert {found["name"]: found["points"] for found in BOX["combinations"]} == {
        "pair": 1,
        "two pairs": 3,
        "three of a kind": 3,
        "four of a kind": 6,
        "full house": 8,
        "straight with a 7": 8,
        "five of a kind": 10,
        "straight without a 7": 12,
    }


def test_k3_the_twelve_lines_in_the_order_of_a_view() -> None:
    names = [[BOX["cells"][cell] for cell in line["cells"]] for line in BOX["lines"]]
    assert names[0] == ["a5", "b5", "c5", "d5", "e5"]
    assert names[4] == ["a1", "b1", "c1", "d1", "e1"]
    assert names[5] == ["a1", "a2", "a3", "a4", "a5"]
    assert names[9] == ["e1", "e2", "e3", "e4", "e5"]
    assert names[10] == ["a1", "b2", "c3", "d4", "e5"]
    assert sorted(names[11]) == ["a5", "b4", "c3", "d2", "e1"]
    assert len(names) == 12
    assert [line["times"] for line in BOX["lines"]] == [1] * 10 + [2, 2]
    assert [line["name"] for line in BOX["lines"]] == [*"54321abcde", "/", "\\"]
    assert BOX["cells"] == [str(write) for write in WRITES]


def test_the_lines_of_the_box_score_as_the_rules_do() -> None:
    random = Random(5)
    for _ in range(200):
        sheet = bytes(random.choice((0, *range(2, 13))) if random.random() < 0.3 else 7 for _ in range(CELLS))
        drawn = []
        for line in BOX["lines"]:
            numbers = bytes(sheet[cell] for cell in line["cells"])
            drawn.append(combination(numbers).points * line["times"] if 0 not in numbers else None)
        assert list(lines(sheet)) == drawn
        assert sum(found or 0 for found in drawn) == points(sheet)


def test_k7_the_ranks() -> None:
    """Over 50, over 80, over 100."""
    assert {rank["word"]: rank["least"] for rank in BOX["ranks"]} == {"good": 51, "great": 81, "spectacular": 101}


def test_k1_how_likely_each_roll_is() -> None:
    assert [roll["roll"] for roll in BOX["rolls"]] == list(range(2, 13))
    assert [roll["ways"] for roll in BOX["rolls"]] == [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    assert [round(roll["probability"] * 36, 9) for roll in BOX["rolls"]] == [roll["ways"] for roll in BOX["rolls"]]
