"""Networks that nobody taught, in the form of those that somebody did."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from sobremesa.games.callisto.engine.features import HOLDS, NUMBERS, PLANES, SLOTS
from sobremesa.training.graph import Graph, floats

THERE = 52
"""Where the numbers begin that say which slots have a seat."""


def random_network(file: Path, channels: int = 8, rounds: int = 1, seed: int = 1) -> Path:
    """Writes a small network for Callisto with weights by lot, for every table."""
    random, add = np.random.default_rng(seed), Graph()

    def random_weights(*shape: int) -> np.ndarray:
        return floats(random.normal(size=shape) / np.sqrt(np.prod(shape[1:])))

    def convolve(x: str, inputs: int, outputs: int, name: str | None = None) -> str:
        return add("Conv", x, random_weights(outputs, inputs, 3, 3), pads=[1] * 4, name=name)

    spread = add("Unsqueeze", add.dense("table", random_weights(NUMBERS, channels)), np.array([2, 3]))
    x = add("Relu", add("Add", convolve("planes", PLANES, channels), spread))
    for _ in range(rounds):
        inner = add("Relu", convolve(x, channels, channels))
        x = add("Relu", add("Add", convolve(inner, channels, channels), x))
    convolve(x, channels, len(HOLDS), name="policy")
    summary = add("Flatten", add("GlobalAveragePool", x))
    there = add("Gather", "table", np.arange(THERE, THERE + SLOTS), axis=1)
    absent = add("Mul", add("Sub", there, np.float32(1)), np.float32(1e4))
    add("Softmax", add("Add", add.dense(summary, 9 * random_weights(channels, SLOTS)), absent), name="win")
    add("Mul", add.dense(summary, 9 * random_weights(channels, SLOTS)), there, name="margin")
    add.answer("policy", len(HOLDS), "S", "S")
    add.answer("win", SLOTS)
    add.answer("margin", SLOTS)
    inputs = (("planes", (PLANES, "S", "S")), ("table", (NUMBERS,)))
    model = add.model(
        "callisto", *(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape]) for name, shape in inputs)
    )
    onnx.save(model, file)
    return file
