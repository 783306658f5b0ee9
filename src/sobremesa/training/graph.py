"""ONNX graphs, built node by node."""

from hashlib import sha256
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Graph:
    """An ONNX graph that grows node by node; values are known by their names."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self.outputs: list[onnx.ValueInfoProto] = []

    def constant(self, array: Any) -> str:
        """The name of a constant; equal ones are kept once."""
        array = np.asarray(array)
        name = f"{array.dtype}_{'x'.join(map(str, array.shape))}_{sha256(array.tobytes()).hexdigest()[:12]}"
        self.constants.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def __call__(self, kind: str, *inputs: Any, name: str | None = None, **attributes: Any) -> str:
        """Adds a node and names its output; inputs are names, or arrays that become constants."""
        names = [given if isinstance(given, str) else self.constant(given) for given in inputs]
        output = name or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, names, [output], **attributes))
        return output

    def norm(self, x: str, channels: int) -> str:
        """As `layers.norm`."""
        return self("LayerNormalization", x, np.ones(channels, np.float32), epsilon=1e-5)

    def silu(self, x: str) -> str:
        """As `layers.silu`."""
        return self("Mul", x, self("Sigmoid", x))

    def dense(self, x: str, weight: Any, bias: Any = None) -> str:
        """A product with a matrix of weights."""
        product = self("MatMul", x, floats(weight))
        return product if bias is None else self("Add", product, floats(bias))

    def answer(self, name: str, *shape: int | str) -> None:
        """Makes a value of this name, float32 [N, ...], an output."""
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape]))

    def model(self, name: str, *inputs: onnx.ValueInfoProto) -> onnx.ModelProto:
        """The graph as a model, checked."""
        graph = helper.make_graph(self.nodes, name, inputs, self.outputs, list(self.constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        return model


def floats(value: Any) -> NDArray[np.float32]:
    """An array in single precision."""
    return np.asarray(value, np.float32)
