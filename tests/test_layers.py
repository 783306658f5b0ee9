"""Imports go down only, and the ground floor stands on the standard library alone (DESIGN: Layers)."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sobremesa

SOURCE = Path(sobremesa.__file__).parent
BELOW = {
    "core": set(),
    "games": {"core"},
    "table": {"core", "games"},
    "rooms": {"core", "games", "table"},
    "batch": {"core", "games", "table"},
    "engines": {"core", "games", "table"},
    "training": {"core", "games", "table", "batch", "engines"},
    "notebook": {"core", "games", "table"},
    "envs": {"core", "games", "table", "engines"},
    "server": {"core", "games", "table", "rooms", "engines"},
    "cli": {"core", "games", "table", "rooms", "batch", "engines", "training", "server"},
}
"""What each layer may import of the others."""
GROUND = ("core", "games", "table", "rooms")
"""The layers that run wherever Python runs, a browser included."""
OUTSIDE = {"rooms": {"pydantic", "pydantic_core", "typing_extensions"}}
"""What they may import besides the standard library."""
IMPURE = {"asyncio", "threading", "multiprocessing", "socket", "sqlite3", "time", "datetime", "random", "os", "pathlib"}
"""What has no business in a room: time is an argument, and nothing waits."""
PARTS = {"engine": "engines", "batch": "batch", "training": "training", "server": "server", "cli": "cli"}
"""The parts of a game that are no rules, by their folder, and the layer that each belongs to."""
BESIDE = {"tests", "tools"}
"""What may import anything: it is in no package."""
WALL_CLOCKS = {"time.time", "time.time_ns", "date.today", "datetime.now", "datetime.utcnow", "datetime.today"}
"""What reads the machine's clock, which anybody may set."""
MODULES = sorted(SOURCE.rglob("*.py"))


def layer_of(module: Path) -> str | None:
    """The layer of a module: its folder's, or, inside a game, its part's; None for what is in no layer."""
    parts = module.relative_to(SOURCE).parts
    if parts[0] == "games" and len(parts) > 3:
        return None if parts[2] in BESIDE else PARTS[parts[2]]
    return parts[0].removesuffix(".py")


def layer_of_import(name: str) -> str:
    """The layer that an import of ours reaches into."""
    parts = name.split(".")[1:]
    if parts[0] == "games" and len(parts) > 2 and parts[2] in PARTS:
        return PARTS[parts[2]]
    return parts[0]


def imported(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: write imports in full"
            yield node.module or ""
            if node.module == "sobremesa":
                yield from (f"sobremesa.{alias.name}" for alias in node.names if alias.name in BELOW)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_what_lies_below_it(module: Path) -> None:
    layer = layer_of(module)
    if layer is None:
        return
    if layer not in BELOW:
        assert layer in ("__init__", "__main__"), f"{layer} is in no layer: say in BELOW where it belongs"
        return
    for name in imported(module):
        first, _, rest = name.partition(".")
        if first == "sobremesa" and rest:
            other = layer_of_import(name)
            assert other == layer or other in BELOW[layer], f"{layer} imports {name}"
        elif layer in GROUND and first != "sobremesa":
            allowed = first in sys.stdlib_module_names or first in OUTSIDE.get(layer, ())
            assert allowed, f"{layer} imports {name}, which is not of the standard library"
        if layer == "rooms":
            assert first not in IMPURE or (first, module.name) == ("random", "positions.py"), f"rooms import {name}"


def test_a_game_knows_no_other_game() -> None:
    for folder in (SOURCE / "games").iterdir():
        for module in folder.rglob("*.py") if folder.is_dir() else ():
            if layer_of(module) is None:
                continue
            for name in imported(module):
                if name.startswith("sobremesa.games."):
                    assert name.split(".")[2] == folder.name, f"{module} imports {name}"


def test_the_library_runs_without_anything_installed() -> None:
    """In an interpreter that sees no site-packages at all."""
    game = "sobremesa.playout(sobremesa.GAMES['knister'].start(), random.Random(1))"
    program = f"import sobremesa, sobremesa.table, random; {game}"
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r}); {program}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr


def test_nothing_in_the_server_reads_the_machine_s_clock_but_the_house_s_own() -> None:
    readers = set()
    for module in MODULES:
        if layer_of(module) in ("server", "rooms"):
            text = module.read_text()
            read = {ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
            if any(name == clock or name.endswith(f".{clock}") for name in read for clock in WALL_CLOCKS):
                readers.add(module.relative_to(SOURCE).as_posix())
    assert readers == {"server/clock.py"}
