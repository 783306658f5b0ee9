"""The network for Callisto as an ONNX graph, one for every table: the canvas may have any side S.

It takes the observations of :mod:`sobremesa.games.callisto.batch.observation`: ``planes``, float32 [N, 16, S, S], and
``table``, float32 [N, 70], the numbers. It gives ``policy``, float32 [N, 39, S, S], logits of each way to hold a piece
on each cell; and for each slot from the mover onwards ``win``, float32 [N, 4], the share of first place, and
``margin``, float32 [N, 4], by how many squares it will be ahead of the best of the others. Both are 0 for slots without
a seat.
"""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from sobremesa.batch.rules import SLOTS
from sobremesa.games.callisto.batch.board import HOLDS
from sobremesa.games.callisto.batch.observation import NUMBERS, PLANES
from sobremesa.games.callisto.training.network import BOARD_PLANE, MARGIN_UNIT, MASKED_LOGIT, THERE
from sobremesa.training.graph import Graph, floats
from sobremesa.training.layers import Weights

_CELLS = [2, 3]
"""The axes of the canvas."""


def graph(weights: Weights) -> onnx.ModelProto:
    """The network with these weights."""
    add = Graph()
    board = add("Gather", "planes", np.array([BOARD_PLANE]), axis=1)
    covered = add("ReduceMean", board, axes=_CELLS, keepdims=0)

    def conv(x: str, kernel: Any, bias: Any = None, name: str | None = None) -> str:
        turned = np.ascontiguousarray(floats(kernel).transpose(0, 3, 1, 2))
        more = [] if bias is None else [floats(bias)]
        return add("Conv", x, turned, *more, name=name, pads=[turned.shape[2] // 2] * 4)

    def everywhere(vector: str) -> str:
        return add("Unsqueeze", vector, np.array(_CELLS))

    def pool(x: str) -> str:
        inside = add("Mul", x, board)
        mean = add("Div", add("ReduceMean", inside, axes=_CELLS, keepdims=0), covered)
        return add("Concat", mean, add("ReduceMax", inside, axes=_CELLS, keepdims=0), axis=1)

    numbers = everywhere(add.dense("table", weights["table"], weights["bias"]))
    x = add("Relu", add("Add", conv("planes", weights["cell"]), numbers))
    for w in weights["rounds"]:
        if "board" in w:
            pooled = everywhere(add.dense(pool(x), w["board"], w["in_bias"]))
            inner = add("Relu", add("Add", conv(x, w["in"]), pooled))
        else:
            inner = add("Relu", conv(x, w["in"], w["in_bias"]))
        x = add("Relu", add("Add", conv(inner, w["out"], w["out_bias"]), x))

    w = weights["policy"]
    inner = add("Relu", conv(x, w["in"], w["in_bias"]))
    conv(inner, w["out"], w["out_bias"], name="policy")

    w = weights["value"]
    summary = pool(add("Relu", conv(x, w["cell"], w["cell_bias"])))
    inner = add("Relu", add.dense(add("Concat", summary, "table", axis=1), w["in"], w["in_bias"]))
    value = add.dense(inner, w["out"], w["out_bias"])
    there = add("Gather", "table", np.arange(NUMBERS)[THERE], axis=1)
    logits, margin = (add("Gather", value, np.arange(SLOTS) + at, axis=1) for at in (0, SLOTS))
    present = add("Greater", there, np.float32(0))
    add("Mul", add("Softmax", add("Where", present, logits, np.float32(MASKED_LOGIT))), there, name="win")
    add("Mul", add("Mul", margin, np.float32(MARGIN_UNIT)), there, name="margin")

    add.answer("policy", len(HOLDS), "S", "S")
    add.answer("win", SLOTS)
    add.answer("margin", SLOTS)
    shapes: dict[str, list[int | str]] = {"planes": ["N", PLANES, "S", "S"], "table": ["N", NUMBERS]}
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    return add.model("callisto", *inputs)
