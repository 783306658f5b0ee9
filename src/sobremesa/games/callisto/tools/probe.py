"""An early network for Callisto as a file to play against: ``python probe.py WEIGHTS.npz probe.onnx``.

It was taught two players on the classic board, in a few minutes, and takes fewer features than our networks. The
file has their inputs and outputs all the same, so that whoever plays with those can play with it:
``sobremesa gtp --game callisto_2 --weights probe.onnx``.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from sobremesa.games.callisto.engine.features import HOLDS, KINDS, MAX_COPIES, NUMBERS, PLANES, SQUARES
from sobremesa.training.graph import Graph, floats

CELLS = [0, 1, 13, 8, 9, 12, 14]
"""The planes that it takes: own and other pieces, what is free, what lies beside them, the board, the centre."""
FREE, CENTRE = 13, 14
PENALTIES, STARTED, SPACE = 48, 60, 69
"""Where these lie among the numbers that a network of the house takes."""
MOVES, SWING = 40, 10
"""The units in which it counts moves, and squares."""
SIDE = 16


def numbers() -> tuple[Any, Any]:
    """A matrix and an offset that make its own numbers of those that a network of the house takes."""
    matrix, offset = np.zeros((NUMBERS, 32), np.float32), np.zeros(32, np.float32)
    pieces = len(KINDS)
    matrix[range(2 * pieces), range(2 * pieces)] = 1
    matrix[STARTED, 24], offset[24] = -1, 1
    matrix[: 2 * pieces, 25] = -np.tile(MAX_COPIES, 2) / MOVES
    offset[25] = 2 * MAX_COPIES.sum() / MOVES
    squares = SQUARES @ MAX_COPIES / SWING
    matrix[PENALTIES : PENALTIES + 2, 26] = -squares, squares
    matrix[SPACE, 27] = 1
    return matrix, offset


def order() -> list[int]:
    """Where its planes lie, for each way to hold a piece: its tiles come first, their squares sorted by columns."""
    theirs = []
    for piece in (*KINDS[1:], KINDS[0]):
        holds = [hold for hold in HOLDS if hold.piece == piece]
        theirs += sorted(holds, key=lambda hold: sorted(hold.offsets))
    return [theirs.index(hold) for hold in HOLDS]


def probe_graph(weights: Any) -> onnx.ModelProto:
    """The network, in the form of the house."""
    add = Graph()

    def convolve(x: str, weight: Any, bias: Any) -> str:
        reach = weight.shape[0] // 2
        return add("Conv", x, floats(weight).transpose(3, 2, 0, 1).copy(), floats(bias), pads=[reach] * 4)

    def plane(at: int) -> str:
        return add("Gather", "planes", np.array([at]), axis=1)

    matrix, offset = numbers()
    table = add.dense("table", matrix, offset)
    outside = add("Sub", plane(FREE), add("Mul", plane(FREE), plane(CENTRE)))
    cells = add("Concat", add("Gather", "planes", np.array(CELLS), axis=1), outside, axis=1)
    spread = add("Unsqueeze", add.dense(table, weights["sc"], weights["scb"]), np.array([2, 3]))
    channels = len(weights["scb"])
    x = add("Relu", add("Add", convolve(cells, weights["stem"], np.zeros(channels)), spread))
    for block in range(int(weights["cfg"][0])):
        first, offset = weights[f"c1_{block}"], floats(weights[f"o1_{block}"])
        if f"g_{block}" in weights:
            bare = convolve(x, first, np.zeros(channels))
            heard, say = add("GlobalAveragePool", add("Relu", bare)), floats(weights[f"g_{block}"])
            inner = add("Add", bare, add("Conv", heard, say.T[:, :, None, None].copy(), offset))
        else:
            inner = convolve(x, first, offset)
        x = add("Relu", add("Add", convolve(add("Relu", inner), weights[f"c2_{block}"], weights[f"o2_{block}"]), x))
    holds = order()
    inner = add("Relu", convolve(x, weights["p1"], weights["p1b"]))
    last = floats(weights["p2"])[..., holds].transpose(3, 2, 0, 1).copy()
    add("Conv", inner, last, floats(weights["p2b"])[holds], name="policy")
    pooled = add("Flatten", add("GlobalAveragePool", add("Relu", convolve(x, weights["v1"], weights["v1b"]))))
    inner = add("Relu", add.dense(add("Concat", pooled, table, axis=1), weights["v2"], weights["v2b"]))
    found = add.dense(inner, weights["v3"], weights["v3b"])
    both = np.array([[2, -2, 0, 0]], np.float32)
    chance = add("Sigmoid", add("MatMul", add("Gather", found, np.array([0]), axis=1), both))
    add("Mul", chance, np.abs(both) / 2, name="win")
    add("MatMul", add("Gather", found, np.array([1]), axis=1), both * SWING / 2, name="margin")
    add.answer("policy", len(HOLDS), SIDE, SIDE)
    add.answer("win", 4)
    add.answer("margin", 4)
    inputs = (("planes", (PLANES, SIDE, SIDE)), ("table", (NUMBERS,)))
    return add.model(
        "probe", *(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape]) for name, shape in inputs)
    )


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("weights", type=Path)
    parser.add_argument("onnx", type=Path)
    options = parser.parse_args()
    with np.load(options.weights) as weights:
        onnx.save(probe_graph(weights), options.onnx)


if __name__ == "__main__":
    main()
