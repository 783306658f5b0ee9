"""One game at one keyboard: people type, computers think, chance speaks."""

from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

from sobremesa.cli import files, rules
from sobremesa.cli.terminal import Leave, Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.core.result import Result
from sobremesa.core.words import Sentence
from sobremesa.engines import Budget, find_player, players_of
from sobremesa.engines.registry import past_of
from sobremesa.table.files import save
from sobremesa.table.sitting import Sitting

MAX_LISTED_MOVES = 40
"""Longer lists of moves are shown only if somebody asks for them."""

HELP = (
    "cli.help.moves-list-the-legal",
    "cli.help.undo-take-your-last",
    "cli.help.save-file",
    "cli.help.board-draw-the-board",
    "cli.help.rules-read-the-rules",
    "cli.help.quit-leave-the-game",
)


def last_game() -> Path:
    """Where a game that somebody walked away from is kept."""
    return files.data_folder() / "last-game.json"


class Keyboard:
    """Plays a sitting to its end, or until somebody leaves."""

    def __init__(self, terminal: Terminal, sitting: Sitting, seed: str | None) -> None:
        random = Random(seed)
        self.terminal = terminal
        self.sitting = sitting
        self.players = {
            seat: find_player(name, sitting.game, random)
            for seat, name in enumerate(sitting.names)
            if name in players_of(sitting.game)
        }
        self.people = [seat for seat in range(sitting.state.seats) if seat not in self.players]

    def play(self) -> int:
        """Plays; a game that is not over in the end is kept for later."""
        if self.sitting.game.has_chance:
            self.terminal.say("cli.fair-chance", promise=self.sitting.chance.commitment)
        try:
            while not self.sitting.state.over:
                self._step()
        except (Leave, KeyboardInterrupt):
            save(self.sitting.record(), last_game())
            self.terminal.say("cli.the-game-is-kept")
            return 130
        self._end()
        return 0

    def show_result(self, result: Result) -> None:
        """Prints everybody's place and score, the best first."""
        for seat in sorted(range(len(result.places)), key=lambda seat: result.places[seat]):
            place, score = result.places[seat], result.scores[seat]
            self.terminal.show(f"{place:>3}. {self.sitting.names[seat]}: {score}")

    def _step(self) -> None:
        state = self.sitting.state
        if state.chance is not None:
            if self.people and state.roller is not None:
                name = self.sitting.names[state.roller]
                ask = self.sitting.game.words.ask_chance or "cli.press-enter-and-chance-decides"
                if self._asked_otherwise(self.terminal.ask(ask, name=name)):
                    return
            outcome = self.sitting.bound()
            self.sitting = self.sitting.happen(outcome)
            self._say(self.sitting.game.words.describe_chance(outcome))
            return
        waiting = list(state.deciding)
        seat = next((seat for seat in waiting if seat in self.players), waiting[0])
        if seat not in self.players:
            self._ask_person(seat)
            return
        if len(waiting) == 1 and self.sitting.can_undo in self.people:
            if self._asked_otherwise(self.terminal.ask("cli.press-enter-to-go-on-or-type")):
                return
            self._forget()
        self._move(self._think(seat), seat)

    def _think(self, seat: int) -> Any:
        """The move of a computer player, which has seen what its seat saw and nothing else."""
        game, state = self.sitting.game, self.sitting.state
        past = past_of(game, self.sitting.past(), seat)
        return self.players[seat].think(state.view(seat), past, Budget(seed=f"{seat}")).move

    def _ask_person(self, seat: int) -> None:
        state = self.sitting.state
        self.terminal.show("\n" + state.view(seat).text(self.terminal.colour))
        self._list_moves(seat, "")
        while self.sitting.state is state:
            answer = self.terminal.ask("cli.your-move", name=self.sitting.names[seat])
            if not answer or self._command(answer, seat):
                continue
            try:
                self._move(state.parse_move(answer, seat), seat)
            except SobremesaError as error:
                self.terminal.complain(error)

    def _move(self, move: Any, seat: int) -> None:
        self.sitting = self.sitting.play(move, seat)
        text, values = self.sitting.game.words.describe(move)
        self._say((text, values | {"name": self.sitting.names[seat]}))

    def _say(self, sentence: Sentence) -> None:
        text, values = sentence
        self.terminal.say(text, **values)

    def _forget(self) -> None:
        """Clears what scrolled by: where remembering is part of the game, the screen must not do it."""
        if self.sitting.game.forgetful(self.sitting.state.options):
            self.terminal.clear()

    def _asked_otherwise(self, answer: str) -> bool:
        """Whether the answer to a pause was a command, which has been done now."""
        return self._command(answer, self.people[0])

    def _command(self, answer: str, seat: int) -> bool:
        """Does what a word asks for; False if it is no such word, and so perhaps a move."""
        word, _, rest = answer.partition(" ")
        commands = {
            "?": self._help,
            "help": self._help,
            "moves": lambda: self._list_moves(seat, rest.strip() or "*"),
            "undo": self._undo,
            "save": lambda: self._save(rest.strip()),
            "rules": lambda: self.terminal.show(rules.rules_text(self.sitting.game.id, self.terminal)),
            "board": lambda: self.terminal.show(self.sitting.state.view(seat).text(self.terminal.colour)),
            "quit": self._quit,
        }
        if shapes := self.sitting.game.words.shapes:
            commands["shapes"] = lambda: self.terminal.show(shapes)
        if word.lower() not in commands:
            return False
        try:
            commands[word.lower()]()
        except SobremesaError as error:
            self.terminal.complain(error)
        except OSError as error:
            self.terminal.complain(SobremesaError("{file}: {reason}", file=error.filename, reason=error.strerror))
        return True

    def _help(self) -> None:
        for line in (*self.sitting.game.words.help, *HELP):
            self.terminal.say(line)

    def _list_moves(self, seat: int, which: str) -> None:
        words = self.sitting.game.words
        moves = self.sitting.state.legal_moves(seat)
        groups = {name: list(members) for name, members in groupby(moves, words.group)}
        if not which and len(moves) > MAX_LISTED_MOVES:
            counted = "  ".join(f"{name} ×{len(members)}" for name, members in groups.items())
            self.terminal.say("cli.legal-moves-in-groups", counted=counted)
            return
        chosen = [move for name in groups for move in groups[name] if which.lower() in ("", "*", name.lower())]
        if chosen:
            self.terminal.say("cli.legal-moves", moves=" ".join(map(words.short, chosen)))
        else:
            self.terminal.say("cli.there-is-no-such-move-now")

    def _undo(self) -> None:
        seat = self.sitting.can_undo
        if seat not in self.people:
            seat = None
        self.sitting = self.sitting.undo(seat)
        self.terminal.say("cli.the-last-move-is-taken-back")

    def _save(self, name: str) -> None:
        if not name:
            self.terminal.say("cli.say-where-to-for-example")
            return
        path = Path(name)
        if not path.parent.is_dir():
            raise SobremesaError("cli.error.there-is-no-folder", folder=path.parent)
        save(self.sitting.record(), path)
        self.terminal.say("cli.saved-go-on-with-sobremesa", file=name)

    def _quit(self) -> None:
        raise Leave

    def _end(self) -> None:
        result = self.sitting.state.result()
        assert result is not None
        self.terminal.show("\n" + self.sitting.state.view(None).text(self.terminal.colour))
        self.terminal.say("cli.the-game-is-over")
        self.show_result(result)
        save(self.sitting.record(), files.data_folder() / "finished-game.json")
        last_game().unlink(missing_ok=True)
        self.terminal.say("cli.the-record-is-in", file=files.data_folder() / "finished-game.json")
