"""Callisto for programs that talk: the Go Text Protocol, in the dialect of Pentobi's engine.

One command a line, an optional number in front; answers ``= text`` or ``? message``, and then an empty line.
"""

import re
import time
from collections.abc import Callable
from math import isfinite
from random import Random
from typing import NamedTuple

from sobremesa import __version__
from sobremesa.core.errors import IllegalMove, InvalidMove, SobremesaError
from sobremesa.engines.levels import LEVELS
from sobremesa.engines.player import Budget, Player, Thought
from sobremesa.games.callisto.board import PILLAR, Placement
from sobremesa.games.callisto.notation import parse_cells, squares
from sobremesa.games.callisto.state import CallistoState


class GtpGame(NamedTuple):
    """A game of the protocol: its name there, and the table that it means."""

    name: str
    edition: str
    seats: int


GTP_GAMES = {
    f"callisto{short}{number}": GtpGame(f"Callisto{long}{players}", edition, seats)
    for short, long, edition in (("", "", "classic"), ("_pocket", " Pocket", "pocket"))
    for number, players, seats in (("_2", " Two-Player", 2), ("_3", " Three-Player", 3), ("", "", 4))
}
"""The games, by their names on the command line."""
COLOURS = {
    2: {"b": 0, "black": 0, "blue": 0, "w": 1, "white": 1, "green": 1},
    3: {str(seat + 1): seat for seat in range(3)},
    4: {str(seat + 1): seat for seat in range(4)},
}
"""By the number of seats, the seat of each colour's name."""
THINKING_SHARE = 0.95
"""The part of a move's time that goes into thinking; the last batch and the answer need the rest."""
MAX_PARAMETER = 1e6
"""The most seconds, and the most simulations, that somebody may ask for."""
_LINE = re.compile(r"(?:([0-9]{1,18})(?:\s+|$))?(.*)", re.DOTALL)


class Refused(Exception):
    """What the protocol answers after a question mark."""


class Settings(NamedTuple):
    """What can be set with ``param``; 0 where the level decides."""

    level: int = len(LEVELS)
    time: float = 0.0
    simulations: int = 0
    threads: int = 1


class Engine:
    """One conversation: a game, a player, and what has happened so far."""

    def __init__(
        self, game: GtpGame, make_player: Callable[[str, Random], Player], settings: Settings, random: Random
    ) -> None:
        """``make_player`` makes the player of a level."""
        self.open = True
        self._game = game
        self._make_player = make_player
        self._settings = settings
        self._random = random
        self._begin(game)

    def answer(self, line: str) -> str:
        """What is said to a line, with the empty line at its end; nothing to comments and empty lines."""
        printable = "".join(" " if mark.isspace() else mark for mark in line if mark.isspace() or mark.isprintable())
        match = _LINE.fullmatch(printable.partition("#")[0].strip())
        assert match is not None
        number, words = match[1] or "", match[2].split()
        if not words:
            return "" if not number else f"?{number} unknown command\n\n"
        try:
            answer = self._obey(words[0], words[1:])
        except Refused as refusal:
            return f"?{number} {refusal}\n\n"
        except SobremesaError as error:
            return f"?{number} {error}\n\n"
        except Exception as error:  # whatever happens, the other program gets its answer
            return f"?{number} {type(error).__name__}\n\n"
        return f"={number} {answer}\n\n"

    def _obey(self, command: str, arguments: list[str]) -> str:
        if command not in _COMMANDS:
            raise Refused("unknown command")
        wanted, obey = _COMMANDS[command]
        if wanted is not None and len(arguments) not in wanted:
            raise Refused("wrong number of arguments")
        return obey(self, *arguments)

    def _begin(self, game: GtpGame) -> None:
        self._game = game
        self._states = [CallistoState.begin(game.edition, game.seats, 0)]
        self._sit()

    def _sit(self) -> None:
        """A player who knows nothing of what was before."""
        self._player = self._make_player(list(LEVELS)[self._settings.level - 1], self._random)
        self._player.ready()
        self._thought: tuple[int, Thought] | None = None

    def _seat(self, colour: str) -> int:
        seat = COLOURS[self._game.seats].get(colour.lower())
        if seat is None:
            raise Refused("invalid color")
        return seat

    def _turn(self, seat: int) -> CallistoState:
        """The position as if it were this seat's turn: the order of turns is not checked."""
        return self._states[-1]._replace(turn=seat)

    def _moves(self, seat: int) -> list[Placement]:
        return [] if self._states[-1].is_out(seat) else self._turn(seat).legal_moves()

    def _name(self) -> str:
        return "Sobremesa"

    def _version(self) -> str:
        return __version__

    def _protocol_version(self) -> str:
        return "2"

    def _list_commands(self) -> str:
        return "\n".join(_COMMANDS)

    def _known_command(self, command: str) -> str:
        return str(command in _COMMANDS).lower()

    def _quit(self) -> str:
        self.open = False
        return ""

    def _set_game(self, *words: str) -> str:
        name = " ".join(words).lower()
        game = next((game for game in GTP_GAMES.values() if game.name.lower() == name), None)
        if game is None:
            raise Refused("invalid game")
        self._begin(game)
        return ""

    def _clear_board(self) -> str:
        self._begin(self._game)
        return ""

    def _undo(self) -> str:
        if len(self._states) == 1:
            raise Refused("cannot undo")
        self._states.pop()
        return ""

    def _play(self, colour: str, text: str) -> str:
        state, seat = self._states[-1], self._seat(colour)
        try:
            move = parse_cells(text, state.board)
        except InvalidMove:
            raise Refused("invalid move") from None
        side = state.sides[seat]
        left = state.pillars_left(seat) if move.piece == PILLAR else side.hand[state.board.pieces.index(move.piece)]
        if not left:
            raise Refused("piece already played")
        if state.is_out(seat):
            raise Refused("illegal move C8")
        try:
            self._states.append(self._turn(seat).play(move))
        except IllegalMove as error:
            raise Refused(f"illegal move {error.rule}") from None
        return ""

    def _think(self, seat: int) -> Placement | None:
        """The player's move for a seat; None if it has none."""
        if not self._moves(seat):
            return None
        chosen = self._settings
        budget = Budget(THINKING_SHARE * chosen.time or None, chosen.simulations or None, threads=chosen.threads)
        thought = self._player.think(self._turn(seat).view(seat), (), budget)
        self._thought = seat, thought
        move: Placement = thought.move
        return move

    def _reg_genmove(self, colour: str) -> str:
        return str(self._think(self._seat(colour)) or "pass")

    def _genmove(self, colour: str) -> str:
        seat = self._seat(colour)
        move = self._think(seat)
        if move is None:
            return "pass"
        self._states.append(self._turn(seat).play(move))
        return str(move)

    def _all_legal(self, colour: str) -> str:
        return "\n".join(map(str, self._moves(self._seat(colour))))

    def _showboard(self) -> str:
        lines = self._states[-1].view(None).text().split("\n")
        return "\n" + "\n".join(line for line in lines if line.strip())

    def _final_score(self) -> str:
        """Points are covered squares, pillars not counted; the tie rule (C10) is not shown."""
        state = self._states[-1]
        most = sum(copies * squares(piece) for piece, copies in state.board.edition.tiles.items())
        points = [most - state.penalty(seat) for seat in range(state.seats)]
        if len(points) > 2:
            return " ".join(map(str, points))
        ahead = points[0] - points[1]
        return f"{'B' if ahead > 0 else 'W'}+{abs(ahead)}" if ahead else "0"

    def _get_value(self) -> str:
        seat, thought = self._last_thought()
        return f"{thought.chances[seat]:.4f}"

    def _move_values(self) -> str:
        _, thought = self._last_thought()
        return "\n".join(f"{each.visits} {each.value:.4f} {each.move}" for each in thought.candidates)

    def _last_thought(self) -> tuple[int, Thought]:
        if self._thought is None or not self._thought[1].chances:
            raise Refused("no search yet")
        return self._thought

    def _cputime(self) -> str:
        return f"{time.process_time():.3f}"

    def _set_random_seed(self, text: str) -> str:
        self._random.seed(_number(text, MAX_PARAMETER**3))
        return ""

    def _param(self, name: str = "", text: str = "") -> str:
        chosen = self._settings._asdict()
        if not name:
            return "\n".join(f"{each} {value:g}" for each, value in chosen.items())
        if name not in chosen or not text:
            raise Refused("invalid parameter")
        least, most = _LIMITS[name]
        value = _seconds(text) if name == "time" else _number(text, most)
        if value < least:
            raise Refused("invalid value")
        self._settings = Settings(**chosen | {name: value})
        if name == "level":
            self._sit()
        return ""


def _number(text: str, most: float) -> int:
    """A whole number that somebody wrote."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= most):
        raise Refused("invalid value")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise Refused("invalid value") from None
    if not (isfinite(value) and 0 <= value <= MAX_PARAMETER):
        raise Refused("invalid value")
    return value


_LIMITS = {"level": (1, len(LEVELS)), "time": (0, MAX_PARAMETER), "simulations": (0, MAX_PARAMETER), "threads": (1, 64)}
_NONE, _ONE, _TWO = (0,), (1,), (2,)
_COMMANDS: dict[str, tuple[tuple[int, ...] | None, Callable[..., str]]] = {
    "all_legal": (_ONE, Engine._all_legal),
    "clear_board": (_NONE, Engine._clear_board),
    "cputime": (_NONE, Engine._cputime),
    "final_score": (_NONE, Engine._final_score),
    "genmove": (_ONE, Engine._genmove),
    "get_value": (_NONE, Engine._get_value),
    "known_command": (_ONE, Engine._known_command),
    "list_commands": (_NONE, Engine._list_commands),
    "move_values": (_NONE, Engine._move_values),
    "name": (_NONE, Engine._name),
    "param": ((0, 2), Engine._param),
    "play": (_TWO, Engine._play),
    "protocol_version": (_NONE, Engine._protocol_version),
    "quit": (_NONE, Engine._quit),
    "reg_genmove": (_ONE, Engine._reg_genmove),
    "set_game": (None, Engine._set_game),
    "set_random_seed": (_ONE, Engine._set_random_seed),
    "showboard": (_NONE, Engine._showboard),
    "undo": (_NONE, Engine._undo),
    "version": (_NONE, Engine._version),
}
"""How many words may follow each command, if that matters, and what it does."""
