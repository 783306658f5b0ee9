"""``sobremesa seat``: a program of one's own sits down in a room."""

import argparse
import asyncio
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sobremesa.cli.programs import JsonLines, Program, Protocol
from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import InvalidSetup, SobremesaError
from sobremesa.games import GAMES, find_game

if TYPE_CHECKING:
    from sobremesa.server.client import Visit

MAX_REFUSED = 3
"""How often in a row a program's move may be refused before it has to leave."""
RETRY = ("stale", "busy", "early")
"""Reasons that are not the program's fault: the next update tells what is to be decided."""


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    known = sorted({"json", *(name for game in GAMES.values() for name in game.protocols)})
    parser = commands.add_parser(
        "seat",
        parents=[common],
        help="let a program of your own sit down in a room: it reads and writes lines",
        epilog="example: sobremesa seat http://127.0.0.1:8765/r/k3v9 --name Robo -- ./my-bot --strong",
    )
    parser.add_argument("url", metavar="URL", help="the room's address, as in the invitation")
    parser.add_argument("--name", default="Bot", help="what it is called (%(default)s)")
    parser.add_argument("--seat", type=int, metavar="N", help="which seat, counted from 0 (default: any that is open)")
    parser.add_argument("--protocol", choices=known, default="json", help="what it speaks (%(default)s)")
    parser.add_argument("--games", type=int, default=1, metavar="N", help="how many games it plays (%(default)s)")
    parser.add_argument("command", nargs="+", metavar="-- COMMAND", help="the program")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    try:
        import websockets  # noqa: F401
    except ImportError:
        raise InvalidSetup("cli.error.this-needs-more-packages") from None
    try:
        asyncio.run(_sit(chosen, terminal))
    except KeyboardInterrupt:
        return 130
    return 0


async def _sit(chosen: argparse.Namespace, terminal: Terminal) -> None:
    from sobremesa.server.client import Guest, Refused

    address = urlsplit(chosen.url)
    room = address.path.rstrip("/").rpartition("/")[2]
    if not address.netloc or not room:
        raise InvalidSetup("cli.error.is-no-room-address", url=chosen.url)
    guest = Guest(f"{address.scheme}://{address.netloc}")
    try:
        async with guest.enter(room) as visit:
            game = find_game(visit.update["room"]["game"])
            if chosen.protocol != "json" and chosen.protocol not in game.protocols:
                raise InvalidSetup("cli.error.is-not-played-in", game=game.name, protocol=chosen.protocol)
            speaks: type[Protocol] = (
                JsonLines if chosen.protocol == "json" else resolve_name(game.protocols[chosen.protocol])
            )
            program = await Program.start(chosen.command)
            try:
                seat = await _take_seat(visit, chosen.name, chosen.seat)
                terminal.say("cli.sits-in-seat", name=chosen.name, seat=seat)
                try:
                    await _play_games(visit, speaks(program), seat, chosen.games, terminal)
                finally:
                    await visit.do("leave", seat=seat)
            finally:
                await program.end()
    except Refused as error:
        raise SobremesaError("{file}: {reason}", file=room, reason=error.text) from None


async def _take_seat(visit: "Visit", name: str, seat: int | None) -> int:
    wanted = {} if seat is None else {"seat": seat}
    version = await visit.do("sit", name=name, **wanted)
    update = await visit.wait_until(lambda update: update["version"] >= version)
    return next(int(at) for at, info in update["room"]["seats"].items() if info["yours"])


async def _play_games(visit: "Visit", protocol: Protocol, seat: int, games: int, terminal: Terminal) -> None:
    for number in range(games):
        if number:
            await visit.do("start")
        result = await _play(visit, protocol, seat)
        terminal.say("cli.the-game-is-over-scores", scores=" ".join(map(str, result.values())) or "–")


async def _play(visit: "Visit", protocol: Protocol, seat: int) -> dict[str, int]:
    """Plays one game to its end; returns the scores by seat."""
    from sobremesa.server.client import Refused

    before = visit.update["room"]["number"] if visit.update["room"]["over"] else 0
    room = (await _wait_for_game(visit, seat, before))["room"]
    await protocol.begin(room["game"], room["options"] | {"seats": room["seats_total"]}, seat)
    refusals, key = 0, str(seat)
    while True:
        update = await visit.wait_until(lambda u: u["room"]["over"] or key in u["legal"], timeout=3600)
        room = update["room"]
        if room["over"]:
            await protocol.over(room["result"])
            return dict((room["result"] or {"scores": {}})["scores"])
        seen = update["version"]
        left = None if room["deadline"] is None else max(0.0, room["deadline"] - room["now"])
        move = await protocol.decide(_view_of(visit, seat), update["legal"][key], left)
        try:
            await visit.do("move", seat=seat, move=move, version=seen)
            refusals = 0
        except Refused as refused:
            if refused.reason in RETRY:
                await visit.newer_than(seen)
                continue
            refusals += 1
            await protocol.refused({"reason": refused.reason, "text": refused.text, "rule": refused.rule})
            if refusals >= MAX_REFUSED:
                raise SobremesaError("cli.error.the-program-move-was-refused", move=move, reason=refused.text) from None


async def _wait_for_game(visit: "Visit", seat: int, before: int) -> dict[str, Any]:
    """The first update of the next game. A public table asks whether everybody is ready for it: programs are."""
    from sobremesa.server.client import Refused

    def has_begun(update: dict[str, Any]) -> bool:
        return bool(update["room"]["playing"] and update["room"]["number"] > before)

    def is_asked(update: dict[str, Any]) -> bool:
        ready = update["room"]["ready"]
        return ready is not None and seat not in ready["seats"]

    while True:
        update = await visit.wait_until(lambda u: has_begun(u) or is_asked(u), timeout=3600)
        if has_begun(update):
            return update
        try:
            await visit.do("ready")
        except Refused as refused:
            if refused.reason != "late":  # somebody has left: everybody is asked again when the table is full
                raise
            await visit.newer_than(update["version"])


def _view_of(visit: "Visit", seat: int) -> dict[str, Any]:
    return next(view for view in visit.views if view["seat"] == seat)


def _given_up(move: str, reason: str) -> SobremesaError:
    return SobremesaError("cli.error.the-program-move-was-refused", move=move, reason=reason)
