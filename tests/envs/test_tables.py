"""The tables of the documentation are those of the environments: actions, observations, versions, sizes."""

import inspect
import re
from typing import Any

import gymnasium
import pyspiel
import pytest

import docs_site
import sobremesa.envs.openspiel  # noqa: F401, registers the games
from sobremesa import GAMES
from sobremesa.core.game import Game
from sobremesa.envs import zoo

OWN = [game for game in GAMES.values() if game.package.startswith("sobremesa.games.")]
COUNTS: dict[str, Any] = {
    "callisto": lambda state: {"cells": state.board.cells.bit_count(), "tiles": len(state.sides[0].hand)},
    "isis-osiris": lambda state: {"cells": len(state.view(0).cells)},
    "knister": lambda state: {},
}
"""What the tables of observations count in, besides seats."""


def observed(game: Game, state: Any) -> int:
    """How many numbers the table above a game's features adds up to."""
    rows = re.findall(r"^\| ([^|]+) \| ", inspect.getdoc(inspect.getmodule(game.features)) or "", re.M)
    names = {"seats": state.seats} | COUNTS[game.id](state)
    return sum(int(eval(row.replace(" x ", " * "), {}, names)) for row in rows if row != "numbers")


def kinds() -> list[Any]:
    return [pytest.param(game, dict(o), id=f"{game.id}-{name}") for game in OWN for name, o in game.kinds().items()]


@pytest.mark.parametrize(("game", "options"), kinds())
def test_observations_are_as_long_as_their_table_says(game: Game, options: dict[str, Any]) -> None:
    env = zoo.aec(game.id, **options)
    env.reset(seed=1)
    space = env.observation_space(env.agent_selection)["observation"]
    assert space.shape == (observed(game, env.position),)


@pytest.mark.parametrize("game", OWN, ids=lambda game: game.id)
def test_the_page_of_a_game_has_the_sizes_of_every_environment(game: Game) -> None:
    page = docs_site.game_page(game)
    for name, chosen in game.kinds().items():
        options: dict[str, Any] = dict(chosen)
        env = zoo.aec(game.id, **options)
        agent = env.possible_agents[0]
        (row,) = re.findall(rf"^\| `{name}` \| (.*) \|$", page, re.M)
        seats, _, actions, numbers, _ = row.split(" | ")
        assert int(seats) == len(env.possible_agents)
        assert int(actions) == env.action_space(agent).n
        assert int(numbers) == env.observation_space(agent)["observation"].shape[0]


@pytest.mark.parametrize("game", OWN, ids=lambda game: game.id)
def test_names_and_versions_on_the_page_of_a_game_are_true(game: Game) -> None:
    page = docs_site.game_page(game)
    (made,) = re.findall(r'gymnasium\.make\("(.*)"\)', page)
    gymnasium.make(made).close()
    (loaded,) = re.findall(r'pyspiel\.load_game\("(.*)"\)', page)
    (actions,) = re.findall(r"at the usual table (\d+) of them", page)
    assert pyspiel.load_game(loaded).num_distinct_actions() == int(actions)
    told = re.findall(r"^\| (\d+) \| \S", page.partition("## Versions")[2].partition("Id `")[0], re.M)
    assert told == [str(number) for number in range(1, game.version + 1)]
