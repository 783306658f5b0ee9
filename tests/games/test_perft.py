"""The rules' fingerprints are those that were written down."""

import json
from functools import cache
from typing import Any

import perft
from kinds import Kind, each
from perft import KINDS


@cache
def written(game: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(perft.file_of(game).read_text(encoding="utf-8"))
    return data


@each(KINDS)
def test_perft(kind: Kind) -> None:
    found = json.loads(json.dumps(perft.fingerprint(kind)))
    expected = written(kind.game.id).get(kind.id)
    different = [part for part in found if expected is None or found[part] != expected.get(part)]
    assert not different, (
        f"{kind.id}: {', '.join(different)} differ from {perft.file_of(kind.game.id)}."
        " If a rule, the order of moves or the notation was changed on purpose, `make perft` writes it anew."
    )


def test_every_fingerprint_belongs_to_a_kind() -> None:
    for game in {kind.game.id for kind in KINDS}:
        assert list(written(game)) == [kind.id for kind in KINDS if kind.game.id == game]


def test_the_choice_is_the_same_everywhere() -> None:
    kind = Kind("table-1", KINDS[0].game, KINDS[0].options)
    assert [perft.choose(kind, "bellis", ply, 25) for ply in range(8)] == [14, 15, 21, 0, 0, 15, 4, 7]
