"""Programs take part in fair chance over a real server's sockets, as pages do."""

import asyncio
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from server.serving import Server, serving
from sobremesa.server.client import Guest
from sobremesa.table import loads, verify


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("binding")
    with serving(f"sqlite:///{folder / 'house.db'}", folder, "--no-limits") as running:
        yield running


def _may_move(seat: str, update: dict[str, Any]) -> bool:
    return seat in update["legal"]


def test_two_bots_seal_and_open_and_a_third_plays_without(server: Server) -> None:
    async def main() -> None:
        ana, bob, cy = [await Guest(server.address).arrive() for _ in range(3)]
        room = await ana.open_room("knister", ["me", "open", "open"], name="Ana", seals=True)
        async with ana.enter(room) as one, bob.enter(room) as two, cy.enter(room) as three:
            taking = asyncio.gather(one.take_part(), two.take_part())
            await three.do("sit", name="Cy", seat=2)
            await two.do("sit", name="Bob", seat=1, seals=True)
            await asyncio.wait_for(taking, 30)
            [promise] = one.update["room"]["promises"]
            assert set(promise["openings"]) == set(promise["seals"]) == {"0", "1"}
            await three.wait_until(lambda update: update["room"]["playing"])
            for _ in range(25):
                for seat, visit in enumerate((one, two, three)):
                    update = await visit.wait_until(partial(_may_move, str(seat)))
                    await visit.move(seat, update["legal"][str(seat)][0])
            record = loads(json.dumps(await cy.call("GET", f"/api/rooms/{room}/games/1/record")))
        verdict = verify(record)
        assert verdict.fair
        assert verdict.bound == (0, 1)

    asyncio.run(main())
