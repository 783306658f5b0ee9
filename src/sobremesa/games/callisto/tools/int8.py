"""The network for Callisto in static int8: ``python int8.py NETWORK --out callisto.onnx``.

Takes a checkpoint of a run or a network in fp32 (if nothing is said, the checkpoint of the house), plays games at all
six kinds of tables, or at those that are named, by the network's own priors to learn the ranges, and writes the network
with the convolutions inside it in int8. The first one and those of single cells at the end stay as they are: there is
little work in them, and what they say is worth more than eight bits; a policy in int8 would be in steps of a whole
logit.

Prints what other games say of it: at each kind of table how far both are apart in the chance to win, how much they
disagree about moves (Kullback and Leibler's divergence, and how often they like the same one best); and how fast both
are on one thread, positions a second in batches and simulations a second in the champion's search. To see what that is
worth: ``python duel.py "seconds=0.3 weights=int8.onnx" "seconds=0.3 weights=fp32.onnx"``.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from sobremesa.engines.player import Budget
from sobremesa.games.callisto import GAME, CallistoState
from sobremesa.games.callisto.engine.engine_set import SKILLS
from sobremesa.games.callisto.engine.features import PLANES, Floats, canvas
from sobremesa.games.callisto.engine.gtp import GTP_GAMES, GtpGame
from sobremesa.games.callisto.engine.network import EvaluationNoise, Network, NetworkEvaluator
from sobremesa.games.callisto.engine.player import NetworkPlayer
from sobremesa.training import export
from sobremesa.training.quantise import Feed, quantise

HOUSE = Path(__file__).resolve().parents[5] / "checkpoints" / "callisto" / "checkpoint.npz"
GAMES = 16
"""The games at each kind of table for calibration, and as many to compare with."""
POSITIONS = 320
"""How many of their positions are taken."""
BATCHES = (1, 8, 16, 32)
SIMULATIONS = 400
HALF = 0.5
"""Searches begin where this part of the board is free."""
Positions = dict[str, list[CallistoState]]


class Difference(NamedTuple):
    """How far two networks are apart, in the mean over positions."""

    win: float
    divergence: float
    same: float


def played(table: GtpGame, network: Network, seed: int) -> list[CallistoState]:
    """Positions of games in which moves are drawn as often as the network likes them."""
    evaluator, chance = NetworkEvaluator(network, 0.0, EvaluationNoise(0.0, 1.0, seed)), Random(seed)
    running, met = [CallistoState.begin(table.edition, table.seats, 0)] * GAMES, []
    while running:
        met += running
        drawn = [found.moves[0] for found in evaluator(running) if found.moves is not None]
        after = [state.play(move) for state, move in zip(running, drawn, strict=True)]
        running = [state for state in after if not state.over]
    return chance.sample(met, min(POSITIONS, len(met)))


def observed(states: list[CallistoState]) -> tuple[Floats, Floats]:
    """The features of positions at one kind of table."""
    return canvas(states[0].board).observe(states)


def batches(positions: Positions) -> Iterator[Feed]:
    """The features of positions, at one kind of table after the other."""
    for states in positions.values():
        for low in range(0, len(states), 32):
            planes, table = observed(states[low : low + 32])
            yield {"planes": planes, "table": table}


def inside(operator: str, shape: list[int]) -> bool:
    """Whether these weights belong to a convolution inside the network, where most of the work is."""
    return operator == "Conv" and shape[1] != PLANES and shape[2] > 1


def compared(one: Network, two: Network, states: list[CallistoState]) -> Difference:
    """How far the second is from the first."""
    seats, drawn = states[0].seats, canvas(states[0].board)
    (liked, win, _), (others, other, _) = (network(*observed(states)) for network in (one, two))
    divergence, same = [], []
    for at, state in enumerate(states):
        legal = drawn.at[drawn.legal(state)]
        first, second = (_logarithms(logits[at][legal]) for logits in (liked, others))
        divergence.append(np.exp(first) @ (first - second))
        same.append(first.argmax() == second.argmax())
    return Difference(float(np.abs(win - other)[:, :seats].mean()), float(np.mean(divergence)), float(np.mean(same)))


def _logarithms(logits: Floats) -> Floats:
    """Logarithms of priors."""
    above = logits - logits.max()
    return np.asarray(above - np.log(np.exp(above).sum()))


def speed(network: Network, states: list[CallistoState], batch: int) -> float:
    """Positions a second in batches."""
    given = observed(states[:batch])
    network(*given)
    began, done = time.process_time(), 0
    while time.process_time() - began < 0.5:
        network(*given)
        done += batch
    return done / (time.process_time() - began)


def walked(file: Path, state: CallistoState, batch: int) -> float:
    """Simulations a second of a champion that evaluates ``batch`` leaves at a time."""
    skill = SKILLS["champion"]
    skill = replace(skill, exact=False, settings=replace(skill.settings, batch=batch))
    player = NetworkPlayer("champion", GAME, Random(1), skill, file)
    player.ready()
    began = time.process_time()
    thought = player.think(state.view(state.turn), budget=Budget(seconds=600.0, simulations=SIMULATIONS))
    return thought.simulations / (time.process_time() - began)


def report(fp32: Path, int8: Path, positions: Positions) -> None:
    """Prints how the two compare."""
    one, two = Network(fp32), Network(int8)
    print("\ntable              win off  divergence  same best move")
    for name, states in positions.items():
        off = compared(one, two, states)
        print(f"{name:17} {off.win:8.4f} {off.divergence:11.4f} {off.same:15.1%}")
    heads = "".join(f"{'batch ' + str(batch):>10}" for batch in BATCHES)
    print(f"\npositions/s          canvas       {heads}")
    sides = {states[0].board.width: (name, states) for name, states in reversed(positions.items())}
    for side, (name, states) in sorted(sides.items(), reverse=True):
        for form, network in (("fp32", one), ("int8", two)):
            found = "".join(f"{speed(network, states, batch):10.0f}" for batch in BATCHES)
            print(f"{name:17} {side:4} x {side} {form:>5} {found}")
    print(f"\nsimulations/s                     {heads}")
    for name in [name for name in ("callisto_2", "callisto") if name in positions] or positions:
        state = min(positions[name], key=lambda each: abs(each.free.bit_count() / each.board.cells.bit_count() - HALF))
        for form, file in (("fp32", fp32), ("int8", int8)):
            found = "".join(f"{walked(file, state, batch):10.0f}" for batch in BATCHES)
            print(f"{name:27} {form:>5} {found}")


def main() -> None:
    """Quantises, compares, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__
    )
    parser.add_argument("network", type=Path, nargs="?", default=HOUSE, metavar="NETWORK")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the network in int8")
    parser.add_argument("--whole", type=Path, metavar="FILE", help="where to write the network in fp32")
    tables = tuple(GTP_GAMES)
    parser.add_argument("--tables", nargs="+", choices=tables, default=tables, metavar="GAME", help=", ".join(tables))
    chosen = parser.parse_args()
    wanted = {name: GTP_GAMES[name] for name in chosen.tables}
    with TemporaryDirectory() as folder:
        fp32 = chosen.whole or Path(folder) / "fp32.onnx"
        if chosen.network.suffix == ".npz":
            export.main([str(chosen.network), str(fp32)])
        else:
            fp32.write_bytes(chosen.network.read_bytes())
        int8 = chosen.out or Path(folder) / "int8.onnx"
        network = Network(fp32)
        learnt, others = ({name: played(table, network, seed) for name, table in wanted.items()} for seed in (1, 2))
        count = quantise(fp32, int8, batches(learnt), inside)
        print(f"{count} convolutions in int8, learnt from {sum(map(len, learnt.values()))} positions")
        report(fp32, int8, others)


if __name__ == "__main__":
    main()
