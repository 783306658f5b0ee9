"""The bill of materials names what the locks name, the locks can be audited as they are, and a release has both."""

import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import release
import sbom
from sobremesa import __version__

ROOT = Path(__file__).parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def pins(lock: Path) -> dict[str, list[tuple[str, set[str]]]]:
    """Versions and hashes by name, read as pip reads them with ``--require-hashes``; raises at anything else."""
    text = re.sub(r"^#.*\n", "", lock.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    found: dict[str, list[tuple[str, set[str]]]] = {}
    for line in filter(str.strip, text.splitlines()):
        named, *hashes = re.split(r"\s+--hash=", line.strip())
        requirement = Requirement(named)
        (specifier,) = requirement.specifier
        assert specifier.operator == "==", line
        assert "*" not in specifier.version, line
        assert requirement.url is None, line
        assert hashes, f"{named} could be anything"
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes), line
        versions = found.setdefault(canonicalize_name(requirement.name), [])
        versions.append((specifier.version, {one.removeprefix("sha256:") for one in hashes}))
    return found


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_pin_has_its_hashes(lock: Path) -> None:
    """As ``pip-audit --require-hashes`` wants them."""
    assert pins(lock)


def test_what_would_be_anything_is_no_pin(tmp_path: Path) -> None:
    for wrong in (
        "httpx",
        "httpx>=1",
        "httpx==1.*",
        "httpx==1.0",
        "httpx @ https://example.org/x.whl --hash=sha256:00",
    ):
        (tmp_path / "wrong.txt").write_text(wrong + "\n")
        with pytest.raises((AssertionError, ValueError)):
            pins(tmp_path / "wrong.txt")


def test_the_lock_has_everything_that_a_server_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked, extras = set(), ["server"]
    while extras:
        for one in map(Requirement, project["optional-dependencies"][extras.pop()]):
            if one.name == project["name"]:
                extras += one.extras
            else:
                asked.add(canonicalize_name(one.name))
    assert len(asked) > 5
    assert asked <= pins(ROOT / "requirements/play.txt").keys()


def test_everything_that_is_locked_is_on_the_bill() -> None:
    bill = sbom.bill()
    locked = pins(ROOT / "requirements/play.txt")
    assert len(locked) > 20
    python = [part for part in bill["components"] if part["purl"].startswith("pkg:pypi/")]
    told = {
        (canonicalize_name(part["name"]), part["version"], frozenset(one["content"] for one in part["hashes"]))
        for part in python
    }
    assert told == {
        (name, version, frozenset(hashes)) for name, versions in locked.items() for version, hashes in versions
    }
    npm = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    purls = {part["purl"] for part in bill["components"]}
    assert len(npm) > 50
    for path, about in npm.items():
        if path:
            name = path.rpartition("node_modules/")[2].replace("@", "%40")
            assert f"pkg:npm/{name}@{about['version']}" in purls
    assert bill["metadata"]["component"]["version"] == __version__


@pytest.mark.parametrize(
    ("changelog", "flaw"),
    [
        (f"# Changelog\n\n## {__version__} (2030-01-01)\n\nThe first.\n", None),
        (f"# Changelog\n\n## Not released yet\n\n## {__version__} (2030-01-01)\n\nThe first.\n", None),
        (f"# Changelog\n\n## Not released yet\n\n- More.\n\n## {__version__} (2030-01-01)\n", "Not released yet"),
        (f"# Changelog\n\n## Not released yet\n\n### For\n\n- More {__version__} (\n", "no part"),
        (f"# Changelog\n\n## {__version__}1 (2030-01-01)\n\nThe first.\n", "no part"),
    ],
)
def test_no_release_is_made_of_what_the_changelog_gives_to_no_version(
    changelog: str,
    flaw: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def build(*command: object) -> str:
        raise release.Flaw("it is built")

    (tmp_path / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "run", build)
    monkeypatch.setattr(sys, "argv", ["release.py", "--out", str(tmp_path / "dist")])
    assert release.main() == 1
    assert (flaw or "it is built") in capsys.readouterr().err


def test_a_release_has_its_bill_its_lock_and_checksums_of_all(tmp_path: Path) -> None:
    (tmp_path / "something.whl").write_bytes(b"a wheel")
    names = {path.name for path in release.write_papers(tmp_path)}
    bill, lock = f"sobremesa-{__version__}.cdx.json", f"sobremesa-{__version__}.lock.txt"
    assert names == {"something.whl", bill, lock, "SHA256SUMS"}
    assert json.loads((tmp_path / bill).read_text(encoding="utf-8")) == sbom.bill()
    assert pins(tmp_path / lock) == pins(ROOT / "requirements/play.txt")
    sums = dict(line.split("  ")[::-1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names - {"SHA256SUMS"}}
