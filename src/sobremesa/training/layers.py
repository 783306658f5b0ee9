"""Layers whose way back keeps little and moves few bytes, for any network, and the weights of matrices."""

from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

Weights = dict[str, Any]
"""Arrays by name, in dictionaries."""


class Maker(Protocol):
    """Makes one matrix after the other."""

    def __call__(self, inputs: int, outputs: int, scale: float = 1.0) -> Array: ...


def matrices(key: Array) -> Maker:
    """Random matrices, [inputs, outputs], whose products are about as large as what is multiplied, times a scale."""

    def matrix(inputs: int, outputs: int, scale: float = 1.0) -> Array:
        nonlocal key
        key, own = jax.random.split(key)
        return jnp.multiply(jax.random.normal(own, (inputs, outputs)), scale / np.sqrt(inputs))

    return matrix


def cast(weights: Weights, dtype: Any) -> Weights:
    """The weights in another precision."""
    answer: Weights = jax.tree.map(lambda leaf: leaf.astype(dtype), weights)
    return answer


@jax.custom_vjp
def norm(x: Array) -> Array:
    """LayerNorm over the last axis, without scale and offset, which the next matrix can take over."""
    return _norm(x)[0]


def _norm(x: Array) -> tuple[Array, tuple[Array, Array]]:
    wide = x.astype(jnp.float32)
    wide -= wide.mean(-1, keepdims=True)
    scale = lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-5)
    y = (wide * scale).astype(x.dtype)
    return y, (y, scale)


def _norm_back(kept: tuple[Array, Array], dy: Array) -> tuple[Array]:
    y, scale = kept
    wide, dwide = y.astype(jnp.float32), dy.astype(jnp.float32)
    mean, along = dwide.mean(-1, keepdims=True), (dwide * wide).mean(-1, keepdims=True)
    return (((dwide - mean - wide * along) * scale).astype(dy.dtype),)


norm.defvjp(_norm, _norm_back)


@jax.custom_vjp
def silu(x: Array) -> Array:
    """The function x * sigmoid(x); going back needs nothing but x."""
    return _silu(x)[0]


def _silu(x: Array) -> tuple[Array, Array]:
    wide = x.astype(jnp.float32)
    return (wide * jax.nn.sigmoid(wide)).astype(x.dtype), x


def _silu_back(x: Array, dy: Array) -> tuple[Array]:
    wide = x.astype(jnp.float32)
    gate = jax.nn.sigmoid(wide)
    return ((dy * gate * (1 + wide * (1 - gate))).astype(x.dtype),)


silu.defvjp(_silu, _silu_back)


@jax.custom_vjp
def pick(x: Array, at: Array) -> Array:
    """One of K for each of N, [K, N, ...], [N] -> [N, ...]; going back needs no scattering."""
    return x[at, jnp.arange(len(at))]


def _pick_back(kept: tuple[Array, int], dy: Array) -> tuple[Array, None]:
    at, count = kept
    return jax.nn.one_hot(at, count, axis=0, dtype=dy.dtype)[..., None] * dy, None


pick.defvjp(lambda x, at: (x[at, jnp.arange(len(at))], (at, len(x))), _pick_back)
