"""A checkpoint to go on training from, made of the network that comes with the package.

    python thaw.py --out thawed.npz
    sobremesa train isis-osiris --resume thawed.npz --out run3

The network is kept as an ONNX file in fp32, which holds the average of the weights and nothing else: the optimiser
starts afresh.
"""

import argparse
from pathlib import Path

import jax
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from sobremesa.games.isis_osiris import engine
from sobremesa.games.isis_osiris.training.network import Size, Weights, init
from sobremesa.training import checkpoint

HOUSE = Path(str(engine.__file__)).with_name("weights.onnx")


def thawed(file: Path, size: Size) -> Weights:
    """The weights in an ONNX file that `training.graph` has written.

    They stand there in the order of their shapes' first use; each has a place of its own, told by its shape.
    """
    like = jax.eval_shape(lambda: init(jax.random.key(0), size))
    found = [numpy_helper.to_array(each) for each in onnx.load(file).graph.initializer]
    width, hidden = size.channels, size.hidden

    def next_of(shape: tuple[int, ...]) -> NDArray[np.float32]:
        at = next(at for at, each in enumerate(found) if each.shape == shape)
        return found.pop(at)

    weights: Weights = {"table": next_of(like["table"].shape), "bias": next_of((width,))}
    weights["cell"] = next_of(like["cell"].shape)
    weights["rounds"] = [
        {
            "hear": next_of(like["rounds"][0]["hear"].shape),
            "board": next_of(like["rounds"][0]["board"].shape),
            "bias": next_of((hidden,)),
            "out": next_of(like["rounds"][0]["out"].shape),
        }
        for _ in range(size.rounds)
    ]
    weights["head"], weights["head_bias"] = next_of(like["head"].shape), next_of(like["head_bias"].shape)
    return weights


def main(arguments: list[str] | None = None) -> None:
    """Reads and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("network", type=Path, nargs="?", default=HOUSE, metavar="NETWORK")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the checkpoint.npz to write")
    chosen = parser.parse_args(arguments)
    size = Size()
    weights = thawed(chosen.network, size)
    about = {
        "game": "isis-osiris",
        "size": size._asdict(),
        "options": {},
        "device": "",
        "sweeps": 0,
        "games": 0,
        "updates": 100_000,
        "curve": [],
        "progress": 1.0,
    }
    checkpoint.save(chosen.out, {"weights": weights, "average": weights}, about)


if __name__ == "__main__":
    main()
