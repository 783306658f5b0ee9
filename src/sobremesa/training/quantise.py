"""Networks in static int8: smaller numbers where most of the work is, with ranges learnt from examples."""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

Feed = dict[str, NDArray[Any]]
"""What a network is given, by the names of its inputs."""


class _Examples(CalibrationDataReader):  # type: ignore[misc]
    def __init__(self, feeds: Iterable[Feed]) -> None:
        self._feeds = iter(feeds)

    def get_next(self) -> Feed | None:
        return next(self._feeds, None)


def quantise(
    source: Path, target: Path, examples: Iterable[Feed], which: Callable[[str, list[int]], bool] = lambda *_: True
) -> int:
    """Writes a copy of a network whose products with weights are computed in int8; returns how many those are.

    Products can be chosen by their operator and the shape of their weights. Examples must be such as will be met.
    """
    logging.getLogger().setLevel(logging.ERROR)
    with TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.onnx"
        quant_pre_process(source, ready, skip_symbolic_shape=True)
        model = onnx.load(ready)
        shapes = {constant.name: list(constant.dims) for constant in model.graph.initializer}
        chosen = []
        for at, node in enumerate(model.graph.node):
            node.name = f"{node.op_type} {at}"  # the quantiser finds nodes by their names
            weights = shapes.get(node.input[1]) if node.op_type in ("Conv", "Gemm", "MatMul") else None
            if weights and which(node.op_type, weights):
                chosen.append(node.name)
        onnx.save(model, ready)
        quantize_static(
            ready, target, _Examples(examples), quant_format=QuantFormat.QDQ, nodes_to_quantize=chosen,
            per_channel=True, reduce_range=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        )  # fmt: skip
    return len(chosen)
