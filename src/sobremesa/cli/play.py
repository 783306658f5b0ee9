"""``sobremesa play`` and ``sobremesa resume``: games at one keyboard."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from sobremesa.cli import menu
from sobremesa.cli.keyboard import Keyboard, last_game
from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.core.game import Game, Value
from sobremesa.engines import players_of
from sobremesa.games import GAMES, find_game
from sobremesa.table.fair import FairChance
from sobremesa.table.files import load
from sobremesa.table.record import MAX_NAME_LENGTH
from sobremesa.table.series import Series
from sobremesa.table.sitting import Sitting


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the commands."""
    parser = commands.add_parser(
        "play",
        parents=[common],
        help="play in the terminal",
        epilog="example: sobremesa play callisto --edition pocket --players Ana,Bo,greedy",
    )
    games = parser.add_subparsers(title="games", metavar="GAME", help="left out: you are asked")
    parser.set_defaults(run=lambda chosen, terminal: menu.run(chosen, terminal))
    for game in GAMES.values():
        _add_game(games, game, common)
    command = commands.add_parser(
        "resume", parents=[common], help="go on with a saved game", epilog="example: sobremesa resume game.json"
    )
    command.add_argument("file", type=Path, nargs="?", metavar="FILE", help="default: the game that was left last")
    command.set_defaults(run=lambda chosen, terminal: resume(chosen.file or last_game(), terminal))


def _add_game(games: Any, game: Game, common: argparse.ArgumentParser) -> None:
    parser = games.add_parser(
        game.id, parents=[common], help=f"{game.name}, by {game.designer}", epilog=f"example: sobremesa play {game.id}"
    )
    parser.add_argument(
        "--players",
        metavar="NAMES",
        help=f"who sits down, in order of play, with commas; {', '.join(players_of(game))} are the computer",
    )
    for option in game.options:
        flag = "--" + option.name.replace("_", "-")
        if isinstance(option.default, bool):
            parser.add_argument(flag, action="store_true", default=option.default)
        elif option.choices and option.name != "seats":
            parser.add_argument(flag, choices=option.choices, default=option.default, help="default: %(default)s")
    parser.add_argument("--starter", type=int, default=0, metavar="SEAT", help="who starts, counted from 0")
    parser.add_argument(
        "--games", type=int, default=1, metavar="N", help="a series: the starter rotates, scores add up"
    )
    parser.add_argument("--seed", metavar="TEXT", help="make chance repeatable, for examples and tests")
    parser.set_defaults(run=_play, game=game.id)


def usual_players(game: Game, terminal: Terminal) -> str:
    """Who sits down if nobody says otherwise: you, and a simple computer player where it takes two."""
    return ",".join([terminal.words("cli.you")] + [_rival(game)] * (int(game.seats.default) - 1))


def _rival(game: Game) -> str:
    """A simple computer player."""
    return "greedy" if game.heuristic is not None else "random"


def read_names(text: str) -> tuple[str, ...]:
    """The names in a list with commas."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not name or not name.isprintable() or len(name) > MAX_NAME_LENGTH:
            raise SobremesaError("cli.error.every-player-needs-a-name-of-at-most", longest=MAX_NAME_LENGTH)
    return names


def read_players(text: str, game: Game) -> tuple[str, ...]:
    """The names in a list with commas, as many as can play."""
    names = read_names(text)
    sizes = [int(size) for size in game.seats.choices]
    least, most = (min(sizes), max(sizes)) if sizes else (game.seats.least, game.seats.most)
    if len(names) < least:
        example = ",".join(names + (_rival(game),) * (least - len(names)))
        raise SobremesaError("cli.error.needs-at-least-so-many", game=game.name, least=least, example=example)
    if most is not None and len(names) > most:
        raise SobremesaError("cli.error.so-many-cannot-play", game=game.name, most=most)
    return names


def _play(chosen: argparse.Namespace, terminal: Terminal) -> int:
    game = find_game(chosen.game)
    names = read_players(usual_players(game, terminal) if chosen.players is None else chosen.players, game)
    options: dict[str, Value] = {option.name: getattr(chosen, option.name, option.default) for option in game.options}
    return play(game, options | {"seats": len(names)}, names, terminal, chosen.games, chosen.seed)


def play(
    game: Game,
    options: dict[str, Value],
    names: tuple[str, ...],
    terminal: Terminal,
    games: int = 1,
    seed: str | None = None,
) -> int:
    """Plays one game, or a series; the sums are shown after each game of a series."""
    if games == 1:
        return _one_game(game, options, names, terminal, seed).play()
    series = Series(game, options, games)
    if series.uneven:
        terminal.say(
            "cli.with-games-some-start-once-more",
            rule=game.series_rule,
            games=games,
            seats=series.seats,
        )
    while not series.over:
        number, next_options = len(series.results) + 1, series.next_options
        starter = names[int(next_options["starter"])]
        terminal.say("cli.game-of", number=number, games=games, name=starter)
        keyboard = _one_game(game, next_options, names, terminal, seed and f"{seed} {number}")
        if status := keyboard.play():
            return status
        result = keyboard.sitting.state.result()
        assert result is not None
        series = series.add(result)
        terminal.say("cli.the-sums-so-far")
        keyboard.show_result(series.standing)
    return 0


def _one_game(
    game: Game, options: dict[str, Value], names: tuple[str, ...], terminal: Terminal, seed: str | None
) -> Keyboard:
    chance = FairChance.fresh() if seed is None else FairChance.from_seed(seed)
    return Keyboard(terminal, Sitting.start(game, options, chance, names), seed)


def resume(path: Path, terminal: Terminal) -> int:
    """Goes on with a saved game."""
    sitting = Sitting.resume(load(path))
    names = sitting.names or tuple(f"{seat + 1}" for seat in range(sitting.state.seats))
    return Keyboard(terminal, replace(sitting, names=names), None).play()
