"""Names of cells."""

import pytest

from sobremesa.core import InvalidMove
from sobremesa.core.cells import cell_name, parse_cell


def test_columns_are_letters_from_the_left_rows_are_numbers_from_the_bottom() -> None:
    assert cell_name(0, 0) == "a1"
    assert cell_name(4, 8) == "e9"
    assert cell_name(19, 19) == "t20"


def test_names_parse_back() -> None:
    for x in range(26):
        for y in range(99):
            assert parse_cell(cell_name(x, y), 26, 99) == (x, y)


def test_capitals_will_do() -> None:
    assert parse_cell("E9", 20, 20) == (4, 8)


@pytest.mark.parametrize(
    "text", ["", "e", "9", "9e", "e0", "e09", "e-1", "e100", "aa1", "e 9", "e9 ", "e9\n", "é9", "e٩"]
)
def test_what_is_no_cell_is_refused(text: str) -> None:
    with pytest.raises(InvalidMove, match="is no cell: give a column letter and a row number, like c3"):
        parse_cell(text, 26, 99)


@pytest.mark.parametrize("text", ["f1", "a6", "z99"])
def test_a_cell_off_the_board_is_refused(text: str) -> None:
    with pytest.raises(InvalidMove, match=f"^{text} is not on this board$"):
        parse_cell(text, 5, 5)
