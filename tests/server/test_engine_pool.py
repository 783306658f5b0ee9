"""Computer players think elsewhere: the server goes on, rooms share fairly, and nothing is left behind."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from multiprocessing.context import SpawnProcess
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
import uvloop

from server.thinkers import VIEW, find_actor, find_nobody
from sobremesa import GAMES
from sobremesa.core import Game, State
from sobremesa.engines import Budget, find_player
from sobremesa.server.engine_pool import (
    Account,
    EnginePool,
    FairShares,
    Find,
    Interrupted,
    ThinkingFailed,
    TooBusy,
)

T = TypeVar("T")
MAX_WAIT_SECONDS = 60
"""Seconds after which a test gives up, on the slowest machine."""


def with_room(
    body: Callable[[EnginePool], Awaitable[T]],
    workers: int = 1,
    find: Find = find_actor,
    loop: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop,
    **options: Any,
) -> T:
    """Runs a test's body with a room of its own, on the loop that the server prefers; then no process may be left."""

    async def main() -> T:
        room = EnginePool(workers, find=find, **options)
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                return await body(room)
        finally:
            await room.close()
            assert not multiprocessing.active_children()

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(main())


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def ask(room: EnginePool, actor: str, name: str = "a") -> Coroutine[Any, Any, str]:
    return room.choose(name, "callisto", actor, VIEW)


def states(game: Game) -> list[State[Any]]:
    """Where a game waits for somebody's move, in its first 30 random steps."""
    random, state = Random(5), game.start()
    met = [state]
    while len(met) <= 30:
        if state.chance is not None:
            state = state.happen(state.chance.draw(random))
        else:
            seat = next(iter(state.deciding))
            state = state.play(state.random_move(random, seat), seat)
        met.append(state)
    return [state for state in met if state.chance is None]


@pytest.mark.parametrize("player", ["random", "greedy"])
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_the_move_is_the_one_that_the_player_would_choose_here(game: Game, player: str) -> None:
    views = [state.view(next(iter(state.deciding))) for state in states(game)]

    async def body(room: EnginePool) -> list[str]:
        return await asyncio.gather(*(room.choose("a", game.id, player, view, n) for n, view in enumerate(views)))

    chosen = with_room(body, workers=2, find=find_player)
    assert chosen == [str(find_player(player, game, Random(n)).choose(view)) for n, view in enumerate(views)]


def test_without_a_seed_moves_differ() -> None:
    async def body(room: EnginePool) -> list[str]:
        return await asyncio.gather(*(ask(room, "random") for _ in range(8)))

    assert len(set(with_room(body, find=find_player))) > 1


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_the_loop_goes_on_while_players_think(loop: Callable[[], asyncio.AbstractEventLoop], tmp_path: Path) -> None:
    """They think until they are hurried: a loop that waits for them would wait for ever."""

    async def body(room: EnginePool) -> None:
        marks = [tmp_path / str(number) for number in range(2)]
        thinking = [asyncio.create_task(ask(room, f"wait {mark}")) for mark in marks]
        await until(lambda: all(mark.exists() for mark in marks))
        for _ in range(20):
            await asyncio.sleep(0.001)
        assert (room.running, room.done) == (2, 0)
        assert not any(task.done() for task in thinking)
        room.hurry("a")
        assert await asyncio.gather(*thinking) == ["hurried"] * 2

    with_room(body, workers=2, loop=loop)


def test_a_question_larger_than_any_buffer_waits_for_its_worker_without_stopping_the_loop() -> None:
    async def body(room: EnginePool) -> None:
        large: Any = bytes(20_000_000)
        task = asyncio.create_task(room.choose("a", "callisto", "weigh", large))
        await until(lambda: room.running and multiprocessing.active_children())
        (child,) = multiprocessing.active_children()
        assert child.pid is not None
        os.kill(child.pid, signal.SIGSTOP)
        await asyncio.sleep(0.1)  # it cannot read now: a send that blocks would keep us from ever waking it
        os.kill(child.pid, signal.SIGCONT)
        assert await task == "20000000"

    with_room(body)


def test_workers_start_on_first_use_and_are_kept() -> None:
    async def body(room: EnginePool) -> None:
        assert not multiprocessing.active_children()
        one = [await ask(room, "pid") for _ in range(3)]
        assert {int(pid) for pid in one} == {child.pid for child in multiprocessing.active_children()}
        await asyncio.gather(*(ask(room, "doze") for _ in range(10)))
        assert len(multiprocessing.active_children()) == 3

    with_room(body, workers=3)


def test_workers_step_back_and_know_nothing_of_the_web() -> None:
    async def body(room: EnginePool) -> None:
        assert int(await ask(room, "niceness")) == min(os.nice(0) + 5, 19)
        modules = (await ask(room, "modules")).split()
        assert "sobremesa.engines" in modules
        assert not {"fastapi", "sqlalchemy", "uvicorn"} & set(modules)

    with_room(body)


def test_ctrl_c_leaves_workers_alone() -> None:
    async def body(room: EnginePool) -> None:
        pid = await ask(room, "pid")
        os.kill(int(pid), signal.SIGINT)
        assert await ask(room, "pid") == pid

    with_room(body)


def test_cancelling_a_room_stops_what_runs_and_what_waits(tmp_path: Path) -> None:
    async def body(room: EnginePool) -> None:
        before = await ask(room, "pid")
        running = asyncio.create_task(ask(room, f"brood {tmp_path / 'mark'}"))
        waiting = asyncio.create_task(ask(room, "pid"))
        other = asyncio.create_task(ask(room, "pid", "b"))
        await until((tmp_path / "mark").exists)
        assert (room.running, room.waiting) == (1, 2)

        room.cancel("a")
        for task in (running, waiting):
            with pytest.raises(Interrupted):
                await task
        assert await other != before
        await until(lambda: len(multiprocessing.active_children()) == 1)
        assert (room.running, room.waiting, room.done, room.failed) == (0, 0, 2, 0)

    with_room(body)


def test_a_player_that_is_hurried_moves_at_once_and_the_next_one_takes_its_time(tmp_path: Path) -> None:
    async def body(room: EnginePool) -> None:
        for mark in (tmp_path / "first", tmp_path / "second"):
            task = asyncio.create_task(ask(room, f"wait {mark}"))
            await until(mark.exists)
            room.hurry("b")
            await asyncio.sleep(0.1)
            assert not task.done()
            room.hurry("a")
            assert await task == "hurried"

    with_room(body)


def test_the_past_and_the_budget_reach_the_player() -> None:
    async def body(room: EnginePool) -> str:
        budget = Budget(simulations=7, seed="ana")
        return await room.choose("a", "callisto", "remember", VIEW, past=[VIEW, VIEW], budget=budget)

    assert with_room(body) == "2 7 ana"


def test_a_room_cancelled_while_its_worker_starts() -> None:
    async def body(room: EnginePool) -> None:
        task = asyncio.create_task(ask(room, "pid"))
        await asyncio.sleep(0)
        room.cancel("a")
        room.cancel("nobody's room")
        with pytest.raises(Interrupted):
            await task
        assert (await ask(room, "pid")).isdigit()

    with_room(body)


def test_a_room_cancelled_at_the_moment_its_turn_comes(tmp_path: Path) -> None:
    async def body(room: EnginePool) -> None:
        await ask(room, "pid")
        second = asyncio.create_task(ask(room, f"brood {tmp_path / 'mark'}", "b"))
        worker = await ask(room, "pid", "a")
        assert (room.running, room.waiting) == (1, 0)  # the second has been called, but has not heard it yet
        room.cancel("b")
        with pytest.raises(Interrupted):
            await second
        assert await ask(room, "pid") == worker
        assert not (tmp_path / "mark").exists()

    with_room(body)


def test_cancelling_the_task_stops_its_own_job_alone(tmp_path: Path) -> None:
    async def body(room: EnginePool) -> None:
        running = asyncio.create_task(ask(room, f"brood {tmp_path / 'mark'}"))
        await until((tmp_path / "mark").exists)
        pids = {child.pid for child in multiprocessing.active_children()}
        waiting, other = (asyncio.create_task(ask(room, "pid")) for _ in range(2))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        assert (room.running, room.waiting) == (1, 1)
        running.cancel()
        await asyncio.wait([running])
        assert running.cancelled()
        assert int(await other) not in pids
        assert (room.running, room.waiting, room.done, room.failed) == (0, 0, 1, 0)

    with_room(body)


def test_any_mix_of_cancelling_keeps_the_counts() -> None:
    async def body(room: EnginePool) -> None:
        random = Random(11)
        tasks = [asyncio.create_task(ask(room, "pid", random.choice("abc"))) for _ in range(60)]
        for _ in range(25):
            await asyncio.sleep(random.choice([0, 0, 0.01]))
            if random.random() < 0.2:
                room.cancel(random.choice("abc"))
            random.choice(tasks).cancel()
            tasks.append(asyncio.create_task(ask(room, "pid", random.choice("abc"))))
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        answers = [outcome for outcome in outcomes if isinstance(outcome, str)]
        assert all(isinstance(o, (str, Interrupted, asyncio.CancelledError)) for o in outcomes)
        assert (room.running, room.waiting, room.done, room.failed) == (0, 0, len(answers), 0)
        await until(lambda: len(multiprocessing.active_children()) <= 2)

    with_room(body, workers=2)


def test_rooms_take_turns() -> None:
    order: list[str] = []

    async def play(room: EnginePool, name: str) -> None:
        await ask(room, "pid", name[0])
        order.append(name)

    async def body(room: EnginePool) -> None:
        names = [f"a{n}" for n in range(100)] + ["b0", "b1", "c0"]
        await asyncio.gather(*(play(room, name) for name in names))

    with_room(body)
    assert order == ["a0", "a1", "b0", "c0", "a2", "b1", *(f"a{n}" for n in range(3, 100))]


def ask_for(pool: EnginePool, account: Account, actor: str = "doze", room: str = "a") -> Coroutine[Any, Any, str]:
    return pool.choose(room, "callisto", actor, VIEW, account=account)


async def order_of(pool: EnginePool, tasks: dict[str, Coroutine[Any, Any, str]]) -> list[str]:
    """In which order things are done that all wait for one process."""
    done: list[str] = []

    async def one(name: str, task: Coroutine[Any, Any, str]) -> None:
        await task
        done.append(name)

    await asyncio.gather(*(one(name, task) for name, task in tasks.items()))
    return done


def test_networks_take_turns_then_people_then_rooms() -> None:
    async def body(pool: EnginePool) -> None:
        one = Account("192.0.2.1", "ana")
        flood = {f"flood {n}": ask_for(pool, Account("198.51.100.7", f"nobody {n}"), room=f"f{n}") for n in range(30)}
        honest = {"honest": ask_for(pool, one)}
        order = await order_of(pool, flood | honest)
        assert order.index("honest") <= 1, "one that runs already is before it, and no more of those who came first"

    with_room(body)


def test_who_plays_comes_before_who_looks_on_whatever_they_had() -> None:
    async def body(pool: EnginePool) -> None:
        pool.shares.end("192.0.2.1", 100)
        tasks = {f"onlooker {n}": ask_for(pool, Account(f"203.0.113.{n}", f"p{n}", at_table=False)) for n in range(9)}
        order = await order_of(pool, tasks | {"player": ask_for(pool, Account("192.0.2.1", "ana"))})
        assert order.index("player") <= 1

    with_room(body)


def test_rooms_of_one_person_take_turns_and_people_of_one_network() -> None:
    async def body(pool: EnginePool) -> None:
        greedy = {f"greedy {n}": ask_for(pool, Account("192.0.2.1", "ana"), room=f"r{n % 2}") for n in range(10)}
        other = {"other": ask_for(pool, Account("192.0.2.1", "bob"), room="b")}
        order = await order_of(pool, greedy | other)
        assert order.index("other") <= 2
        even = [name for name in order if name.startswith("greedy") and int(name[-1]) % 2 == 0]
        odd = [name for name in order if name.startswith("greedy") and int(name[-1]) % 2]
        assert abs(order.index(even[2]) - order.index(odd[2])) <= 2, "its two rooms go side by side"

    with_room(body)


@pytest.mark.parametrize("runs", ["onlooker", "crowd"])
def test_a_player_that_keeps_somebody_else_waiting_is_hurried(runs: str, tmp_path: Path) -> None:
    """It thinks until it is hurried: if it were not, the other would wait for ever."""

    async def body(pool: EnginePool) -> None:
        account = Account("198.51.100.7", "eve", at_table=runs == "crowd")
        thinking = asyncio.create_task(ask_for(pool, account, f"wait {tmp_path / 'mark'}", "theirs"))
        await until((tmp_path / "mark").exists)
        more = [asyncio.create_task(ask_for(pool, account, room=f"{n}")) for n in range(5 if runs == "crowd" else 0)]
        await until(lambda: pool.waiting == len(more))
        assert await ask_for(pool, Account("192.0.2.1", "ana"), room="ours") == "awake"
        assert await thinking == "hurried", "and its move counts"
        assert not any(task.done() for task in more), "the others wait"
        await asyncio.gather(*more)

    with_room(body)


def test_of_two_who_want_one_move_each_nobody_is_hurried(tmp_path: Path) -> None:
    async def body(pool: EnginePool) -> None:
        first = asyncio.create_task(ask_for(pool, Account("192.0.2.1", "ana"), f"wait {tmp_path / 'mark'}", "theirs"))
        await until((tmp_path / "mark").exists)
        second = asyncio.create_task(ask_for(pool, Account("192.0.2.2", "bob"), room="ours"))
        for _ in range(20):
            await asyncio.sleep(0.005)
        assert not first.done()
        assert not second.done()
        pool.hurry("theirs")
        assert await second == "awake"
        await first

    with_room(body)


def test_what_nobody_wants_any_more_when_its_turn_comes_is_not_thought_about() -> None:
    async def body(pool: EnginePool) -> None:
        watched = True
        first = asyncio.create_task(ask_for(pool, Account("192.0.2.1", "ana")))
        second = asyncio.create_task(
            pool.choose("b", "callisto", "doze", VIEW, account=Account("x", "x"), wanted=lambda: watched)
        )
        await asyncio.sleep(0)
        watched = False
        await first
        with pytest.raises(Interrupted):
            await second
        assert (pool.waiting, pool.running, pool.done) == (0, 0, 1)

    with_room(body)


def test_what_was_thought_is_told_without_the_time_in_line() -> None:
    async def body(pool: EnginePool) -> None:
        now, spent = 0.0, list[tuple[Account, str, float]]()
        pool._clock = lambda: now
        pool.spent = lambda *what: spent.append(what)
        first = asyncio.create_task(ask_for(pool, Account("a", "ana"), "doze", "r1"))
        second = asyncio.create_task(ask_for(pool, Account("b", "bob"), "doze", "r2"))
        await asyncio.sleep(0)
        now = 3
        await first
        now = 5
        await second
        assert spent == [(Account("a", "ana"), "r1", 3.0), (Account("b", "bob"), "r2", 2.0)]

    with_room(body)


def test_fair_shares() -> None:
    """Two who always want more get the same time, whoever came first; who was away has saved nothing up."""
    shares = FairShares()

    def turns(seconds: dict[str, float], count: int) -> list[str]:
        order = []
        for _ in range(count):
            next_one = min(seconds, key=shares.tag)
            shares.begin(next_one)
            shares.end(next_one, seconds[next_one])
            order.append(next_one)
        return order

    assert turns({"a": 5}, 20) == ["a"] * 20, "alone as often as one likes"
    assert turns({"a": 5, "b": 5}, 6)[:2] in (["a", "b"], ["b", "a"]), "and then nothing is owed"
    order = turns({"a": 6, "b": 2}, 400)
    assert 2.8 < order.count("b") / order.count("a") < 3.2, "as much time, not as many moves"


def test_the_line_is_bounded() -> None:
    async def body(room: EnginePool) -> None:
        tasks = [asyncio.create_task(ask(room, "pid", name)) for name in "aaabb"]
        await asyncio.sleep(0)
        assert (room.running, room.waiting) == (1, 4)
        with pytest.raises(TooBusy):
            await ask(room, "pid", "a")
        tasks.append(asyncio.create_task(ask(room, "pid", "c")))
        await asyncio.sleep(0)
        with pytest.raises(TooBusy):
            await ask(room, "pid", "d")
        await asyncio.gather(*tasks)
        assert (await ask(room, "pid", "a")).isdigit()
        assert room.done == 7

    with_room(body, waiting_limit=5, room_limit=2)


def test_a_worker_that_dies_is_replaced_and_the_move_is_tried_again(tmp_path: Path) -> None:
    async def body(room: EnginePool) -> None:
        before = await ask(room, "pid")
        assert await ask(room, f"crash_once {tmp_path / 'mark'}") == "better"
        assert await ask(room, "pid") != before
        assert (room.done, room.failed) == (3, 0)

    with_room(body)


def test_a_worker_that_died_while_it_was_free_harms_nobody() -> None:
    async def body(room: EnginePool) -> None:
        before = await ask(room, "pid")
        os.kill(int(before), signal.SIGKILL)
        assert await ask(room, "pid") != before

    with_room(body)


def test_a_move_that_kills_two_workers_fails(tmp_path: Path) -> None:
    async def body(room: EnginePool) -> None:
        with pytest.raises(ThinkingFailed, match="died"):
            await ask(room, f"crash {tmp_path / 'mark'}")
        assert (tmp_path / "mark").read_text() == "crash\n" * 2
        assert (await ask(room, "pid")).isdigit()
        assert (room.done, room.failed) == (1, 1)

    with_room(body)


def test_workers_that_cannot_find_players_fail_and_do_not_start_for_ever() -> None:
    async def body(room: EnginePool) -> None:
        for _ in range(2):
            with pytest.raises(ThinkingFailed, match="died"):
                await ask(room, "pid")

    with_room(body, find=find_nobody)


def test_a_machine_that_can_start_no_process_fails_until_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(room: EnginePool) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(SpawnProcess, "start", refuse)
            with pytest.raises(ThinkingFailed, match="could not be started"):
                await ask(room, "pid")
        assert (await ask(room, "pid")).isdigit()

    def refuse(process: object) -> None:
        raise BlockingIOError("no more processes")

    with_room(body)


def test_a_player_that_raises_fails_once_and_its_worker_stays() -> None:
    async def body(room: EnginePool) -> None:
        before = await ask(room, "pid")
        with pytest.raises(ThinkingFailed, match="ArithmeticError: two and two") as failure:
            await ask(room, "stumble")
        assert "in stumble" in failure.value.__notes__[0]
        with pytest.raises(ThinkingFailed, match="there is no game “chess”"):
            await room.choose("a", "chess", "pid", VIEW)
        assert await ask(room, "pid") == before
        assert room.failed == 2

    with_room(body)


def test_a_player_that_thinks_too_long_is_stopped(tmp_path: Path) -> None:
    async def body(room: EnginePool) -> None:
        task = asyncio.create_task(ask(room, f"brood {tmp_path / 'mark'}"))
        await until(multiprocessing.active_children)
        (before,) = multiprocessing.active_children()
        with pytest.raises(ThinkingFailed, match=r"no move after 0\.5 seconds"):
            await task
        await until(lambda: before not in multiprocessing.active_children())
        assert len(multiprocessing.active_children()) == 1
        assert (room.running, room.done, room.failed) == (0, 0, 1)

    with_room(body, time_limit=0.5)


def test_a_question_that_cannot_be_sent_costs_no_worker() -> None:
    async def body(room: EnginePool) -> None:
        before = await ask(room, "pid")
        with pytest.raises((TypeError, AttributeError)):
            await room.choose("a", "callisto", "pid", lambda: None)  # type: ignore[arg-type]
        assert await ask(room, "pid") == before

    with_room(body)


def test_closing_interrupts_everybody_and_leaves_no_process(tmp_path: Path) -> None:
    async def body(room: EnginePool) -> None:
        await asyncio.gather(*(ask(room, "doze") for _ in range(2)))
        tasks = [asyncio.create_task(ask(room, f"brood {tmp_path / 'mark'}", name)) for name in "aabc"]
        await until((tmp_path / "mark").exists)
        await room.close()
        assert not multiprocessing.active_children()
        for task in tasks:
            with pytest.raises(Interrupted):
                await task
        with pytest.raises(Interrupted):
            await ask(room, "pid")
        assert (room.running, room.waiting) == (0, 0)
        await room.close()

    with_room(body, workers=2)


STARTER = """
import asyncio, sys
from sobremesa.server.engine_pool import EnginePool
from thinkers import VIEW, find_actor

async def main():
    room = EnginePool(2, find=find_actor)
    print("pid", await room.choose("a", "callisto", "pid", VIEW), flush=True)
    await asyncio.gather(*(room.choose("a", "callisto", f"brood {sys.argv[1]}", VIEW) for _ in range(2)))

def start():
    asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["module", "script"])
def test_a_killed_server_leaves_no_worker_behind(way: str, tmp_path: Path) -> None:
    """Started like ``python -m sobremesa``, whose __main__ starts without asking, or like the console script."""
    package = tmp_path / "starter"
    package.mkdir()
    (package / "__init__.py").write_text(STARTER)
    (package / "__main__.py").write_text("from starter import start\nstart()\n")
    (tmp_path / "script").write_text("from starter import start\nif __name__ == '__main__':\n    start()\n")
    mark = tmp_path / "mark"
    server = subprocess.Popen(
        [sys.executable, *(["-m", "starter"] if way == "module" else [str(tmp_path / "script")]), str(mark)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parent), *sys.path])},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        worker = server.stdout.readline().split()
        assert worker[:1] == ["pid"]
        assert int(worker[1]) != server.pid
        deadline = time.monotonic() + MAX_WAIT_SECONDS
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(int(worker[1]), 0)
    finally:
        server.kill()
    # The workers share the server's output, so it ends when the last of them has gone.
    server.communicate(timeout=MAX_WAIT_SECONDS)
