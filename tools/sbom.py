"""A software bill of materials in CycloneDX's format, from the locks: ``python tools/sbom.py build/sbom.json``."""

import argparse
import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def python_parts(lock: Path) -> list[dict[str, Any]]:
    """The packages that a lock of Python's names."""
    parts: list[dict[str, Any]] = []
    for line in lock.read_text().splitlines():
        if found := PIN.match(line):
            name, version = found[1].lower(), found[2]
            parts.append(_part(name, version, f"pkg:pypi/{name}@{version}"))
        elif parts and (found := HASH.search(line)):
            parts[-1]["hashes"].append({"alg": "SHA-256", "content": found[1]})
    return parts


def web_parts(lock: Path) -> list[dict[str, Any]]:
    """The packages that npm's lock names; they build the page, and some become part of it."""
    packages = json.loads(lock.read_text())["packages"]
    named = [(path.rpartition("node_modules/")[2], about) for path, about in packages.items() if path]
    return [
        _part(name, about["version"], f"pkg:npm/{name.replace('@', '%40')}@{about['version']}")
        for name, about in sorted(named, key=lambda part: part[0])
        if "version" in about
    ]


def bill() -> dict[str, Any]:
    """The whole bill."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    parts = python_parts(ROOT / "requirements/play.txt") + web_parts(ROOT / "web/package-lock.json")
    version = re.search(r'__version__ = "([^"]+)"', (ROOT / "src/sobremesa/__init__.py").read_text())
    about = {"type": "application", "name": project["name"], "version": project.get("version") or (version or [""])[1]}
    unique = {part["bom-ref"]: part for part in parts}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": about},
        "components": list(unique.values()),
    }


def _part(name: str, version: str, address: str) -> dict[str, Any]:
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": address,
        "bom-ref": address,
        "hashes": [],
    }


def main() -> None:
    """Writes it to the file that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    file = parser.parse_args().file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(bill(), indent=1) + "\n")
    print(file)


if __name__ == "__main__":
    main()
