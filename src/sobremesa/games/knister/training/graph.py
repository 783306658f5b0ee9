"""The network for Knister as an ONNX graph.

It takes ``sheets``, int64 [N, 25] (2 to 12, 0 for a free cell), and gives ``points``, float32 [N, 25, 11]: the mean of
the final points after each of the sums 2 to 12 is written into each cell. Where a cell is full the answer has no sense.
A network that learnt it also gives ``spread``, [N, 25, 11, bins]: the chances that the final points are off that mean
by -64 to 64, in equal bins. ONNX Runtime's option ``only_execute_path_to_fetches`` spares what is not asked for.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper

from sobremesa.games.knister.batch import rules
from sobremesa.games.knister.scoring import CELLS
from sobremesa.games.knister.training import network
from sobremesa.games.knister.training.lines import EXPECTED, FEATURES
from sobremesa.games.knister.training.network import MAX_EXACT_CELLS, ORTHOGONALS, POINTS_UNIT, ROLLS, Weights
from sobremesa.training.graph import Graph, floats

EXPECTED_AT = 19
"""The column of FEATURES where the columns of EXPECTED begin, each divided by a power of two."""


def graph(weights: Weights) -> onnx.ModelProto:
    """The network for Knister with these weights."""
    add = Graph()
    channels = weights["cell"].shape[1]
    through = floats(network.THROUGH)
    lines = {"straight": through[:ORTHOGONALS], "diagonal": through[ORTHOGONALS:]}

    dense, silu = add.dense, add.silu

    def norm(x: str) -> str:
        return add.norm(x, channels)

    def total(first: str, *others: str) -> str:
        for other in others:
            first = add("Add", first, other)
        return first

    symbols = add("Max", add("Sub", "sheets", np.int64(1)), np.int64(0))
    places = np.zeros((CELLS, len(rules.TIMES)), np.float32)
    np.put_along_axis(places.T, rules.LINE_CELLS, floats(rules.SYMBOLS ** np.arange(5))[None], axis=1)
    codes = add("Cast", add("MatMul", add("Cast", symbols, to=TensorProto.FLOAT), places), to=TensorProto.INT64)
    hands = add("Cast", add("Gather", rules.hand_of_code(), codes), to=TensorProto.INT64)
    features = add("Gather", FEATURES, hands)  # [N, 12, 55]

    kinds = network.KINDS + rules.SYMBOLS
    x = add("Add", add("Gather", floats(weights["cell"]), symbols), floats(weights["cell"])[kinds])
    state = {}
    for kind, rows in (("straight", slice(0, ORTHOGONALS)), ("diagonal", slice(ORTHOGONALS, None))):
        own = add("Gather", features, np.arange(len(rules.TIMES))[rows], axis=1)
        state[kind] = dense(own, weights[kind], weights[f"{kind}_bias"])
    for w in weights["rounds"]:
        sheet = dense(norm(add("ReduceSum", x, np.array([1]), keepdims=1)), w["sheet"])
        messages = []
        for kind, cells in lines.items():
            inner = total(
                dense(norm(add("MatMul", cells, x)), w[f"{kind}_cells"]),
                dense(norm(state[kind]), w[f"{kind}_self"], w[f"{kind}_bias"]),
                sheet,
            )
            state[kind] = add("Add", state[kind], dense(silu(inner), w[f"{kind}_out"]))
            messages.append(add("MatMul", cells.T.copy(), dense(norm(state[kind]), w[f"{kind}_say"])))
        inner = total(dense(norm(x), w["cell"], w["cell_bias"]), *messages)
        x = add("Add", x, dense(silu(inner), w["cell_out"]))
    last = norm(x)
    found = dense(last, POINTS_UNIT * floats(weights["head"]), POINTS_UNIT * floats(weights["head_bias"]))

    free = add("Cast", add("Equal", "sheets", np.int64(0)), to=TensorProto.FLOAT)
    chosen = add("Greater", add("ReduceSum", free, np.array([1]), keepdims=1), np.float32(MAX_EXACT_CELLS))
    found = add("Mul", found, add("Unsqueeze", add("Cast", chosen, to=TensorProto.FLOAT), np.array([2])))
    times = floats(rules.TIMES)[:, None] * floats(EXPECTED[0] / FEATURES[0, EXPECTED_AT : EXPECTED_AT + ROLLS + 1])
    known = add("Gather", features, np.arange(EXPECTED_AT, EXPECTED_AT + ROLLS + 1), axis=2)
    known = add("Mul", known, times)
    now = add("ReduceSum", add("Gather", known, np.array([0]), axis=2), np.array([1]), keepdims=1)
    gains = add("MatMul", through.T.copy(), add("Gather", known, np.arange(1, ROLLS + 1), axis=2))
    add("Sum", found, gains, now, name="points")
    add.answer("points", CELLS, ROLLS)
    if "spread" in weights:
        w = weights["spread"]
        bins = w["out"].shape[1] // ROLLS
        logits = dense(silu(dense(last, w["in"], w["in_bias"])), w["out"], w["out_bias"])
        add("Softmax", add("Reshape", logits, np.array([0, CELLS, ROLLS, bins])), name="spread")
        add.answer("spread", CELLS, ROLLS, bins)
    return add.model("knister", helper.make_tensor_value_info("sheets", TensorProto.INT64, ["N", CELLS]))
