"""Networks as files to play with: ``python -m sobremesa.training.export FOLDER/checkpoint.npz network.onnx``.

Writes the average of the weights as an ONNX graph, and in half precision as ``.npz`` beside it. Each game's
``training.graph`` describes what its network takes and gives.
"""

import argparse
from importlib import import_module
from pathlib import Path

import jax
import numpy as np
import onnx

from sobremesa.games import GAMES, find_game
from sobremesa.training import checkpoint
from sobremesa.training.run import average


def main(arguments: list[str] | None = None) -> None:
    """Writes both files."""
    parser = argparse.ArgumentParser(prog="python -m sobremesa.training.export", description=__doc__.split("\n")[0])
    parser.add_argument("checkpoint", type=Path, help="a checkpoint.npz of a run")
    parser.add_argument("onnx", type=Path, help="the file to write; its name with .npz is written beside it")
    trained = [id for id, game in GAMES.items() if game.training]
    parser.add_argument("--game", choices=trained, help="for a checkpoint so old that it does not say")
    options = parser.parse_args(arguments)
    about = checkpoint.about(options.checkpoint)
    if not (id := about.get("game", options.game)):
        parser.error("this checkpoint does not say of which game it is: add --game")
    package = f"{find_game(id).package}.training"
    network, graph = import_module(f"{package}.network"), import_module(f"{package}.graph")
    weights = average(options.checkpoint, network.Size, network.init)
    options.onnx.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(graph.graph(weights), options.onnx)
    halves = jax.tree.map(lambda leaf: leaf.astype(np.float16), weights)
    facts = {name: about[name] for name in ("size", "options", "device", "sweeps", "updates")}
    checkpoint.save(options.onnx.with_suffix(".npz"), halves, facts)


if __name__ == "__main__":
    main()
