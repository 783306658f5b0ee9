"""Nested dictionaries, lists and tuples of arrays in ``.npz`` files that need no pickle, written all or nothing."""

import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import jax
import numpy as np

from sobremesa.core.errors import SobremesaError


def save(path: Path, tree: Any, about: dict[str, Any]) -> None:
    """Writes the arrays of a tree, and facts about them that JSON can hold."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    arrays: dict[str, Any] = {jax.tree_util.keystr(where): np.asarray(leaf) for where, leaf in leaves}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays)
    os.replace(unfinished, path)


def about(path: Path) -> dict[str, Any]:
    """The facts in a file."""
    with np.load(path) as arrays:
        facts: dict[str, Any] = json.loads(str(arrays["about"]))
        return facts


def load(path: Path, like: Any, fresh: Collection[str] = ()) -> Any:
    """The arrays in a file, as a tree of the same form as `like`; SobremesaError if it holds another one.

    Parts of the tree that are `fresh`, each written as in ``['rounds'][6]``, are not looked for: they stay as they are
    in `like`.
    """
    with np.load(path) as arrays:

        def leaf(where: Any, old: Any) -> Any:
            name = jax.tree_util.keystr(where)
            if any(part in name for part in fresh):
                return old
            if name not in arrays or arrays[name].shape != old.shape:
                text = "{path} has no {name} of shape {shape}: it was made by another network"
                raise SobremesaError(text, path=path, name=name, shape=old.shape)
            return arrays[name].astype(old.dtype)

        return jax.tree_util.tree_map_with_path(leaf, like)
