"""The computer players of a game that brings none: what they are made of, by what the game declares."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.engines import players_of
from sobremesa.engines.levels import LEVELS
from sobremesa.engines.player import GreedyPlayer
from sobremesa.engines.registry import find_player
from sobremesa.engines.uct import UctPlayer
from sobremesa.engines.usual_set import (
    BY_HEURISTIC,
    BY_SEARCH,
    HEURISTIC_ALONE,
    LEVELS_FILE,
    SEARCH_ALONE,
    player_of,
    strength_name,
    strength_of_name,
    strengths_of,
)
from sobremesa.games import GAMES

BOTH = next(game for game in GAMES.values() if game.heuristic is not None and game.sample is not None)


def guest(game: Game, *without: str) -> Game:
    """The same rules without engines of their own, and without some of what usual players need."""
    missing: dict[str, Any] = dict.fromkeys(without)
    return replace(game, engines="", **missing)


@pytest.mark.parametrize(
    ("without", "expected"),
    [
        ((), BY_HEURISTIC | BY_SEARCH),
        (("heuristic",), SEARCH_ALONE),
        (("sample",), HEURISTIC_ALONE),
        (("heuristic", "sample"), {}),
    ],
)
def test_levels_are_made_of_what_the_game_has(without: tuple[str, ...], expected: dict[str, float]) -> None:
    game = guest(BOTH, *without)
    assert strengths_of(game) == expected
    assert tuple(expected) in (tuple(LEVELS), ())
    seated = players_of(game)
    assert seated == (*expected, *(("greedy",) if "heuristic" not in without else ()), "random")
    # Whoever is offered can sit down, and finds a move.
    state = game.start(seats=2)
    view = state.view(next(iter(state.deciding)))
    for name in seated:
        find_player(name, game, Random(1))
    weakest = find_player(seated[0], game, Random(1))
    assert weakest.choose(view) in view.legal_moves()


@pytest.mark.parametrize("written", [SEARCH_ALONE, dict.fromkeys(LEVELS, 0.5)])
def test_measured_levels_go_before_the_usual_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: dict[str, float]
) -> None:
    package = tmp_path / "measured_game"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / LEVELS_FILE).write_text(json.dumps({"levels": written}))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sobremesa.engines.usual_set.files", lambda name: tmp_path / "measured_game")
    assert strengths_of(guest(BOTH)) == written


def test_measured_levels_are_all_eight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / LEVELS_FILE).write_text(json.dumps({"levels": {"child": 4.0}}))
    monkeypatch.setattr("sobremesa.engines.usual_set.files", lambda name: tmp_path)
    with pytest.raises(InvalidSetup, match="child, beginner"):
        strengths_of(guest(BOTH))


@pytest.mark.parametrize(
    ("strength", "name", "kind"),
    [(30, "uct-30", UctPlayer), (0.4, "noise-0.4", GreedyPlayer), (0.0, "noise-0", GreedyPlayer)],
)
def test_a_strength_has_a_name_and_a_player(strength: float, name: str, kind: type) -> None:
    assert strength_name(strength) == name
    assert strength_of_name(name) == strength
    assert isinstance(player_of("somebody", strength)(BOTH, Random(1)), kind)
    assert strength_of_name("uct-0") is None
