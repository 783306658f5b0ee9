"""Teaches the network for Callisto: ``python -m sobremesa.games.callisto.training.run --minutes 8 --out FOLDER``.

One network learns all six kinds of table by self-play. Every sweep makes a few moves in thousands of games, all on the
device, each found by a short search with the average of the recent weights. Then it learns from minibatches of games
that are over, drawn from the replay buffer: the policy that the search improved, who won and by how much, and who owned
each cell in the end. The buffer is not kept in files: a run that goes on plays for a while before it learns. It may go
on with more ``--rounds``.

With ``--league FOLDER`` it also learns from games that strangers have played (`sobremesa.training.callisto_league`);
games may be added to that folder while the run goes on.

What FOLDER receives is said in `sobremesa.training.run`. Compiling for a GPU takes a while, all programs side by side;
with ``--compiled FOLDER`` it is done once.
"""

import argparse
import os
import time
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array, lax

from sobremesa.games.callisto.batch.rules import CallistoRules
from sobremesa.games.callisto.training import games, network
from sobremesa.games.callisto.training.games import KINDS, Population, SelfPlay
from sobremesa.games.callisto.training.league import Folder, League, move_lists, replayed
from sobremesa.games.callisto.training.minibatch import answers, losses, sample, sample_league
from sobremesa.games.callisto.training.network import STRANGERS, Size, Weights
from sobremesa.games.callisto.training.search import SearchSettings
from sobremesa.training import checkpoint as checkpoints
from sobremesa.training import run
from sobremesa.training.run import Learner, Pace, improved

KIND_SHARES = (0.4, 0.15, 0.2, 0.1, 0.05, 0.1)
"""The share that each of the KINDS has in what is played and learnt."""
LOSS_WEIGHTS = {"policy": 1.0, "win": 1.0, "margin": 1.0, "owners": 0.25, "strangers": 2.0}
"""How much each loss counts."""
EMA_DECAY = 0.998
"""The most that the moving average of the weights keeps of itself at an update."""
MAX_POLICY_LOSS = 10.0
"""An update with a higher loss of the policy is undone: even a uniform policy has less."""
MIN_WINDOW_SWEEPS, WINDOW_SHARE = 8, 0.3
"""The window of the replay buffer that minibatches come from: this share of all sweeps, and at least so many."""
LEAGUE_MINIBATCH_SHARE = 0.125
"""How many positions of strangers' games a minibatch has for each of its kind's own."""
LEAGUE_REFRESH_SECONDS = 20
"""How often a run looks for new games in the folder of the league."""
_BATCH_MULTIPLE = 8
_SLOW_COMPILE_SECONDS = 5
"""A program that takes longer to compile is reported."""


def _decays(weights: Weights) -> Any:
    return jax.tree.map(lambda leaf: leaf.ndim > 1, weights)


OPTIMISER = optax.chain(
    optax.clip_by_global_norm(5.0), optax.scale_by_adam(b2=0.99), optax.add_decayed_weights(0.02, _decays)
)


class Kind(NamedTuple):
    """One kind of table in a run."""

    name: str
    rules: CallistoRules
    batch: int
    """The games that go on at a time."""
    minibatch: int
    """The positions of an update."""
    population: Population = Population()
    league_minibatch: int = 0
    """The positions of strangers' games in an update, too."""


def kinds(shares: tuple[float, ...], batch: int, minibatch: int) -> list[Kind]:
    """The kinds that have a share, with their parts of the games and of a minibatch, in multiples of eight."""
    answer = []
    for kind, share in zip(KINDS, np.array(shares) / sum(shares), strict=True):
        counts = [_BATCH_MULTIPLE * max(1, round(whole * share / _BATCH_MULTIPLE)) for whole in (batch, minibatch)]
        if share:
            answer.append(Kind(" ".join(map(str, kind)), games.rules_of(kind), *counts))
    return answer


class Programs:
    """Programs that are compiled side by side, each waited for when it is first needed."""

    def __init__(self) -> None:
        self._compiled: dict[str, Future[Any]] = {}
        self._pool = ThreadPoolExecutor(os.cpu_count(), "compiling")

    def add(self, name: str, program: Any, *arguments: Any, **jit: Any) -> None:
        """Has a program compiled for such arguments."""
        self._compiled[name] = self._pool.submit(self._compile, name, jax.jit(program, **jit).lower(*arguments))

    def _compile(self, name: str, lowered: Any) -> Any:
        began = time.monotonic()
        compiled = lowered.compile()
        if (seconds := time.monotonic() - began) > _SLOW_COMPILE_SECONDS:
            print(f"compiled {name} in {seconds:.0f} s", flush=True)
        return compiled

    def __call__(self, name: str, *arguments: Any) -> Any:
        return self._compiled[name].result()(*arguments)


def update(
    kinds: list[Kind],
    count: int,
    dtype: Any,
    learner: Learner,
    selfplays: list[SelfPlay],
    leagues: list[League | None],
    key: Array,
    rate: Array,
    outcome_weight: Array,
    upto: Array,
    window: Array,
) -> tuple[Learner, dict[str, Array]]:
    """Makes ``count`` updates, each with a minibatch from all kinds of tables."""

    def loss(weights: Weights, key: Array) -> tuple[Array, dict[str, Array]]:
        keys = jax.random.split(key, len(kinds))
        rules = [kind.rules for kind in kinds]
        minibatches = [
            sample(kind.rules, selfplay, own, upto, window, outcome_weight, kind.minibatch)
            for kind, selfplay, own in zip(kinds, selfplays, keys, strict=True)
        ]
        for kind, league, own in zip(kinds, leagues, keys, strict=True):
            if league is not None:
                rules.append(kind.rules)
                minibatches.append(sample_league(kind.rules, league, jax.random.fold_in(own, 1), kind.league_minibatch))
        found = answers(network.ready(weights, dtype), minibatches)
        parts = [losses(each, own, minibatch) for each, own, minibatch in zip(rules, found, minibatches, strict=True)]
        mask = jnp.concatenate([each.mask for each in minibatches])
        means = {
            name: (mask * jnp.concatenate([part[name] for part in parts])).sum() / jnp.maximum(mask.sum(), 1)
            for name in LOSS_WEIGHTS
        }
        return sum((LOSS_WEIGHTS[name] * each for name, each in means.items()), jnp.zeros(())), means

    def step(learner: Learner, key: Array) -> tuple[Learner, dict[str, Array]]:
        gradient, means = jax.grad(loss, has_aux=True)(learner.weights, key)
        return improved(learner, gradient, rate, OPTIMISER, EMA_DECAY), means

    learner, means = lax.scan(step, learner, jax.random.split(key, count))
    return learner, {name: each.mean() for name, each in means.items()}


class Run(run.Run):
    """A run that teaches Callisto."""

    game = "callisto"
    optimiser = OPTIMISER

    def __init__(self, options: argparse.Namespace) -> None:
        size = Size(options.channels, options.hidden, options.rounds, int(options.league is not None))
        super().__init__(options, size, jax.jit(network.init, static_argnums=1)(jax.random.key(options.seed), size))
        self.folder = Folder(options.league) if options.league else None
        if self.folder:
            self.folder.refresh()
        self.refreshed = time.monotonic()
        """When the folder of the league was looked at."""
        self.kinds = [self._populated(kind) for kind in kinds(options.mix, options.batch, options.lessons)]
        self.figures = tuple(kind.name + (" against" if options.against else "") for kind in self.kinds)
        others = "an earlier network" if options.against else "greedy"
        self.label = f"first places without search, against {others}"
        self.rows = options.memory * options.moves
        self.written = 0
        """The rows that this run has written into the replay buffer."""
        self.rate_factor = 1.0
        """What the learning rate is multiplied by: halved whenever an update is undone."""
        self.others = run.average(options.against, Size, network.init) if options.against else self.learner.weights
        self.programs = Programs()
        self._compile()
        key = jax.random.fold_in(jax.random.key(options.seed + 2), self.sweeps)
        self.selfplays: list[SelfPlay] = [self.programs(f"begin {kind.name}", key) for kind in self.kinds]
        self.leagues = [self._league(kind) for kind in self.kinds]

    def fresh(self, about: dict[str, Any]) -> Collection[str]:
        return network.added(self.size, Size(**about["size"]))

    def _resume(self, path: Path) -> None:
        """Strangers are at first taken to play as the network does."""
        super()._resume(path)
        if self.size.strangers > Size(**checkpoints.about(path)["size"]).strangers:
            learner = self.learner
            weights, average = (each | {STRANGERS: each["policy"]} for each in (learner.weights, learner.average))
            self.learner = jax.tree.map(jnp.copy, learner._replace(weights=weights, average=average))

    def _populated(self, kind: Kind) -> Kind:
        """A kind with its population: those that the league knows nothing of have none of it."""
        given, seats = self.options, kind.rules.seats
        population = Population(given.blind)
        if seats > 2:
            population = population._replace(boxers=given.boxers, keepers=given.keepers)
        if self.folder is None or kind.rules.board.edition.name != "classic" or not self.folder.games(seats):
            return kind._replace(population=population)
        population = population._replace(league=given.league_share, strangers=given.strangers)
        count = _BATCH_MULTIPLE * max(1, round(kind.minibatch * LEAGUE_MINIBATCH_SHARE / _BATCH_MULTIPLE))
        return kind._replace(population=population, league_minibatch=count)

    def _league(self, kind: Kind) -> League | None:
        """The league of a kind as its folder is now."""
        if self.folder is None or not kind.league_minibatch:
            return None
        games = self.folder.games(kind.rules.seats)
        print(f"{kind.name}: {len(games)} games of strangers", flush=True)
        league: League = self.programs(f"league {kind.name}", move_lists(kind.rules, games, self.options.league_games))
        return league

    def _refresh_leagues(self) -> None:
        """Takes new games of strangers in."""
        if self.folder is None or time.monotonic() - self.refreshed < LEAGUE_REFRESH_SECONDS:
            return
        if self.folder.refresh():
            self.leagues = [self._league(kind) for kind in self.kinds]
        self.refreshed = time.monotonic()

    def _compile(self) -> None:
        """Has all programs compiled, those first that are needed first."""
        given, add = self.options, self.programs.add
        key, number, fraction = jax.random.key(0), jnp.int32(0), jnp.float32(0)
        weights, selfplays = self.learner.average, []
        leagues: list[Any] = []
        for kind in self.kinds:
            leagues.append(None)
            if kind.league_minibatch:
                replay, lists = partial(replayed, kind.rules), move_lists(kind.rules, (), given.league_games)
                leagues[-1] = jax.eval_shape(replay, lists)
                add(f"league {kind.name}", replay, lists)
            begin = partial(games.begin, kind.rules, batch=kind.batch, rows=self.rows)
            selfplays.append(jax.eval_shape(begin, key))
            add(f"begin {kind.name}", begin, key)
            play = partial(
                games.play,
                kind.rules,
                self.settings,
                given.moves,
                kind.population,
                given.policy_temperature,
                self.dtype,
            )
            add(f"play {kind.name}", play, weights, selfplays[-1], leagues[-1], number, key, donate_argnums=1)
        learn = partial(update, self.kinds, given.updates, self.dtype)
        add("update", learn, self.learner, selfplays, leagues, key, fraction, fraction, number, number)
        for kind in self.kinds:
            match = partial(games.match, kind.rules, given.table, self.dtype)
            add(f"match {kind.name}", match, weights, self.others, jnp.bool_(False), key)

    @property
    def settings(self) -> SearchSettings:
        """How a move is searched for."""
        return SearchSettings(self.options.simulations, self.options.considered, self.options.kept)

    def learn(self, learner: Learner, key: Array, pace: Pace) -> tuple[Learner, dict[str, Array]]:
        if not self.written:
            began = time.monotonic()
            for sweep in range(self.options.fill):
                run.wait(self._play(learner, jax.random.fold_in(key, sweep + 2)))
            print(f"played {self.options.fill} sweeps in {time.monotonic() - began:.0f} s with compiling", flush=True)
        self._refresh_leagues()
        played = self._play(learner, jax.random.fold_in(key, 0))
        window = min(
            self.written, self.rows, round(max(MIN_WINDOW_SWEEPS, WINDOW_SHARE * self.sweeps) * self.options.moves)
        )
        after, figures = self.programs(
            "update",
            learner,
            self.selfplays,
            self.leagues,
            jax.random.fold_in(key, 1),
            jnp.float32(pace.rate * self.rate_factor),
            jnp.float32(pace.td_lambda),
            jnp.int32(self.written),
            jnp.int32(window),
        )
        if not float(figures["policy"]) < MAX_POLICY_LOSS:
            self.rate_factor /= 2
            print(f"lost its way, and goes on from where it was, at {self.rate_factor:.3g} of the rate", flush=True)
            after = learner
        return after, figures | played

    def _play(self, learner: Learner, key: Array) -> dict[str, Array]:
        """Moves in all games; returns how many came to their end, and the starter's share of wins."""
        by_kind = []
        for number, kind in enumerate(self.kinds):
            row, own = jnp.int32(self.written % self.rows), jax.random.fold_in(key, number)
            play = (learner.average, self.selfplays[number], self.leagues[number], row, own)
            self.selfplays[number], figures = self.programs(f"play {kind.name}", *play)
            by_kind.append(figures)
        self.written += self.options.moves
        over, first = (sum((figures[name] for figures in by_kind), jnp.int32(0)) for name in ("games", "first"))
        return {"games": over, "first": first / jnp.maximum(over, 1)}

    def finished(self, figures: dict[str, Array]) -> int:
        return int(figures.pop("games"))

    def extra_figures(self) -> dict[str, float]:
        """Shares of wins without search, against greedy and against an earlier network."""
        return {
            kind.name + ending: float(np.mean(self._match(kind, ending == "", 0)[0]))
            for ending in ("", " against")[: 1 + bool(self.options.against)]
            for kind in self.kinds
        }

    def _match(self, kind: Kind, greedy: bool, number: int) -> tuple[Array, Array]:
        key = jax.random.fold_in(jax.random.key(self.options.seed + 3), number)
        given = (self.learner.average, self.others, jnp.bool_(greedy), key)
        found: tuple[Array, Array] = self.programs(f"match {kind.name}", *given)
        return found

    def evaluate(self) -> dict[str, Any]:
        opponents = ("greedy", "against")[: 1 + bool(self.options.against)]
        result: dict[str, Any] = {}
        for name in opponents:
            result[name] = {}
            for kind in self.kinds:
                times = range(1, 1 + -(-self.options.games // self.options.table))
                found = [self._match(kind, name == "greedy", number) for number in times]
                won, ahead = (np.concatenate([np.asarray(part) for part in each]) for each in zip(*found, strict=True))
                figures = {
                    "games": len(won),
                    "share": float(won.mean()),
                    "standard_error": float(won.std() / np.sqrt(len(won))),
                    "margin": float(ahead.mean()),
                }
                result[name][kind.name] = figures
                run.show(f"{name}, {kind.name}", figures)
        return result


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = run.parser("sobremesa.games.callisto.training.run", __doc__)
    parser.set_defaults(batch=4096, channels=64, hidden=128, rounds=6, updates=48, lr=2.5e-3, final=3e-5)
    parser.set_defaults(trust=(0.8, 0.8), curiosity=0, games=512, every=40)
    add = parser.add_argument
    add(
        "--mix",
        type=float,
        nargs=len(KINDS),
        default=KIND_SHARES,
        help="shares of " + ", ".join(f"{e} {s}" for e, s in KINDS),
    )
    add("--moves", type=int, default=16, help="moves of a sweep in each game")
    add("--simulations", type=int, default=24, help="positions that are looked at for a move")
    add("--considered", type=int, default=12, help="moves that are considered")
    add("--kept", type=int, default=8, help="answers that are considered, at most")
    add("--blind", type=float, default=0.0, help="share of games that begin with blind moves")
    add("--league", type=Path, help="a folder with games of strangers, *.blksgf, to learn from")
    add("--league-games", type=int, default=4096, help="games of strangers that are known at a time, of each kind")
    add("--league-share", type=float, default=0.4, help="share of games that begin in positions of strangers' games")
    add("--strangers", type=float, default=0.4, help="share of games with one seat among strangers")
    add("--boxers", type=float, default=0.0, help="share of games in which all others box one seat in")
    add("--keepers", type=float, default=0.0, help="share of seats, of three and four, that keep a pillar back")
    add("--policy-temperature", type=float, default=1.0, help="what logits of priors are divided by in the search")
    add("--lessons", type=int, default=4096, help="positions of an update: the size of a minibatch")
    add("--memory", type=int, default=64, help="sweeps in the replay buffer")
    add("--fill", type=int, default=4, help="sweeps before the first update of a run")
    add("--against", type=Path, help="a checkpoint.npz to play against")
    add("--table", type=int, default=256, help="games of an evaluation at a time")
    add("--compiled", type=Path, help="folder for compiled programs, so that another run need not compile them")
    tiny = {
        "channels": 16,
        "hidden": 16,
        "rounds": 2,
        "batch": 48,
        "moves": 8,
        "simulations": 4,
        "considered": 4,
        "kept": 4,
        "lessons": 48,
        "updates": 4,
        "memory": 16,
        "games": 16,
        "table": 16,
        "league_games": 16,
        "every": 5,
    }
    return run.chosen(parser, arguments, tiny)


def keep_compiled(folder: Path) -> None:
    """Has JAX keep all programs that it compiles in a folder, and look for them there."""
    facts = {"compilation_cache_dir": str(folder), "persistent_cache_min_compile_time_secs": 0}
    for name, value in facts.items():
        jax.config.update(f"jax_{name}", value)  # type: ignore[no-untyped-call]


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """One whole run; returns what is also written into result.json."""
    chosen = options(arguments)
    if chosen.compiled:
        keep_compiled(chosen.compiled)
    return Run(chosen).whole()


if __name__ == "__main__":
    main()
