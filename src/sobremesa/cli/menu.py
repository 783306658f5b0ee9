"""``sobremesa play`` without a game: a few questions, then a game."""

import argparse

from sobremesa.cli.keyboard import last_game
from sobremesa.cli.terminal import Leave, Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.engines import players_of
from sobremesa.games import GAMES


def run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    """Asks what to play and with whom."""
    from sobremesa.cli import play

    games = list(GAMES.values())
    kept = last_game().exists()
    for number, game in enumerate(games, start=1):
        terminal.show(f"  {number}  {game.name}")
    if kept:
        terminal.say("cli.0-go-on-with-the-game")
    try:
        while True:
            answer = terminal.ask("cli.what-shall-we-play")
            if answer == "0" and kept:
                return play.resume(last_game(), terminal)
            if answer in map(str, range(1, len(games) + 1)):
                break
            terminal.say("cli.type-a-number-from-the-list")
        game = games[int(answer) - 1]
        usual = play.usual_players(game, terminal)
        while True:
            answer = terminal.ask(
                "cli.who-plays",
                players=", ".join(players_of(game)),
                usual=usual,
            )
            try:
                names = play.read_players(answer or usual, game)
                options = game.set_table({"seats": len(names)})
            except SobremesaError as error:
                terminal.complain(error)
                continue
            return play.play(game, options, names, terminal)
    except Leave:
        return 130
