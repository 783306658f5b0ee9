"""Placements of Callisto as planes on a canvas, and back: policies in the form that networks have them."""

import jax.numpy as jnp
from jax import Array

from sobremesa.games.callisto.batch.board import HOLDS
from sobremesa.games.callisto.batch.rules import CallistoRules, CallistoState


def legal_planes(rules: CallistoRules, state: CallistoState, side: int | None = None) -> Array:
    """The legal moves as planes on a canvas, [..., planes, side, side] of bool."""
    return rules.spread(rules.legal_rows(state), side)


def to_placements(rules: CallistoRules, planes: Array) -> Array:
    """What planes say of the placements, [..., planes, side, side] -> [..., placements]."""
    return planes.reshape(*planes.shape[:-3], -1)[..., rules.arrays.at(planes.shape[-1])]


def to_planes(rules: CallistoRules, placements: Array, side: int | None = None) -> Array:
    """What is said of placements as planes, [..., placements] -> [..., planes, side, side]; 0 elsewhere."""
    side = side or rules.side
    planes = jnp.zeros((*placements.shape[:-1], len(HOLDS) * side * side), placements.dtype)
    planes = planes.at[..., rules.arrays.at(side)].set(placements, indices_are_sorted=True, unique_indices=True)
    return planes.reshape(*placements.shape[:-1], len(HOLDS), side, side)
