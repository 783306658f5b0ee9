"""What static int8 would do to the network for Knister: ``python int8.py``.

Quantises the products with weights (`MatMul` by 128 or 256 channels) after looking at sheets from the network's own
games, and prints how fast both are on one thread, and how many points a placement the int8 network gives away in the
opinion of the one it was made from.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sobremesa.games.knister.engine.lines import ODDS, ROLLS, Ints, expected, written
from sobremesa.games.knister.engine.network import Network
from sobremesa.training.quantise import quantise

WEIGHTS = Path(__file__).resolve().parent.parent / "engine"
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


def speed(net: Network, sheets: Ints) -> float:
    """Sheets a second in batches of 25."""
    began, done = time.process_time(), 0
    while time.process_time() - began < 2:
        net.points(sheets[:25])
        done += 25
    return done / (time.process_time() - began)


def main() -> None:
    """Quantises, compares, prints."""
    net = Network()
    sheets, mean = games_of(net, GAMES, 1)
    with TemporaryDirectory() as folder:
        small = Path(folder) / "int8.onnx"
        examples = ({"sheets": sheets[low : low + GAMES]} for low in range(0, len(sheets), GAMES))
        count = quantise(WEIGHTS / "weights.onnx", small, examples, lambda _, shape: set(shape) <= set(WIDE))
        int8 = Network(small)
        free = (sheets == 0)[..., None]
        whole, blurred = (np.where(free, each.points(sheets), -np.inf) for each in (net, int8))
        chosen = np.take_along_axis(whole, blurred.argmax(1)[:, None], axis=1)[:, 0]
        lost = float(((whole.max(1) - chosen) @ ODDS).mean())
        print(f"{count} products in int8")
        print(f"fp32 {speed(net, sheets):.0f} sheets/s, {mean:.2f} points in {GAMES} games")
        print(f"int8 {speed(int8, sheets):.0f} sheets/s, {lost:.2f} points given away a placement")


if __name__ == "__main__":
    main()
