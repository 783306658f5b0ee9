"""Made by tools/stub.py from HOMES and the games in the house's own folder. Do not edit."""

from sobremesa.core import errors as errors
from sobremesa.core.chance import Chance as Chance
from sobremesa.core.errors import IllegalMove as IllegalMove
from sobremesa.core.errors import SobremesaError as SobremesaError
from sobremesa.core.game import Game as Game
from sobremesa.core.game import TypedGame
from sobremesa.core.playout import playout as playout
from sobremesa.core.playout import random_play as random_play
from sobremesa.core.result import Result as Result
from sobremesa.core.state import Move as Move
from sobremesa.core.state import State as State
from sobremesa.core.state import View as View
from sobremesa.engines.analysis import analyse as analyse
from sobremesa.engines.analysis import Analysis as Analysis
from sobremesa.engines.contest import arena as arena
from sobremesa.engines.contest import Contest as Contest
from sobremesa.engines.player import Budget as Budget
from sobremesa.engines.player import Player as Player
from sobremesa.engines.player import Thought as Thought
from sobremesa.engines.registry import find_player as find_player
from sobremesa.engines.review import Review as Review
from sobremesa.games import find_game as find_game
from sobremesa.games import GAMES as GAMES
from sobremesa.games import parse_position as parse_position
from sobremesa.games.callisto.state import CallistoState
from sobremesa.games.isis_osiris.state import IsisOsirisState
from sobremesa.games.knister.state import KnisterState
from sobremesa.notebook import replay as replay
from sobremesa.table.fair import FairChance as FairChance
from sobremesa.table.files import load as load
from sobremesa.table.files import save as save
from sobremesa.table.record import Record as Record
from sobremesa.table.sitting import Sitting as Sitting
from sobremesa.table.verify import verify as verify

HOMES: dict[str, str]
__version__: str
callisto: TypedGame[CallistoState]
isis_osiris: TypedGame[IsisOsirisState]
knister: TypedGame[KnisterState]

__all__ = [
    "errors",
    "GAMES",
    "Analysis",
    "Budget",
    "Chance",
    "Contest",
    "FairChance",
    "Game",
    "IllegalMove",
    "Move",
    "Player",
    "Record",
    "Result",
    "Review",
    "Sitting",
    "SobremesaError",
    "State",
    "Thought",
    "View",
    "analyse",
    "arena",
    "find_game",
    "find_player",
    "load",
    "parse_position",
    "playout",
    "random_play",
    "replay",
    "save",
    "verify",
]
