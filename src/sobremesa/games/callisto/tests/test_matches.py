"""What the page about Callisto's engine says of matches is what the games that are kept say."""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from sobremesa.games.callisto import CallistoState, sgf
from sobremesa.games.callisto.tools.gtp_match import wilson

DOCS = Path(__file__).resolve().parents[5] / "docs" / "engines"
GAME_FILES = sorted(path.name for path in (DOCS / "callisto-games").iterdir())


def rows() -> Iterator[tuple[str, list[str]]]:
    """The rows whose games are kept, by the name of their file."""
    for line in (DOCS / "callisto.md").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\| \[[^]]+\]\(callisto-games/([\w.-]+)\) \|", line):
            yield found[1], [cell.strip() for cell in line.replace("*", "").strip("|").split("|")]


def test_every_match_is_told_once() -> None:
    assert sorted(file for file, _ in rows()) == GAME_FILES


@pytest.mark.parametrize("file", GAME_FILES)
def test_a_match_was_as_the_page_says(file: str) -> None:
    cells = dict(rows())[file]
    played: dict[int, int] = {}
    won: dict[int, int] = {}
    ours, theirs = [], []
    for text in sgf.split((DOCS / "callisto-games" / file).read_text(encoding="utf-8")):
        game = sgf.loads(text)
        state = CallistoState.begin("classic", game.seats, 0)
        for move in game.moves:
            state = state.play(move)  # refuses what is not legal
        result = state.result()
        assert result is not None, "every game was played to its end"
        (own,) = (seat for seat, name in enumerate(game.names) if name == "Sobremesa")
        played[own] = played.get(own, 0) + 1
        won[own] = won.get(own, 0) + (result.places[own] == 1)
        ours.append(result.scores[own])
        theirs += [score for seat, score in enumerate(result.scores) if seat != own]
    games, first = sum(played.values()), sum(won.values())
    assert cells[3] == f"{wilson(first, games)}, {first} of {games}"
    assert cells[5] == f"{fmean(ours):.1f}, {fmean(theirs):.1f}"
    by_seat = [f"{won[seat]} of {played[seat]}" for seat in sorted(played)]
    if len(set(played.values())) == 1:
        by_seat = [f"{', '.join(str(won[seat]) for seat in sorted(played))} of {played[0]} each"]
    assert cells[6] == ", ".join(by_seat)
