"""Errors for people."""

import copy
import pickle

import pytest

from sobremesa.core import (
    AmbiguousMove,
    IllegalMove,
    InvalidMove,
    InvalidPosition,
    InvalidRecord,
    InvalidSetup,
    SobremesaError,
)

ERRORS = [
    AmbiguousMove("the tile {tile} fits twice", tile="L"),
    IllegalMove("C3", "the tile {tile} touches nothing of yours", tile="L"),
    InvalidMove("“{text}” is no cell", text="{tile}"),
    InvalidPosition("the text is too long"),
    InvalidRecord("line {line}", line=3),
    InvalidSetup("there is no game “{game}”", game="chess"),
]


def test_the_gaps_are_filled() -> None:
    assert list(map(str, ERRORS)) == [
        "the tile L fits twice",
        "C3: the tile L touches nothing of yours",
        "“{tile}” is no cell",
        "the text is too long",
        "line 3",
        "there is no game “chess”",
    ]


def test_an_illegal_move_names_its_rule() -> None:
    assert IllegalMove("C3", "the tile touches nothing of yours").rule == "C3"


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_all_have_one_root(error: SobremesaError) -> None:
    assert isinstance(error, SobremesaError)
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_travels_between_processes(error: SobremesaError) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)
