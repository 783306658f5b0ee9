"""Makes a release and looks at it as whoever installs it will: ``python tools/release.py``, ``make release``.

What has changed has to stand under this version in the changelog, with nothing left that is not released yet.
Wheel and sdist, with the page inside, come into ``dist``. Each is installed into an environment of its own, apart from
the repository and from Node: the bare wheel plays and verifies a game, the one with the server's packages hands the
page out, and the sdist alone builds the same wheel again. Then the software bill of materials, the lock with its
hashes and the checksums are written beside them. Nothing is uploaded.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

import sbom
from sobremesa import GAMES, __version__

ROOT = Path(__file__).resolve().parent.parent
UNRELEASED = "Not released yet"
"""The part of the changelog on what no version has."""


class Flaw(Exception):
    """Something that must not be released."""


def run(*command: object, cwd: Path | None = None, path: str | None = None, typed: str = "") -> str:
    """Runs a program to its end; raises with what it said if it failed. With a ``path`` it sees nothing else."""
    environment = {"HOME": str(cwd), "PATH": path, "LC_ALL": "C.UTF-8"} if path else dict(os.environ)
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, input=typed, capture_output=True, text=True
    )
    if done.returncode:
        raise Flaw(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def check_changelog() -> None:
    """The changelog tells of this version, and of nothing that came after it."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    parts = {
        head: body.strip() for head, _, body in (part.partition("\n") for part in re.split(r"^## ", text, flags=re.M))
    }
    if not any(head.startswith(f"{__version__} (") for head in parts):
        raise Flaw(f"CHANGELOG.md has no part on {__version__}: give it one, with the date")
    if parts.get(UNRELEASED):
        raise Flaw(
            f'CHANGELOG.md tells under "{UNRELEASED}" of what {__version__} has not: set the next version in '
            "src/sobremesa/__init__.py, and move it to a part of that version's own"
        )


def environment(folder: Path, wheel: Path, *more: object) -> Path:
    """The programs of a new environment with the wheel and, where asked for, what else it needs by our locks."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
    if more:
        run(*install, *more)
    run(*install, "--no-deps", wheel)
    return folder / "bin"


def check_bare(programs: Path, home: Path) -> None:
    """Without any other package: a game to its end, and true; a table in the terminal for the name alone."""
    only = str(programs)
    run(programs / "sobremesa", "play", next(iter(GAMES)), "--players", "greedy,random", cwd=home, path=only)
    record = home / ".local/share/sobremesa/finished-game.json"
    run(programs / "sobremesa", "verify", record, cwd=home, path=only)
    asked = subprocess.run(
        [str(programs / "sobremesa")],
        cwd=home,
        env={"HOME": str(home), "PATH": only},
        input="",
        capture_output=True,
        text=True,
    )
    if "sobremesa[server]" not in asked.stdout:
        raise Flaw(f"without the server's packages sobremesa says: {asked.stdout}{asked.stderr}")


def check_server(programs: Path, home: Path) -> None:
    """With the server's packages: page and games are handed out, without Node and without the repository."""
    command = [
        str(programs / "sobremesa"),
        "serve",
        "--port",
        "0",
        "--plain-logs",
        "--database",
        f"sqlite:///{home}/house.db",
    ]
    with subprocess.Popen(
        command, cwd=home, env={"HOME": str(home), "PATH": str(programs)}, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            for line in server.stdout:
                if found := re.search(r"http://\S+", line):
                    break
            else:
                raise Flaw("the server ended before it began")
            address = found[0].rstrip("/")
            page = urllib.request.urlopen(address + "/").read().decode()
            parts = re.findall(r'(?:src|href)="(/[^"]+)"', page)
            for part in parts:
                urllib.request.urlopen(address + part).read()
            games = json.load(urllib.request.urlopen(address + "/api/games"))
            if not any(part.endswith(".js") for part in parts) or not games:
                raise Flaw("the page or the games are missing")
        finally:
            server.terminate()
            server.wait(30)


def contents(wheel: Path) -> dict[str, bytes]:
    """What a wheel holds, but for the list of it."""
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist() if not name.endswith("RECORD")}


def check_source(source: Path, wheel: Path, folder: Path) -> None:
    """The sdist alone, in another folder, builds the same wheel to the byte."""
    run("tar", "-xzf", source, "-C", folder)
    (unpacked,) = folder.iterdir()
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "again", cwd=unpacked)
    (again,) = (folder / "again").glob("*.whl")
    here, there = contents(wheel), contents(again)
    if other := sorted(name for name in here.keys() | there.keys() if here.get(name) != there.get(name)):
        raise Flaw(f"the sdist builds another wheel: {other[:10]}")


def write_papers(out: Path) -> list[Path]:
    """What can be audited without the repository: the bill, the lock, and the checksums of everything; all there is."""
    bill = json.dumps(sbom.bill(), indent=2) + "\n"
    (out / f"sobremesa-{__version__}.cdx.json").write_text(bill, encoding="utf-8")
    shutil.copyfile(ROOT / "requirements/play.txt", out / f"sobremesa-{__version__}.lock.txt")
    files = sorted(path for path in out.iterdir() if path.name != "SHA256SUMS")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return [*files, out / "SHA256SUMS"]


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Make a release and check it.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER")
    parser.add_argument(
        "--rehearse",
        action="store_true",
        help="build and check what is not to be released yet, whatever the changelog says",
    )
    given = parser.parse_args()
    out = given.out.resolve()
    try:
        if not given.rehearse:
            check_changelog()
        shutil.rmtree(out, ignore_errors=True)
        run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel", "--outdir", out, ROOT)
        (wheel,), (source,) = out.glob("*.whl"), out.glob("*.tar.gz")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for part in ("bare", "bare-home", "server-home", "source"):
                (folder / part).mkdir()
            check_bare(environment(folder / "bare", wheel), folder / "bare-home")
            lock = ROOT / "requirements/play.txt"
            programs = environment(folder / "server", wheel, "--require-hashes", "-r", lock)
            check_server(programs, folder / "server-home")
            check_source(source, wheel, folder / "source")
    except Flaw as flaw:
        print(f"not to be released: {flaw}", file=sys.stderr)
        return 1
    for path in write_papers(out):
        print(f"{path.stat().st_size:>12,}  {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
