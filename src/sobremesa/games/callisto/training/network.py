"""The network for Callisto: one for both editions and every number of seats, on a canvas of any size.

It takes the observations of :mod:`sobremesa.games.callisto.batch.observation`. Each round is a residual block of two
convolutions without normalisation; every second one also takes the mean and the maximum over all cells of the board
(global pooling), so that the size of the canvas makes no difference. It answers with a policy head, a logit for each
way to hold a piece on each cell, and a value head, for each slot from the mover onwards the share of first place and
the margin. In training auxiliary heads also say who will own each cell and, if the network has one, what strangers
would place.

Inside, arrays are [N, side, side, channels] and kernels [outputs, 3, 3, inputs], as convolutions on a GPU like them.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from sobremesa.batch.rules import SLOTS
from sobremesa.core.errors import SobremesaError
from sobremesa.games.callisto.batch.board import HOLDS
from sobremesa.games.callisto.batch.observation import NOBODY, NUMBERS, PLANES
from sobremesa.training.layers import Weights as Weights
from sobremesa.training.layers import matrices

MARGIN_UNIT = 10.0
"""The squares of margin that the network calls one."""
MASKED_LOGIT = -1e9
"""The logit of what cannot be: a slot without a seat, a placement that is not legal."""
BOARD_PLANE = 3 * SLOTS
"""The index of the plane that shows the cells of the board."""
THERE = slice(52, 52 + SLOTS)
"""The numbers that say which slots have a seat."""
STRANGERS = "strangers"
"""The name of the head for what strangers would place."""
SUMMARY_CHANNELS = 32
"""The channels of each cell that are pooled for the value head."""
_CHANNEL_MULTIPLE = 8
"""Channels are padded to a multiple of this: products on a GPU are then quicker."""


class Size(NamedTuple):
    """How large a network is."""

    channels: int = 64
    hidden: int = 128
    rounds: int = 6
    strangers: int = 0
    """1 if there is a head for what strangers would place, else 0."""


class Answer(NamedTuple):
    """What the network says of positions."""

    policy: Array
    """Logits for the planes of HOLDS, [N, side, side, 40]; the last one says nothing."""
    win: Array
    """Logits of who wins, [N, 4]; MASKED_LOGIT for slots without a seat."""
    margin: Array
    """How far each slot will be ahead of the best of the others, in MARGIN_UNITs, [N, 4]."""
    owners: Array
    """Logits of who will own each cell: a slot or NOBODY, [N, side, side, 8]; the last three say nothing."""
    strangers: Array
    """Logits for what strangers would place, as in `policy`; the same, if the network has no head for them."""


def init(key: Array, size: Size) -> Weights:
    """Weights of a network that knows nothing: all moves and all seats look alike."""
    matrix = matrices(key)
    width, hidden = size.channels, size.hidden

    def kernel(inputs: int, outputs: int = width, side: int = 3, scale: float = 2**0.5) -> Array:
        return matrix(side * side * inputs, outputs, scale).T.reshape(outputs, side, side, inputs)

    def a_round(number: int) -> Weights:
        answer = {
            "in": kernel(width),
            "in_bias": jnp.zeros(width),
            "out": kernel(width, scale=0.0),
            "out_bias": jnp.zeros(width),
        }
        return answer | ({"board": matrix(2 * width, width, 0.5)} if number % 2 else {})

    weights = {
        "cell": kernel(PLANES),
        "table": matrix(NUMBERS, width),
        "bias": jnp.zeros(width),
        "rounds": [a_round(number) for number in range(size.rounds)],
        "policy": {
            "in": kernel(width),
            "in_bias": jnp.zeros(width),
            "out": kernel(width, len(HOLDS), 1, 0.0),
            "out_bias": jnp.zeros(len(HOLDS)),
        },
        "value": {
            "cell": kernel(width, SUMMARY_CHANNELS, 1),
            "cell_bias": jnp.zeros(SUMMARY_CHANNELS),
            "in": matrix(2 * SUMMARY_CHANNELS + NUMBERS, hidden, 2**0.5),
            "in_bias": jnp.zeros(hidden),
            "out": jnp.zeros((hidden, 2 * SLOTS)),
            "out_bias": jnp.zeros(2 * SLOTS),
        },
        "owners": kernel(width, NOBODY + 1, 1, 0.0),
        "owners_bias": jnp.zeros(NOBODY + 1),
    }
    return weights | ({STRANGERS: weights["policy"]} if size.strangers else {})


def added(size: Size, had: Size) -> list[str]:
    """The parts that a network has and a smaller one had not, as checkpoints call them.

    Until they learn, more rounds change nothing. SobremesaError if the network has fewer: something would be forgotten.
    """
    if size.rounds < had.rounds:
        raise SobremesaError("a network of {had} rounds cannot go on with {rounds}", had=had.rounds, rounds=size.rounds)
    rounds = [f"['rounds'][{number}]" for number in range(had.rounds, size.rounds)]
    return rounds + ([f"['{STRANGERS}']"] if size.strangers > had.strangers else [])


def ready(weights: Weights, dtype: Any) -> Weights:
    """The weights for convolutions in another precision; what is said of the whole board stays as it is."""
    answer: Weights = jax.tree.map(lambda leaf: leaf.astype(dtype) if leaf.ndim == 4 else leaf, weights)
    return answer


def answer(weights: Weights, planes: Array, numbers: Array) -> Answer:
    """What the network says of observations, [N, 16, side, side] and [N, 70], in the precision of its kernels."""
    cells = jnp.moveaxis(planes, 1, -1).astype(weights["cell"].dtype)
    board = cells[..., BOARD_PLANE : BOARD_PLANE + 1]
    x = _body(weights, cells, board, numbers)
    policy = _policy(weights["policy"], x)
    strangers = _policy(weights[STRANGERS], x) if STRANGERS in weights else policy
    w = weights["value"]
    counted = jax.nn.relu(_on_cells(x, w["cell"], w["cell_bias"])).astype(x.dtype)
    summary = jnp.concatenate([pool(counted, board), numbers], -1)
    win, margin = jnp.split(jax.nn.relu(summary @ w["in"] + w["in_bias"]) @ w["out"] + w["out_bias"], 2, -1)
    there = numbers[:, THERE] > 0
    owners = _on_cells(x, weights["owners"], weights["owners_bias"])
    return Answer(policy, jnp.where(there, win, MASKED_LOGIT), jnp.where(there, margin, 0), owners, strangers)


def _policy(w: Weights, x: Array) -> Array:
    """A head for placements, [N, side, side, channels] -> [N, side, side, 40]."""
    return _on_cells(jax.nn.relu(_conv(x, w["in"], w["in_bias"])), w["out"], w["out_bias"])


def pool(x: Array, board: Array) -> Array:
    """Global pooling: mean and maximum over the board, none below 0, [N, side, side, C] -> [N, 2 C] of float32."""
    inside = x * board
    mean = inside.sum((1, 2), dtype=jnp.float32) / board.sum((1, 2), dtype=jnp.float32)
    return jnp.concatenate([mean, inside.max((1, 2)).astype(jnp.float32)], -1)


def _body(weights: Weights, cells: Array, board: Array, numbers: Array) -> Array:
    everywhere = numbers @ weights["table"] + weights["bias"]
    x = jax.nn.relu(_conv(cells, weights["cell"], everywhere[:, None, None]))
    for w in weights["rounds"]:
        pooled = (pool(x, board) @ w["board"])[:, None, None] if "board" in w else 0
        inner = jax.nn.relu(_conv(x, w["in"], w["in_bias"] + pooled))
        x = jax.nn.relu(_conv(inner, w["out"], w["out_bias"]) + x)
    return x


def _conv(x: Array, kernel: Array, bias: Array) -> Array:
    found = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "OHWI", "NHWC"))
    return found + bias.astype(x.dtype)


def _on_cells(x: Array, kernel: Array, bias: Array) -> Array:
    """The same for kernels of one cell, in float32 and with a few unused channels, which a GPU likes."""
    spare = (0, -len(kernel) % _CHANNEL_MULTIPLE)
    matrix = jnp.pad(kernel[:, 0, 0].T, [(0, 0), spare])
    return jnp.dot(x, matrix, preferred_element_type=jnp.float32) + jnp.pad(bias, spare)
