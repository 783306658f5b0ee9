"""Ratings from results: how far apart players are, on the scale where 400 points are ten to one."""

from collections import defaultdict
from collections.abc import Sequence
from math import exp
from random import Random
from statistics import fmean, stdev

from sobremesa.engines.arena import Z_95, Mean, Played
from sobremesa.engines.strength import ELO_PER_LOGIT

PRIOR_DRAWS = 0.5
"""How often everybody is taken to have drawn with an average player beforehand: nobody is infinitely good."""
BOOTSTRAP_SAMPLES = 60
"""How often the deals are drawn anew (bootstrap), to find the ratings' intervals."""

Pairs = dict[tuple[str, str], tuple[float, float]]
"""For two names: what the first scored against the second, and out of how many."""


def ratings(done: Sequence[Played], anchor: str, at: float = 1000.0, seed: int = 1) -> dict[str, Mean]:
    """Everybody's rating with its interval; the anchor's is as given. Places at a table count pair by pair."""
    deals: dict[int, list[Played]] = defaultdict(list)
    for game in done:
        deals[game.fixture.deal].append(game)
    strengths = fit(_pairs(done))
    random, drawn = Random(seed), defaultdict(list)
    groups = list(deals.values())
    for _ in range(BOOTSTRAP_SAMPLES):
        again = fit(_pairs([game for group in random.choices(groups, k=len(groups)) for game in group]))
        for name, strength in again.items():
            drawn[name].append(strength - again[anchor])
    return {
        name: Mean(at + ELO_PER_LOGIT * (strength - strengths[anchor]), Z_95 * ELO_PER_LOGIT * stdev(drawn[name]))
        for name, strength in sorted(strengths.items(), key=lambda item: -item[1])
    }


def _pairs(games: Sequence[Played]) -> Pairs:
    pairs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for game in games:
        names = game.fixture.names
        for one in range(len(names)):
            for two in range(one + 1, len(names)):
                if names[one] != names[two]:
                    mine, theirs = game.places[one], game.places[two]
                    score = (mine < theirs) + (mine == theirs) / 2
                    key = (names[one], names[two])
                    if key[0] > key[1]:
                        key, score = (key[1], key[0]), 1 - score
                    pairs[key].append(score)
    return {key: (sum(scores), len(scores)) for key, scores in pairs.items()}


def fit(pairs: Pairs) -> dict[str, float]:
    """The strengths that make these results most likely (Bradley and Terry), their mean being 0."""
    names = sorted({name for pair in pairs for name in pair})
    strength = dict.fromkeys(names, 0.0)
    for _ in range(200):
        moved = 0.0
        for name in names:
            expected, scored, curvature = PRIOR_DRAWS / 2, PRIOR_DRAWS / 2, PRIOR_DRAWS / 4
            chance = 1 / (1 + exp(-strength[name]))
            expected += PRIOR_DRAWS * (chance - 0.5)
            for (one, two), (won, of) in pairs.items():
                if name in (one, two):
                    other = two if name == one else one
                    chance = 1 / (1 + exp(strength[other] - strength[name]))
                    expected += of * chance
                    scored += won if name == one else of - won
                    curvature += of * chance * (1 - chance)
            step = max(-1.0, min(1.0, (scored - expected) / curvature))
            strength[name] += step
            moved = max(moved, abs(step))
        middle = fmean(strength.values())
        strength = {name: value - middle for name, value in strength.items()}
        if moved < 1e-6:
            break
    return strength
