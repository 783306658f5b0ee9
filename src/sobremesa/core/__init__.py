"""The contract that every game keeps."""

from sobremesa.core.chance import Chance
from sobremesa.core.errors import (
    AmbiguousMove,
    IllegalMove,
    InvalidMove,
    InvalidPosition,
    InvalidRecord,
    InvalidSetup,
    NothingToDecide,
    SobremesaError,
)
from sobremesa.core.game import Game, Option
from sobremesa.core.playout import playout, random_play
from sobremesa.core.result import Result
from sobremesa.core.seats import NOBODY, Seats
from sobremesa.core.state import Move, State, View

__all__ = [
    "NOBODY",
    "AmbiguousMove",
    "Chance",
    "Game",
    "IllegalMove",
    "InvalidMove",
    "InvalidPosition",
    "InvalidRecord",
    "InvalidSetup",
    "Move",
    "NothingToDecide",
    "Option",
    "Result",
    "Seats",
    "SobremesaError",
    "State",
    "View",
    "playout",
    "random_play",
]
