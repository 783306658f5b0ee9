"""Static int8 quantisation of networks after training: smaller numbers where most of the work is.

Activations are bytes with a scale and a zero point, for the range that calibration examples bring. Where one is added
to another and only what is above 0 goes on, it needs to reach no further below 0 than the other can lift it.

Weights have a scale for each output channel, such that two neighbours never reach beyond 127 together. Processors
without instructions for int8 (before AVX-VNNI) add products in pairs of 16 bits and cut off what is more: with these
weights nothing is, all processors say the same, and less is lost than with weights of seven bits.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnxruntime.quantization.shape_inference import quant_pre_process

from sobremesa.training.graph import Graph, floats

Feed = dict[str, NDArray[Any]]
"""What a network is given, by the names of its inputs."""
Constants = dict[str, NDArray[Any]]
_OUTPUTS = {"Conv": 0, "Gemm": 1, "MatMul": -1}
"""The products with weights, and which axis of the weights has the outputs."""
_INPUTS = {"Conv": 1, "Gemm": 0, "MatMul": -2}
"""Which axis of the weights has the inputs."""
_INT8_MAX = 127
_MIN_SCALE = 1e-5
"""The smallest scale of weights: it must be possible to count a bias with it."""


class QuantisedForm(NamedTuple):
    """How an activation is written in bytes: a byte means scale * (byte - zero point)."""

    scale: NDArray[np.float32]
    zero_point: NDArray[np.uint8]

    @classmethod
    def of(cls, least: float, most: float) -> "QuantisedForm":
        """For this range, in which 0 must lie."""
        scale = (most - least) / 255 or 1.0
        return cls(floats(scale), np.array(round(-least / scale), np.uint8))


def quantise(
    source: Path, target: Path, examples: Iterable[Feed], which: Callable[[str, list[int]], bool] = lambda *_: True
) -> int:
    """Writes a copy of a network whose products with weights are computed in int8; returns how many those are.

    Products can be chosen by their operator and the shape of their weights. Examples must be such as will be met.
    """
    model = _tidy(source)
    graph = model.graph
    constants = {constant.name: numpy_helper.to_array(constant) for constant in graph.initializer}
    chosen = [
        node.output[0]
        for node in graph.node
        if node.op_type in _OUTPUTS and set(node.input[1:]) <= set(constants)
        if which(node.op_type, list(constants[node.input[1]].shape))
    ]
    form = _forms(model, constants, chosen, examples)
    _rewrite(graph, constants, chosen, form)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, target)
    return len(chosen)


def _tidy(source: Path) -> onnx.ModelProto:
    """A network with sums joined to the products that they belong to."""
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.ERROR)  # it recommends what has been done
    try:
        with TemporaryDirectory() as folder:
            ready = Path(folder) / "ready.onnx"
            quant_pre_process(source, ready, skip_symbolic_shape=True)
            return onnx.load(ready)
    finally:
        root.setLevel(before)


def _forms(
    model: onnx.ModelProto, constants: Constants, chosen: list[str], examples: Iterable[Feed]
) -> dict[str, QuantisedForm]:
    """What goes into the chosen products and what comes out of them, and how that is written in bytes."""
    readers: dict[str, list[onnx.NodeProto]] = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)

    def only(name: str, kind: str) -> onnx.NodeProto | None:
        """The node that reads it, if nobody else does and it is of this kind."""
        found = readers.get(name, [])
        return found[0] if len(found) == 1 and found[0].op_type == kind else None

    names, lifted = set(), {}
    for node in model.graph.node:
        if (answer := node.output[0]) not in chosen:
            continue
        names.add(node.input[0])
        above = only(answer, "Relu")
        names.add(above.output[0] if above else answer)
        if (total := only(answer, "Add")) and only(total.output[0], "Relu"):
            (lifted[answer],) = set(total.input) - {answer}
    ranges = _ranges(model, names | (set(lifted.values()) - set(constants)), examples)
    for answer, by in lifted.items():
        most = float(constants[by].max()) if by in constants else ranges[by][1]
        ranges[answer] = max(ranges[answer][0], min(-most, 0.0)), ranges[answer][1]
    return {name: QuantisedForm.of(*ranges[name]) for name in names}


def _ranges(model: onnx.ModelProto, names: set[str], examples: Iterable[Feed]) -> dict[str, tuple[float, float]]:
    """The least and the most that examples bring, and 0."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    given = {value.name for value in model.graph.input}
    asked = sorted(names - given)
    known = {value.name for value in model.graph.output}
    probe.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in asked if name not in known)
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    ranges = dict.fromkeys(names, (0.0, 0.0))
    for feed in examples:
        found = feed | dict(zip(asked, session.run(asked, feed), strict=True))
        for name, (least, most) in ranges.items():
            ranges[name] = min(least, float(found[name].min())), max(most, float(found[name].max()))
    return ranges


def _rewrite(graph: onnx.GraphProto, constants: Constants, chosen: list[str], form: dict[str, QuantisedForm]) -> None:
    """Lets the chosen products read bytes and small weights; ONNX Runtime then computes them in int8."""
    add, given = Graph(), {value.name for value in graph.input}

    def in_bytes(whole: str, name: str, written: QuantisedForm) -> None:
        add("DequantizeLinear", add("QuantizeLinear", whole, *written), *written, name=name)

    for name in sorted(given & set(form)):
        in_bytes(name, f"{name}_in_bytes", form[name])
    for node in list(graph.node):
        answer = node.output[0]
        if answer in chosen:
            read, weights, *bias = node.input
            small = list(_small(add, node, constants[weights], [constants[name] for name in bias], form[read].scale))
            del node.input[:]
            node.input.extend([f"{read}_in_bytes" if read in given else read, *small])
        add.nodes.append(node)
        if answer in form:
            node.output[0] = f"{answer}_whole"
            in_bytes(node.output[0], answer, form[answer])
    used = {name for node in add.nodes for name in node.input}
    kept = [constant for constant in graph.initializer if constant.name in used]
    new = [constant for name, constant in add.constants.items() if name not in constants]
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(add.nodes)
    graph.initializer.extend(kept + new)


def _small(
    add: Graph, node: onnx.NodeProto, weights: NDArray[Any], bias: list[NDArray[Any]], unit: NDArray[np.float32]
) -> Iterator[str]:
    """The weights of a product in int8, and its bias in the units of its sums, in which activations have this unit."""
    axis = _OUTPUTS[node.op_type] % weights.ndim
    scales = _scales(np.moveaxis(weights, (axis, _INPUTS[node.op_type]), (0, 1)))
    shape = [-1 if each == axis else 1 for each in range(weights.ndim)]
    small = np.round(weights / scales.reshape(shape)).astype(np.int8)
    yield add("DequantizeLinear", small, scales, np.zeros(len(scales), np.int8), axis=axis)
    for each in bias:
        units = scales * unit
        whole = np.round(each / units).astype(np.int32)
        yield add("DequantizeLinear", whole, units, np.zeros(len(units), np.int32), axis=0)


def _scales(weights: NDArray[Any]) -> NDArray[np.float32]:
    """A scale for each output of weights [outputs, inputs, ...]."""
    even = np.concatenate([weights, np.zeros_like(weights[:, : weights.shape[1] % 2])], axis=1)
    pairs = even.reshape(len(even), -1, 2, *even.shape[2:])
    reach = np.maximum(np.maximum(pairs, 0).sum(2), np.maximum(-pairs, 0).sum(2))
    return np.maximum(floats(reach.reshape(len(even), -1).max(1) / _INT8_MAX), np.float32(_MIN_SCALE))
