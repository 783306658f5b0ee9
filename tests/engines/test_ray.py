"""Games on a Ray cluster of several nodes, each with processes of its own: the same games, whatever is lost meanwhile.

Needs ``make .venv/ray``; ``make soak`` has it.
"""

import json
import os
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

import sobremesa as sm
from sobremesa.cli import main
from sobremesa.core.errors import IllegalMove, SobremesaError
from sobremesa.engines import cluster as clusters
from sobremesa.engines.engine_set import Maker
from sobremesa.engines.player import DEFAULT_BUDGET, Stop, never

ray: Any = pytest.importorskip("ray", reason="Ray is not installed: make .venv/ray")
GAME = "knister"
pytestmark = [pytest.mark.at_length, pytest.mark.filterwarnings("ignore")]


class Started:
    """A cluster with a head that plays no games and two nodes that play one at a time each."""

    def __init__(self) -> None:
        self.cluster: Any = import_module("ray.cluster_utils").Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
        )
        memory = 80_000_000
        self.nodes = [self.cluster.add_node(num_cpus=1, object_store_memory=memory) for _ in range(2)]
        self.address = str(self.cluster.address)

    def lose_node(self, id: str) -> None:
        (node,) = (node for node in self.nodes if node.node_id == id)
        self.cluster.remove_node(node, allow_graceful=False)


@pytest.fixture
def started() -> Iterator[Started]:
    found = Started()
    yield found
    found.cluster.shutdown()


def stalling(folder: Path) -> Callable[[sm.Game, Random], sm.Player]:
    """A player that writes down where it plays. The first game of all that is begun on a cluster never goes on."""
    os.mkfifo(folder / "begun")

    class Stalling(sm.Player):
        def __init__(self, game: sm.Game, random: Random) -> None:
            super().__init__(game, random)
            number = random.getrandbits(64)  # this game's own: its random source is seeded by its fixture
            import ray

            if not ray.is_initialized():
                return
            place = f"{ray.get_runtime_context().get_node_id()} {os.getpid()}"
            with (folder / "places").open("a") as places:
                places.write(f"{number} {place}\n")
            try:
                os.close(os.open(folder / "first", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            with (folder / "begun").open("w") as begun:
                begun.write(f"{number} {place}")
            signal.pause()

        def think(
            self, view: Any, past: Sequence[Any] = (), budget: sm.Budget = DEFAULT_BUDGET, stop: Stop = never
        ) -> sm.Thought:
            return sm.Thought(self.random.choice(view.decisions()))

    return Stalling


def columns(found: Any) -> dict[str, list[Any]]:
    """The table without what the clock says."""
    return {name: column for name, column in found.to_dict().items() if name not in ("seconds", "slowest")}


@pytest.mark.parametrize("lost", ["a worker", "a node"])
def test_a_lost_worker_is_replaced_and_the_games_are_the_same(lost: str, started: Started, tmp_path: Path) -> None:
    players: dict[str, str | Maker] = {"mine": stalling(tmp_path), "house": "greedy"}
    victims: list[list[str]] = []

    def lose() -> None:
        victims.append((tmp_path / "begun").read_text().split())  # waits for the first game to begin
        _, node, process = victims[0]
        if lost == "a node":
            started.lose_node(node)
        else:
            os.kill(int(process), signal.SIGKILL)

    thread = Thread(target=lose)
    thread.start()
    reported: list[int] = []
    there = sm.arena(GAME, players, games=10, seed=3, ray=started.address, report=reported.append)
    thread.join()
    here = sm.arena(GAME, players, games=10, seed=3)
    assert reported == list(range(1, 11))
    assert [game.record for game in there.played] == [game.record for game in here.played]
    assert columns(there) == columns(here)
    places = defaultdict(list)
    for line in (tmp_path / "places").read_text().splitlines():
        number, *place = line.split()
        places[number].append(place)
    ((number, node, process),) = victims
    assert places[number][0] == [node, process]
    assert len(places[number]) > 1, "it was tried again"
    again_on, again_by = places[number][-1]
    assert again_by != process
    if lost == "a node":
        assert again_on != node
    assert len(places) == 10


def test_the_command_prints_the_same_with_and_without(started: Started, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*more: str) -> Any:
        assert main(["arena", GAME, "--seats", "greedy,child", "--games", "6", "--json", *more]) == 0
        data = json.loads(capsys.readouterr().out)
        for player in data["players"]:
            del player["seconds"], player["slowest"]
        return data

    here, there = printed(), printed("--ray", started.address)
    assert started.address in there.pop("machine")["machine"]
    del here["machine"]
    assert there == here


def test_a_players_own_error_comes_home_as_it_is(started: Started) -> None:
    class Wrong(sm.Player):
        def think(
            self, view: Any, past: Sequence[Any] = (), budget: sm.Budget = DEFAULT_BUDGET, stop: Stop = never
        ) -> sm.Thought:
            raise IllegalMove("K1", "core.nobody-has-anything-to-decide-now")

    with pytest.raises(IllegalMove, match=r"^K1: "):
        sm.arena(GAME, {"wrong": Wrong, "house": "greedy"}, games=2, ray=started.address)


def test_a_cluster_with_another_version_plays_nothing(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "__version__", "0.0.9")
    with pytest.raises(SobremesaError, match=r"this is 0\.0\.9"):
        sm.arena(GAME, ["greedy", "random"], games=2, ray=started.address)


def test_a_worker_that_is_always_lost_is_given_up(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    def deadly(game: sm.Game, random: Random) -> sm.Player:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    monkeypatch.setattr(clusters, "MAX_RETRIES", 1)
    with pytest.raises(SobremesaError, match="loses its workers again and again"):
        sm.arena(GAME, {"deadly": deadly, "house": "greedy"}, games=2, ray=started.address)


def test_nobody_at_the_address_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    line = f"arena {GAME} --seats greedy,random --games 2 --ray 127.0.0.1:9"
    assert main(line.split()) == 1
    assert "127.0.0.1:9" in capsys.readouterr().err
