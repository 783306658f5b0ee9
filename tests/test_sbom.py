"""The bill of materials names what the locks name, and the locks are such that they can be audited."""

import json
import re
from pathlib import Path

import sbom

ROOT = Path(__file__).parent.parent


def test_everything_that_is_locked_is_on_the_bill() -> None:
    bill = sbom.bill()
    names = {part["purl"].rpartition("@")[0] for part in bill["components"]}
    locked = re.findall(r"^([A-Za-z0-9._-]+)==", (ROOT / "requirements/play.txt").read_text(), re.MULTILINE)
    assert len(locked) > 20
    assert {f"pkg:pypi/{name.lower()}" for name in locked} <= names
    assert "pkg:npm/svelte" in names
    python = [part for part in bill["components"] if part["purl"].startswith("pkg:pypi")]
    assert all(part["hashes"] for part in python)
    assert bill["metadata"]["component"]["version"]
    json.dumps(bill)


def test_every_pin_has_its_hashes() -> None:
    """As ``pip-audit --require-hashes`` wants them."""
    for lock in (ROOT / "requirements").glob("*.txt"):
        blocks = re.split(r"\n(?=\S)", lock.read_text())
        pins = [block for block in blocks if "==" in block.split("\n")[0]]
        assert pins
        assert all("--hash=sha256:" in block for block in pins), lock.name
