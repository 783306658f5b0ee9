"""The rules' fingerprints are those that were written down."""

import json
from functools import cache
from typing import Any

import pytest

import perft
from kinds import KINDS, KNISTER, Kind
from sobremesa import GAMES


@cache
def written(game: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(perft.file_of(game).read_text(encoding="utf-8"))
    return data


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_perft(kind: Kind) -> None:
    found = json.loads(json.dumps(perft.fingerprint(kind)))
    expected = written(kind.game.id).get(kind.id)
    different = [part for part in found if expected is None or found[part] != expected.get(part)]
    assert not different, (
        f"{kind.id}: {', '.join(different)} differ from {perft.file_of(kind.game.id)}."
        " If a rule, the order of moves or the notation was changed on purpose, `make perft` writes it anew."
    )


def test_every_fingerprint_belongs_to_a_kind() -> None:
    files = {id: written(id) for id in GAMES}
    assert {game: list(kinds) for game, kinds in files.items()} == {
        game: [kind.id for kind in KINDS if kind.game.id == game] for game in {kind.game.id for kind in KINDS}
    }


@pytest.mark.parametrize(
    ("id", "counts"),
    [
        ("callisto-classic-2", [120, 120 * 119]),
        ("callisto-classic-3", [196, 196 * 195]),
        ("callisto-classic-4", [264, 264 * 263]),
        ("callisto-pocket-2", [36, 36 * 33]),
        ("isis-osiris-own-2", [36 + 1, 36 * 36 + 8]),
        ("isis-osiris-common-4", [36 + 1, 36 * 36 + 8]),
        ("knister-1", [11, 11 * 25, 11 * 25 * 11]),
        ("knister-2", [11, 11 * 25, 11 * 25 * 25]),
    ],
)
def test_counts_that_can_be_found_by_hand(id: str, counts: list[int]) -> None:
    """Each pillar on the frame bars itself and a cell on either side, also around a corner of the frame."""
    kind = next(kind for kind in KINDS if kind.id == id)
    assert perft.perft(kind.start())[: len(counts)] == counts


def test_the_choice_is_the_same_everywhere() -> None:
    assert [perft.choose(KNISTER[0], "bellis", ply, 25) for ply in range(8)] == [23, 17, 7, 9, 23, 16, 4, 0]
