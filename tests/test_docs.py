"""The documentation: its examples run and its links lead somewhere. The site of it: ``test_site.py``.

Python sessions in it are doctests (``pyproject.toml``); here is the rest.
"""

import argparse
import doctest
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import at_the_table
import sobremesa as sm
from server.serving import PROGRAM, serving
from sobremesa.cli.main import command_line

ROOT = Path(__file__).resolve().parents[1]
USUAL_ADDRESS = "http://127.0.0.1:8765"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
AT_THE_TABLE = ROOT / "docs/explanation/at-the-table.md"
FENCE = re.compile(r"^(`{3,})(\S*)[^\n]*\n(.*?)^\1$", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
READ_BY_OTHERS = {
    "ini": "systemd's: the settings are read back by tests/server/test_backup.py where they are ours",
    "nginx": "nginx's",
    "text": "what a program prints, or a format",
    "toml": "parsed here",
    "json": "parsed here",
    "python": "a doctest",
    "sh": "parsed here",
    "yaml": "compose's",
    "ts": "compiled by tests/server/test_typescript_client.py",
    "{toctree}": "Sphinx's",
    "{eval-rst}": "Sphinx's",
}
"""Languages of blocks, and who reads them."""


IN_FOLDERS = re.compile(r"(?:\.\./)*[\w.*-]+(?:/[\w.*-]+)+/?")
ALONE = re.compile(r"[\w*-]+\.(?:py|ts|svelte|md)")
ENDING = re.compile(r"\.(?:py|pyi|ts|mjs|js|svelte|css|html|md|txt|in|toml|ya?ml|json|onnx|sh)$")
NOT_OURS = {"build", "dist", "node_modules", "package"}
"""Folders of which nothing is in the repository, or not before it is built."""


def named_paths(text: str, tops: set[str]) -> set[str]:
    """The paths in a page's prose that mean files or folders of the repository, or of a layer of it."""
    words = {word for span in re.findall(r"`([^`\n]+)`", FENCE.sub("", text)) for word in re.split(r"[ ,]+", span)}
    paths = {word.rstrip("/") for word in words if IN_FOLDERS.fullmatch(word) or ALONE.fullmatch(word)}
    ours = {path for path in paths if "/" not in path or ENDING.search(path) or path.split("/")[0] in tops}
    return {path for path in ours if path.split("/")[0] not in NOT_OURS}


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def anchors(page: Path) -> set[str]:
    """What can be linked to within a page, as GitHub and Sphinx name headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.M)
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading)).strip().lower() for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


def blocks() -> Iterator[tuple[Path, str, str]]:
    for page in PAGES:
        for found in FENCE.finditer(page.read_text(encoding="utf-8")):
            yield page, found[2], found[3]


def test_every_path_that_a_page_names_is_there() -> None:
    """As the end of a path of the repository: `core/state.py` and `state.py` are in `src/sobremesa/core`."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, timeout=60)
    if done.returncode:
        pytest.skip("this is no checkout")
    files = [file for file in done.stdout.splitlines() if (ROOT / file).exists()]
    everything = "\n".join(f"/{file}/" for file in files)
    tops = {file.split("/")[0] for file in files if "/" in file}
    tops |= {path.name for path in (ROOT / "src/sobremesa").iterdir() if path.is_dir()}
    named = [(page, path) for page in PAGES for path in named_paths(page.read_text(encoding="utf-8"), tops)]
    assert len(named) > 200
    wrong = []
    for page, path in named:
        pattern = re.escape(re.sub(r"^(\.\./)+", "", path)).replace(r"\*", r"[^/\n]*").replace("GAME", r"\w+")
        if not re.search(f"/{pattern}/", everything):
            wrong.append((str(page.relative_to(ROOT)), path))
    assert not wrong


def test_every_block_says_what_it_is() -> None:
    unknown = {(str(page.relative_to(ROOT)), kind) for page, kind, _ in blocks() if kind and kind not in READ_BY_OTHERS}
    assert not unknown
    assert sum(kind == "python" for _, kind, _ in blocks()) >= 10


def test_the_seven_everyday_tasks_of_a_programmer_are_on_their_first_page() -> None:
    """Each under its heading, in sessions that say what comes of them: the page is a doctest."""
    tasks = (
        "Start a game and play a move",
        "List the legal moves",
        "Show a board, write a position, read it back",
        "Load a record, step through it, verify it",
        "Ask a level for a move",
        "Analyse a position",
        "Let your own player meet a level",
    )
    page = (ROOT / "docs/program/index.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^### ", page, flags=re.M)
    assert tuple(part.splitlines()[0] for part in parts) == tasks
    for part in parts:
        sessions = [found[3] for found in FENCE.finditer(part) if found[2] == "python"]
        examples = [example for text in sessions for example in doctest.DocTestParser().get_examples(text)]
        assert any(example.want for example in examples), f"nothing is shown: {part.splitlines()[0]}"


def test_sessions_are_doctests_and_programs_run(tmp_path: Path) -> None:
    """Programs in the documentation talk to the server that is usually there; here it has another port."""
    programs = [text for _, kind, text in blocks() if kind == "python" and ">>>" not in text]
    assert programs
    with serving(f"sqlite:///{tmp_path / 'docs.db'}", tmp_path) as server:
        for text in programs:
            assert USUAL_ADDRESS in text, f"an example that nobody runs:\n{text}"
            text = text.replace(USUAL_ADDRESS, server.address)
            subprocess.run([sys.executable, "-W", "error", "-c", text], check=True, timeout=120, cwd=tmp_path)


def test_the_pictures_of_then_and_now_are_those_that_a_tool_takes() -> None:
    named = re.findall(r"at-the-table/([\w-]+)-(before|today)\.webp", AT_THE_TABLE.read_text(encoding="utf-8"))
    taken = {name for name, when in named if when == "today"}
    assert taken == set(at_the_table.PICTURES)
    assert {name for name, _ in named} == taken, "what was before has a today"
    assert len(named) == len(set(named))
    files = {path.name for path in at_the_table.FOLDER.iterdir()}
    assert files == {f"{name}-{when}.webp" for name, when in named}


def test_data_can_be_read() -> None:
    for _, kind, text in blocks():
        if kind == "json":
            json.loads(text)
        if kind == "toml":
            tomllib.loads(text)


def commands() -> Iterator[tuple[Path, list[str]]]:
    """Commands of ours, in blocks for the terminal."""
    for page, kind, text in blocks():
        for line in text.replace("\\\n", " ").splitlines() if kind in ("sh", "") else ():
            line = re.sub(r"^[./\w-]*/bin/sobremesa", "sobremesa", line.strip())
            if line.split(" ")[0] == "sobremesa":
                words = shlex.split(line, comments=True)
                yield page, words[1 : words.index("|")] if "|" in words else words[1:]


def test_commands_are_understood(capsys: pytest.CaptureFixture[str]) -> None:
    seen = 0
    for page, words in commands():
        seen += 1
        command_of_a_package = any(word.isupper() or word == "four-winds" or "(" in word for word in words)
        if command_of_a_package:
            continue
        try:
            assert isinstance(command_line().parse_args(words), argparse.Namespace)
        except SystemExit:
            pytest.fail(f"{page.relative_to(ROOT)}: sobremesa {' '.join(words)}: {capsys.readouterr().err}")
    assert seen > 20


QUICK = {"play", "rules", "verify", "analyse", "show", "convert"}
"""Commands that end by themselves, or when nothing more is typed."""


def test_quick_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they stand there, in a folder with a game that was put aside; whoever plays leaves at the first question."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    sitting = sm.Sitting.start(sm.callisto)
    for move in ("c8", "n8", "h3"):
        sitting = sitting.play(move)
    ran = set()
    for page, words in commands():
        if words[:1] and words[0] in QUICK and not {"four-winds"} & set(words):
            sm.save(sitting.record(), tmp_path / "game.json")
            sm.save(sitting.record(), tmp_path / "game.blksgf")
            done = subprocess.run(
                [*PROGRAM, *words], cwd=tmp_path, input="", capture_output=True, text=True, timeout=120
            )
            where = f"{page.relative_to(ROOT)}: sobremesa {' '.join(words)}\n{done.stdout}{done.stderr}"
            assert done.returncode == (130 if words[0] == "play" else 0), where
            assert done.stdout, where
            assert "Traceback" not in done.stderr, where
            ran.add(words[0])
    assert {"play", "rules", "verify", "analyse"} <= ran


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    made = {ROOT / "docs/play/games.md", ROOT / "docs/changelog.md", ROOT / "docs/decisions/index.md"}
    for target in LINK.findall(prose(page.read_text(encoding="utf-8"))):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        if other in made:
            continue
        assert other.exists(), f"{target} leads nowhere"
        assert not anchor or other.suffix != ".md" or anchor in anchors(other), f"{target}: there is no such heading"


@pytest.mark.at_length
def test_a_release_can_be_made(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "tools/release.py"), "--rehearse", "--out", str(tmp_path)], check=True)
    names = {path.suffix for path in tmp_path.iterdir()}
    assert {".whl", ".gz", ".json"} <= names
    assert (tmp_path / "SHA256SUMS").exists()
