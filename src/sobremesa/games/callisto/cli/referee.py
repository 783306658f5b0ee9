"""Callisto told to programs that speak the Go Text Protocol, as Pentobi does: ``sobremesa seat --protocol gtp``."""

from typing import Any

from sobremesa.cli.programs import Program, Protocol
from sobremesa.core.errors import SobremesaError
from sobremesa.games.callisto.engine.gtp import COLOURS, GTP_GAMES


class Gtp(Protocol):
    """The referee's side: sets the game, plays what others have placed, asks for a move."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._colours: list[str] = []
        self._seat = 0
        self._known: set[str] = set()

    async def begin(self, game: str, options: dict[str, Any], seat: int) -> None:
        table = (options["edition"], options["seats"])
        name = next(known.name for known in GTP_GAMES.values() if (known.edition, known.seats) == table)
        await self._ask(f"set_game {name}")
        names = list(COLOURS[options["seats"]].items())
        self._colours = [next(colour for colour, at in names if at == place) for place in range(options["seats"])]
        self._seat, self._known = seat, set()

    async def decide(self, view: dict[str, Any], legal: list[str], seconds: float | None) -> str:
        new = [
            (seat, piece["move"])
            for seat, side in enumerate(view["sides"])
            for piece in sorted(side["placed"], key=lambda piece: str(piece["piece"]) != "1")
            if piece["move"] not in self._known
        ]
        # A program that comes late is told of pieces in no order; what does not fit yet fits after another.
        while new:
            left = [(seat, move) for seat, move in new if not await self._play(seat, move)]
            if len(left) == len(new):
                raise SobremesaError("callisto.error.the-program-does-not-accept", move=new[0][1])
            new = left
        move = (await self._ask(f"genmove {self._colours[self._seat]}")).strip().lower()
        self._known |= {text for text in legal if _cells(text) == _cells(move)}
        return move

    async def _play(self, seat: int, move: str) -> bool:
        try:
            await self._ask(f"play {self._colours[seat]} {move}")
        except SobremesaError:
            return False
        self._known.add(move)
        return True

    async def refused(self, message: dict[str, Any]) -> None:
        await self._ask("undo")

    async def over(self, result: dict[str, Any] | None) -> None:
        pass

    async def _ask(self, command: str) -> str:
        """The answer of one command: lines up to an empty one."""
        await self.program.write(command)
        lines: list[str] = []
        while (line := await self.program.read()) or not lines:
            if line:
                lines.append(line)
        if not lines[0].startswith("="):
            raise SobremesaError("callisto.error.the-program-says-to", command=command, answer=lines[0][:80])
        return "\n".join([lines[0].lstrip("=0123456789").strip(), *lines[1:]])


def _cells(move: str) -> frozenset[str]:
    return frozenset(move.split(","))
