"""The source keeps to the glossary in CONTRIBUTING: known concepts are named, constants say what they limit."""

import ast
import re
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path

import pytest

import sobremesa

SOURCE = Path(sobremesa.__file__).parent
PACKAGES = ("core", "games", "table", "rooms", "server", "batch", "engines", "training", "envs", "notebook", "cli")
CONCEPTS = (
    ("table", "commitment scheme"),
    ("table", "rejection sampling"),
    ("games", "heuristic"),
    ("engines", "Monte Carlo tree search"),
    ("engines", "virtual loss"),
    ("engines", "PUCT"),
    ("engines", "sequential halving"),
    ("engines", "First-play urgency"),
    ("engines", "policy temperature"),
    ("engines", "Gumbel scale"),
    ("engines", "determinisation"),
    ("engines", "transposition table"),
    ("training", "replay buffer"),
    ("training", "minibatch"),
    ("training", "symmetric augmentation"),
    ("training", "completed Q-values"),
    ("training", "exponential moving average"),
    ("training", "lambda-return"),
    ("training", "quantisation"),
    ("rooms", "snapshot"),
    ("server", "event log"),
    ("server", "idempotency key"),
    ("server", "token bucket"),
    ("server", "projection"),
    ("server", "mailbox"),
    ("server", "group commit"),
    ("server", "lease"),
)
VAGUE = {
    "FEW",
    "MANY",
    "MOST",
    "LEAST",
    "KEPT",
    "CALM",
    "AGAIN",
    "LONGEST",
    "LARGEST",
    "PATIENCE",
    "REMEMBERED",
    "TOLD",
    "CROWDING",
    "GRACE",
    "LINGER",
    "SITTING_DOWN",
    "LEASE",
    "LONG_LOG",
    "SECONDS",
    "KNOWN_FOR",
}
OLD_WORDS = {
    "doubt",
    "few",
    "heat",
    "hope",
    "judge",
    "liking",
    "lots",
    "opinion",
    "school",
    "slope",
    "told",
}
"""What the glossary has other words for; in prose they may stand."""
ROOT = Path(__file__).parents[1]
DECLARED = re.compile(r"\b(?:const|let|function|class|interface|type|readonly)\s+(\w+)|^\s+(\w+)\??:", re.MULTILINE)
"""What a page's source gives a name to, fields included."""
PAGE = ("web/src", "web/tests", "src/sobremesa/games", "clients")
"""Where TypeScript lies."""


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((SOURCE / package).rglob("*.py")):
            if "tests" not in path.parts:
                yield path, ast.parse(path.read_text(encoding="utf-8"))


def modules_in(folder: str) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def identifiers(module: ast.Module) -> Iterator[str]:
    """Everything that a module gives a name to."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name


def words(identifier: str) -> set[str]:
    """The words of ``snake_case``, ``camelCase`` and ``CONSTANTS``, in the singular too."""
    parts = {part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", identifier)}
    return parts | {part.removesuffix("s") for part in parts}


@pytest.mark.parametrize(("package", "concept"), CONCEPTS)
def test_a_known_concept_is_named_where_it_is_implemented(package: str, concept: str) -> None:
    folders = [SOURCE / package, *(SOURCE / "games").glob(f"*/{package.removesuffix('s')}")]
    texts = (path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py"))
    assert any(concept.lower() in " ".join(text.lower().split()) for text in texts)


def test_constants_say_what_they_limit() -> None:
    folders = ("src", "tools", "tests", "benchmarks", "examples", "clients")
    for path, module in chain.from_iterable(map(modules_in, folders)):
        names = {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        assert not {name.lstrip("_") for name in names} & VAGUE, path


def test_a_number_with_a_name_stands_in_one_place() -> None:
    """Parts of games aside: what two of them have in common, they need not have in common tomorrow."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path, module in modules():
        for node in module.body:
            if isinstance(node, ast.Assign) and path.relative_to(SOURCE).parts[0] != "games":
                name, value = ast.unparse(node.targets[0]), ast.unparse(node.value)
                if name.isupper() and re.match(r"-?\d", value):
                    found.setdefault((name, value), []).append(path)
    assert len(found) > 100
    assert not {name: paths for (name, _), paths in found.items() if len(paths) > 1}


def test_old_words_are_no_identifiers() -> None:
    for path, module in chain(modules(), *map(modules_in, ("tools", "examples", "clients"))):
        for name in identifiers(module):
            assert not words(name) & OLD_WORDS, f"{path}: {name}"
    files = [path for folder in PAGE for ending in ("ts", "svelte") for path in (ROOT / folder).rglob(f"*.{ending}")]
    files = [path for path in files if not {"node_modules", "dist"} & set(path.parts)]
    assert len(files) > 150
    for path in files:
        for name in chain.from_iterable(DECLARED.findall(path.read_text(encoding="utf-8"))):
            assert not words(name) & OLD_WORDS, f"{path}: {name}"
            assert name.lstrip("_") not in VAGUE, f"{path}: {name}"


@pytest.mark.parametrize(
    "name", ["FEW", "told", "was_told", "Told", "isTold", "hopes", "SCHOOL", "MAX_DOUBT", "judgeOf"]
)
def test_an_old_word_is_found(name: str) -> None:
    assert words(name) & OLD_WORDS
    assert not words("threshold") & OLD_WORDS


def test_the_docstring_of_a_field_is_a_sentence_by_itself() -> None:
    for path, module in modules():
        for node in ast.walk(module):
            body = node.body if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) else []
            for field, after in pairwise(body):
                if isinstance(field, ast.Assign | ast.AnnAssign) and isinstance(after, ast.Expr):
                    text = after.value.value if isinstance(after.value, ast.Constant) else "Not a docstring."
                    assert isinstance(text, str)
                    assert text.rstrip().endswith("."), f"{path}:{after.lineno}"
                    assert not text[0].islower(), f"{path}:{after.lineno}"


def test_every_setting_has_a_docstring_of_its_own() -> None:
    module = ast.parse((SOURCE / "server" / "settings.py").read_text(encoding="utf-8"))
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            for field, after in pairwise([*node.body, ast.Pass()]):
                assert not isinstance(field, ast.AnnAssign) or isinstance(after, ast.Expr), ast.unparse(field)
