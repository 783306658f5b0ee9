"""The attack of ``tools/attack.py``: the house holds, and a house without its defences does not."""

import asyncio
import sys
from pathlib import Path

import pytest

import attack
import attack_engines
from server.serving import impatient

WITHOUT_DEFENCES = """
import sys
import sobremesa.rooms.names as names
import sobremesa.server.limits as limits
import sobremesa.server.security as security

names.check_name = names.check_company = lambda *anything: None
def allow(self, key, cost=1, usual=limits.TokenBuckets.allows):
    return usual(self, key, cost) or cost > 0  # thinking asks for 0 beforehand

limits.TokenBuckets.allows = allow
limits.is_loopback = lambda address: True
security.allowed_host = security.allowed_origin = lambda *anything: True

async def let_all_in(self, scope, receive, send):
    await self._app(scope, receive, send)

security.BodyLimit.__call__ = let_all_in

import base64, dataclasses, hashlib
from pathlib import Path
from starlette.responses import FileResponse
from sobremesa.games.isis_osiris import view
from sobremesa.games.knister.server import daily
from sobremesa.rooms import updates
from sobremesa.rooms.room import Room
from sobremesa.server import actor, guestbook, pages, people, public_seats

async def nothing(*anything):
    pass

def believe(self, token):
    try:
        raw = base64.urlsafe_b64decode(token.partition(".")[0])
    except Exception:
        return None
    return hashlib.sha256(b"person" + raw).hexdigest()[:32]

async def hand_out(self, request):
    return FileResponse(pages.FOLDER / "assets" / request.path_params["name"])

pages_routes = pages.Page.__init__

def more_routes(self, *folder):
    pages_routes(self, *folder)
    self.routes.add_route("/assets/{name:path}", self.hand_out, ["GET"])

async def tell(self, date):
    secret = await self._secret(str(self._today()))
    return daily.DailyProof(date=date, commitment="", secret=secret.hex(), rolls=[])

def with_values(cls, state, seat, usual=view.IsisOsirisView.of.__func__):
    seen = usual(cls, state, seat)
    cells = (f"{value:+}" if cell == "?" else cell for cell, value in zip(seen.cells, state.tiles))
    return dataclasses.replace(seen, cells=tuple(cells))

view.IsisOsirisView.of = classmethod(with_values)
pages.Page.__init__ = more_routes
Room.check_own = lambda *anything: None
actor._Mail.key = property(lambda self: None)
people.PersonTokens.person = believe
guestbook.Guestbook.end = guestbook.Guestbook.end_all = nothing
public_seats.PublicSeats._check = nothing
pages.Page.hand_out = hand_out
daily.Daily.proof = tell
updates.UpdateBuilder.viewer = lambda builder, person: (builder.room.seats_of(person) or (0,), False)
from sobremesa.cli import main
sys.exit(main(sys.argv[1:]))
"""


def attacked(program: list[str], folder: Path, timeout: float) -> dict[str, list[attack.Finding]]:
    with attack.house_of(program, folder, short=True, head=timeout, body=timeout) as house:
        return asyncio.run(attack.run(house))


@pytest.mark.at_length
def test_the_house_holds(tmp_path: Path) -> None:
    found = attacked(impatient(head=2, body=2), tmp_path, 2)
    assert found.keys() == attack.TRIED.keys()
    assert all(found.values())
    broken = [finding for findings in found.values() for finding in findings if not finding.held]
    assert not broken, attack.table(broken)


@pytest.mark.at_length
def test_each_attack_finds_a_house_without_defences(tmp_path: Path) -> None:
    found = attacked([sys.executable, "-c", WITHOUT_DEFENCES], tmp_path, 1)
    held = [name for name, findings in found.items() if all(finding.held for finding in findings)]
    assert not held, attack.table([finding for name in held for finding in found[name]])
    stopped = [finding for findings in found.values() for finding in findings if attack.UNFINISHED in finding.tried]
    assert not stopped, "each was tried to its end: " + attack.table(stopped)


def test_who_waits_twice_as_long_is_told_of() -> None:
    told = {"kind": "seated", "rooms": 993, "times as long": 2.0}
    assert attack_engines.flaws(told, 993) == []
    assert len(attack_engines.flaws(told | {"times as long": 2.01}, 993)) == 1
    assert len(attack_engines.flaws(told | {"rooms": 3}, 993)) == 1, "without an attack nothing was shown"
