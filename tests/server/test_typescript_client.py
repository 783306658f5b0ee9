"""The TypeScript client as others install it: packed, unpacked elsewhere, checked by the compiler, and played with."""

import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

import web
from server.serving import serving
from sobremesa import __version__

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients/typescript"
TOOLS = ROOT / "web/node_modules"


def run(*command: object, cwd: Path) -> str:
    """Runs a program of Node's to its end, with the compiler at hand: what it printed."""
    found = web.find_node()
    assert found is not None
    path = os.pathsep.join([str(TOOLS / ".bin"), str(found[0].parent), os.environ["PATH"]])
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=120)
    assert not done.returncode, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``npm pack`` makes of the client, without a network."""
    house = tmp_path_factory.mktemp("house")
    for path in ("LICENSE", "clients/typescript", "docs/schema/messages.ts"):
        (house / path).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / path).is_dir():
            leave_out = shutil.ignore_patterns("dist", "node_modules")
            shutil.copytree(ROOT / path, house / path, symlinks=True, ignore=leave_out)
        else:
            shutil.copy(ROOT / path, house / path)
    found = web.find_node()
    assert found is not None
    run(
        *found[1],
        "pack",
        "--offline",
        "--loglevel=error",
        "--pack-destination",
        house,
        cwd=house / "clients/typescript",
    )
    (archive,) = house.glob("*.tgz")
    return archive


@pytest.fixture(scope="module")
def project(packed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody's folder, in which the client is installed and two programs use it."""
    folder = tmp_path_factory.mktemp("project")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    (folder / "node_modules").mkdir()
    (folder / "package").rename(folder / "node_modules/sobremesa-client")
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copy(ROOT / "tests/server/play.ts", folder)
    example = re.search(r"```ts\n(.*?)```", (CLIENT / "README.md").read_text(), re.DOTALL)
    assert example
    (folder / "example.ts").write_text(example[1])
    return folder


def test_the_package_holds_what_programs_need_and_nothing_else(packed: Path) -> None:
    with tarfile.open(packed) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    compiled = {f"dist/{name}{ending}" for name in ("index", "messages") for ending in (".js", ".d.ts")}
    assert names == {"package.json", "README.md", "dist/LICENSE", *compiled}
    assert json.loads((CLIENT / "package.json").read_text())["version"] == __version__


def test_its_types_are_the_servers(packed: Path) -> None:
    with tarfile.open(packed) as archive:
        member = archive.extractfile("package/dist/messages.d.ts")
        assert member is not None
        declared = set(re.findall(r"^export type (\w+)", member.read().decode(), re.M))
    served = set(re.findall(r"^export type (\w+)", (ROOT / "docs/schema/messages.ts").read_text(), re.M))
    assert "Update" in served <= declared


def test_programs_are_checked_against_it_and_play_and_reconnect(project: Path, tmp_path: Path) -> None:
    """With ``exports`` and types found as Node and the compiler find them; its example is compiled, too."""
    kind = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom,dom.iterable"]
    types = ["--types", "node", "--typeRoots", TOOLS / "@types"]
    run("tsc", *kind, *types, "play.ts", "example.ts", cwd=project)
    wrong = project / "wrong.ts"
    wrong.write_text('import { Guest } from "sobremesa-client"\nawait new Guest("").openRoom({ game: 1, seats: [] })\n')
    with pytest.raises(AssertionError, match="not assignable"):
        run("tsc", *kind, *types, "--noEmit", wrong.name, cwd=project)
    with serving(f"sqlite:///{tmp_path / 'house.db'}", tmp_path, "--no-limits") as server:
        for game in ("isis-osiris", "knister"):
            # Before its version 22, Node has its socket only if it is asked for it.
            program = ["node", "--no-warnings", "--experimental-websocket", "play.js"]
            told = json.loads(run(*program, server.address, game, cwd=project))
            assert told["moves"] > 5
            assert set(told["result"]["places"]) == {"0", "1"}
