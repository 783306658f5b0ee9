"""The network for Isis & Osiris as an ONNX graph.

It takes the features of `sobremesa.games.isis_osiris.engine.features`: ``cells``, float32 [N, 36, 20], and ``table``,
float32 [N, 29]. It gives, for each cell, each piece (a stone, then a tile of each value) and each slot from the mover
onwards, ``win``, float32 [N, 36, 9, 4], the share of first place, and ``margin``, float32 [N, 36, 9, 4], the final
total less the mean of the others', in points. On full cells the answer has no sense.
"""

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from sobremesa.games.isis_osiris.engine.features import (
    CELL_FEATURES,
    CELLS,
    FOUR,
    HALF,
    LEFT,
    LINKS,
    NEAR,
    PIECES,
    SIDE,
    SLOTS,
    TABLE_FEATURES,
    THERE,
    TOTALS,
    VALUES,
    WORTH,
)
from sobremesa.games.isis_osiris.training.network import LEAD_HORIZON, LEAD_LOGIT, MASKED_LOGIT, POINTS_UNIT
from sobremesa.training.graph import Graph, floats
from sobremesa.training.layers import Weights


def _sums() -> list[NDArray[np.float32]]:
    """The messages between cells as matrices, as in `isis_osiris_network.SUMS`, each [36, 36]."""
    rows, columns = np.divmod(np.arange(CELLS), SIDE)
    down, across = (abs(np.subtract.outer(each, each)) for each in (rows, columns))
    lines = np.add(down == 0, across == 0, dtype=np.float32) / np.float32(2)
    return [LINKS, floats((down == 1) & (across == 1)), lines]


def graph(weights: Weights) -> onnx.ModelProto:
    """The network with these weights."""
    add = Graph()
    channels = weights["cell"].shape[1]

    def columns(given: str, which: Any, axis: int) -> str:
        return add("Gather", given, np.arange(CELL_FEATURES + TABLE_FEATURES)[which], axis=axis)

    table = add.dense("table", weights["table"], weights["bias"])
    x = add("Add", add.dense("cells", weights["cell"]), add("Unsqueeze", table, np.array([1])))
    for w in weights["rounds"]:
        own = add.norm(x, channels)
        messages = add("Concat", own, *(add("MatMul", each, own) for each in _sums()), axis=2)
        total = add.norm(add("ReduceSum", x, np.array([1]), keepdims=1), channels)
        board = add("Concat", total, add("ReduceMax", own, axes=[1], keepdims=1), axis=2)
        inner = add("Add", add.dense(messages, w["hear"]), add.dense(board, w["board"], w["bias"]))
        x = add("Add", x, add.dense(add.silu(inner), w["out"]))
    learnt = add.dense(add.norm(x, channels), weights["head"], weights["head_bias"])
    learnt = add("Reshape", learnt, np.array([0, CELLS, 2, PIECES, SLOTS]))
    learnt_win, learnt_margin = (add("Gather", learnt, np.int64(part), axis=2) for part in range(2))

    def of_table(which: Any) -> str:
        return add("Unsqueeze", columns("table", which, 1), np.array([1, 2]))

    stone = add("Mul", columns("cells", [WORTH], 2), FOUR * floats(np.eye(1, SLOTS)[0]))
    tile = add("Unsqueeze", columns("cells", NEAR, 2), np.array([2]))
    gains = [add("Unsqueeze", stone, np.array([2])), add("Mul", tile, HALF * floats(VALUES)[:, None])]
    totals = add("Round", add("Mul", of_table(TOTALS), np.float32(POINTS_UNIT)))
    totals = add("Add", add("Concat", *gains, axis=2), totals)

    there = of_table(THERE)
    present = add("Greater", there, np.float32(0))
    seats = add("ReduceSum", there, np.array([-1]), keepdims=1)
    rivals = add("Div", add("Sub", seats, np.float32(1)), seats)  # as a share of the seats
    to_come = add("Sub", add("Round", add("Mul", of_table([LEFT]), np.float32(CELLS))), np.float32(1))
    learning = add("Greater", to_come, np.float32(0))
    mean = add("Div", add("ReduceSum", totals, np.array([-1]), keepdims=1), seats)
    ahead = add("Div", add("Sub", totals, mean), rivals)
    more = add("Where", learning, add("Mul", learnt_margin, np.float32(POINTS_UNIT)), np.float32(0))
    add("Mul", add("Add", ahead, more), there, name="margin")

    sharpness = add("Div", np.float32(LEAD_LOGIT), add("Sqrt", add("Add", to_come, np.float32(LEAD_HORIZON))))
    logits = add("Add", add("Mul", "margin", add("Mul", sharpness, rivals)), learnt_win)
    chances = add("Softmax", add("Where", present, logits, np.float32(MASKED_LOGIT)))
    best = add("ReduceMax", add("Where", present, totals, np.float32(MASKED_LOGIT)), axes=[-1], keepdims=1)
    first = add("And", present, add("Greater", totals, add("Sub", best, np.float32(0.5))))
    first = add("Cast", first, to=TensorProto.FLOAT)
    share = add("Div", first, add("ReduceSum", first, np.array([-1]), keepdims=1))
    add("Where", learning, chances, share, name="win")

    for name in ("win", "margin"):
        add.answer(name, CELLS, PIECES, SLOTS)
    shapes = (("cells", (CELLS, CELL_FEATURES)), ("table", (TABLE_FEATURES,)))
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape]) for name, shape in shapes]
    return add.model("isis_osiris", *inputs)
