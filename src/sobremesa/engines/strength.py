"""Which level is of somebody's own strength, by how they did against the levels: a rule that can be said, and no more.

Each level has a measured rating (``Game.ladder``). A person's rating is the most likely one by Bradley and Terry's
model (the logistic curve of Elo): their results against those ratings, the latest weighing most, and beforehand the
belief that they are about as strong as the third level. The level that is nearest to it is theirs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

from sobremesa.core.game import Game
from sobremesa.engines.levels import LEVELS

ELO_PER_LOGIT = 400 / log(10)
"""The points of rating that a logit of the expected score is worth."""
PRIOR_DEVIATION = 500.0
"""How far off the belief about somebody new may be, in points of rating (one standard deviation)."""
HALF_LIFE = 12.0
"""After how many further games a result weighs half as much: people get better."""
MAX_GAMES = 60
"""Results that are looked at, the latest; what lies before weighs next to nothing."""
STEP = 200
"""Points of rating between two levels of a game whose levels nobody has measured."""
FIRST_LEVEL = 3
"""The level that somebody new is offered."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """One game against one level."""

    level: str
    score: float
    """1 for a win, 0.5 for a tie, 0 for a loss."""


@dataclass(frozen=True, slots=True)
class Strength:
    """What is thought of somebody."""

    level: str
    """The level that is nearest."""
    rating: float
    deviation: float
    """How sure that is (one standard deviation)."""


def ladder_of(game: Game, levels: Sequence[str]) -> dict[str, float]:
    """The ratings of these levels: as they were measured, or at even steps where nobody has."""
    known = {name: float(game.ladder[name]) for name in levels if name in game.ladder}
    return known or {name: float(STEP * LEVELS[name]) for name in levels if name in LEVELS}


def find_strength(meetings: Sequence[Meeting], ladder: Mapping[str, float]) -> Strength:
    """The rating that these results speak for, the oldest first, and the level that is nearest to it.

    >>> ladder = {"child": 400.0, "beginner": 600.0, "casual": 800.0, "regular": 1000.0}
    >>> find_strength([], ladder).level
    'casual'
    >>> find_strength([Meeting("casual", 1.0)] * 3, ladder).level
    'regular'
    >>> find_strength([Meeting("casual", 0.0)] * 8, ladder).level
    'child'
    """
    ordered = sorted(ladder, key=lambda name: ladder[name])
    prior = ladder[ordered[min(FIRST_LEVEL, len(ordered)) - 1]]
    counted = [meeting for meeting in meetings[-MAX_GAMES:] if meeting.level in ladder]
    weighed = [
        (ladder[meeting.level], meeting.score, 0.5 ** (age / HALF_LIFE)) for age, meeting in enumerate(counted[::-1])
    ]
    rating = prior
    curvature = 0.0
    for _ in range(50):
        gradient = (prior - rating) / PRIOR_DEVIATION**2
        curvature = 1 / PRIOR_DEVIATION**2
        for theirs, score, weight in weighed:
            chance = 1 / (1 + exp((theirs - rating) / ELO_PER_LOGIT))
            gradient += weight * (score - chance) / ELO_PER_LOGIT
            curvature += weight * chance * (1 - chance) / ELO_PER_LOGIT**2
        step = max(-300.0, min(300.0, gradient / curvature))
        rating += step
        if abs(step) < 0.01:
            break
    nearest = min(ordered, key=lambda name: abs(ladder[name] - rating))
    return Strength(nearest, rating, 1 / sqrt(curvature))
