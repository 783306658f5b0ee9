"""Figures for Prometheus: the right ones, and none that tells who or where."""

import asyncio
import secrets
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from sobremesa.rooms import messages as m
from sobremesa.server.attendance import Visitor
from sobremesa.server.house import House
from sobremesa.server.metrics import Metrics
from sobremesa.server.settings import Settings

Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def house(folder: Path) -> House:
    return House(Settings(f"sqlite:///{folder / 'table.db'}", pause=0))


def figures(metrics: Metrics) -> Figures:
    """Every sample by name and labels."""
    body, _ = metrics.render()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
    }


def test_requests_by_method_route_and_kind_of_answer(tmp_path: Path) -> None:
    metrics = house(tmp_path).metrics
    for status in (200, 204, 404):
        metrics.request("GET", "/api/rooms/{room}", status, 0.003)
    seen = figures(metrics)
    labels = (("method", "GET"), ("route", "/api/rooms/{room}"))
    assert seen["sobremesa_http_requests_total", (*labels, ("status", "2xx"))] == 2
    assert seen["sobremesa_http_requests_total", (*labels, ("status", "4xx"))] == 1
    assert seen["sobremesa_http_request_seconds_count", labels] == 3
    assert seen["sobremesa_http_request_seconds_bucket", (("le", "0.002"), *labels)] == 0
    assert seen["sobremesa_http_request_seconds_bucket", (("le", "0.005"), *labels)] == 3


def test_acknowledged_commands_by_time(tmp_path: Path) -> None:
    metrics = house(tmp_path).metrics
    for seconds in (0.001, 0.04, 3.0):
        metrics.acknowledged(seconds)
    seen = figures(metrics)
    assert seen["sobremesa_command_seconds_count", ()] == 3
    assert seen["sobremesa_command_seconds_bucket", (("le", "0.1"),)] == 2


def test_invented_methods_and_routes_share_one_label(tmp_path: Path) -> None:
    metrics = house(tmp_path).metrics
    before = len(figures(metrics))
    for _ in range(50):
        metrics.request(secrets.token_hex(4), "-", 404, 0.001)
    grown = {key for key in figures(metrics) if "sobremesa_http" in key[0]}
    assert len(grown) == len(figures(metrics)) - before
    assert {value for _, labels in grown for name, value in labels if name in ("method", "route")} == {"other"}


def test_the_figures_of_a_house_where_somebody_plays(tmp_path: Path) -> None:
    async def go() -> Figures:
        here = house(tmp_path)
        await here.open()
        token = here.tokens.new_token()
        person = here.tokens.person(token)
        assert person is not None
        setup = m.NewRoom(game="knister", seats=[m.SeatPlan(kind="me"), m.SeatPlan(kind="engine", player="random")])
        opened = await here.open_room(setup, person, "192.0.2.1")
        with here.connections.admit(person, "192.0.2.1"):
            move = m.Move(type="move", id="1", seat=0, version=opened.room.version, move="a1")
            await here.visit(opened.room.id, person, "192.0.2.1")
            await here.do(opened, move, Visitor(person, "192.0.2.1"), "en")
            async with asyncio.timeout(60):
                while here.hub.moves < 2:
                    await asyncio.sleep(0.05)
            text = here.metrics.render()[0].decode()
            seen = figures(here.metrics)
        assert figures(here.metrics)["sobremesa_sockets", ()] == 0
        await here.close()
        for value in (token, token.split(".")[0], person, opened.room.id, "192.0.2.1", "Host"):
            assert value not in text
        return seen

    seen = asyncio.run(go())
    assert seen["sobremesa_rooms", ()] == 1
    assert seen["sobremesa_sockets", ()] == 1
    assert seen["sobremesa_moves_total", ()] >= 2
    assert seen["sobremesa_commits_total", ()] >= 2
    assert seen["sobremesa_thoughts_total", (("outcome", "done"),)] >= 1
    assert seen["sobremesa_thoughts_total", (("outcome", "failed"),)] == 0
    assert seen["sobremesa_thinking", (("state", "waiting"),)] == 0


def test_two_servers_in_one_process_count_for_themselves(tmp_path: Path) -> None:
    one, other = house(tmp_path), house(tmp_path)
    one.metrics.acknowledged(0.01)
    assert figures(one.metrics)["sobremesa_command_seconds_count", ()] == 1
    assert figures(other.metrics)["sobremesa_command_seconds_count", ()] == 0


def test_process_and_python_are_there_too(tmp_path: Path) -> None:
    body, kind = house(tmp_path).metrics.render()
    assert kind.startswith("text/plain")
    for name in (b"process_resident_memory_bytes", b"python_info", b"python_gc_collections_total"):
        assert name in body
