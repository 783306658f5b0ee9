"""What static int8 would do to the network for Knister: ``python tools/knister_int8.py``.

Quantises the products with weights (`MatMul` by 128 or 256 channels) after looking at sheets from the network's own
games, and prints how fast both are on one thread, and how many points a placement the int8 network gives away in the
opinion of the one it was made from.
"""

import logging
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

import sobremesa.engines
from sobremesa.engines.knister.lines import ODDS, ROLLS, Ints, expected, written
from sobremesa.engines.knister.network import Network

WEIGHTS = Path(sobremesa.engines.__file__).parent / "weights"
GAMES = 64
WIDE = (128, 256)


def games_of(net: Network, count: int, seed: int) -> tuple[Ints, float]:
    """All sheets of so many games that the network plays, and its mean points."""
    random = np.random.default_rng(seed)
    odds = ODDS.astype(np.float64) / ODDS.astype(np.float64).sum()
    sheets, met = np.zeros((count, 25), np.int64), []
    for _ in range(25):
        met.append(sheets)
        rolls = random.choice(len(ROLLS), count, p=odds)
        points = net.points(sheets)[np.arange(count), :, rolls]
        sheets = written(sheets, np.where(sheets == 0, points, -np.inf).argmax(1), ROLLS[rolls])
    return np.concatenate(met), float(expected(sheets).mean())


class Reader(CalibrationDataReader):  # type: ignore[misc]
    """Hands sheets to the quantiser."""

    def __init__(self, sheets: Ints) -> None:
        self._batches = iter([{"sheets": sheets[low : low + GAMES]} for low in range(0, len(sheets), GAMES)])

    def get_next(self) -> dict[str, Ints] | None:
        """The next batch."""
        return next(self._batches, None)


def speed(net: Network, sheets: Ints) -> float:
    """Sheets a second in batches of 25."""
    began, done = time.process_time(), 0
    while time.process_time() - began < 2:
        net.points(sheets[:25])
        done += 25
    return done / (time.process_time() - began)


def main() -> None:
    """Quantises, compares, prints."""
    logging.disable()
    net = Network()
    sheets, mean = games_of(net, GAMES, 1)
    with TemporaryDirectory() as folder:
        ready, small = Path(folder) / "ready.onnx", Path(folder) / "int8.onnx"
        quant_pre_process(WEIGHTS / "knister.onnx", ready, skip_symbolic_shape=True)
        graph = onnx.load(ready).graph
        sizes = {constant.name: list(constant.dims) for constant in graph.initializer}
        products = [
            n.name for n in graph.node if n.op_type == "MatMul" and set(sizes.get(n.input[1], [0])) <= set(WIDE)
        ]
        quantize_static(
            ready, small, Reader(sheets), quant_format=QuantFormat.QDQ, nodes_to_quantize=products,
            per_channel=True, reduce_range=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        )  # fmt: skip
        int8 = Network(small)
        free = (sheets == 0)[..., None]
        whole, blurred = (np.where(free, each.points(sheets), -np.inf) for each in (net, int8))
        chosen = np.take_along_axis(whole, blurred.argmax(1)[:, None], axis=1)[:, 0]
        lost = float(((whole.max(1) - chosen) @ ODDS).mean())
        print(f"fp32 {speed(net, sheets):.0f} sheets/s, {mean:.2f} points in {GAMES} games")
        print(f"int8 {speed(int8, sheets):.0f} sheets/s, {lost:.2f} points given away a placement")


if __name__ == "__main__":
    main()
