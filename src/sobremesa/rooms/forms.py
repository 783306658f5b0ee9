"""The forms of what games show, for the schemas only: while a server runs, views are sent as they are."""

import ast
import inspect
from collections.abc import Mapping
from functools import cache, reduce
from itertools import pairwise
from operator import or_
from textwrap import dedent
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from pydantic import ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from sobremesa.games import GAMES


@cache
def form(kind: Any) -> Any:
    """A type of plain data as pydantic takes it: before Python 3.12 it refuses the standard library's TypedDict."""
    if is_typeddict(kind):
        make: Any = TypedDict
        documented = _docstrings(kind)
        fields = {name: _described(form(field), documented.get(name)) for name, field in get_type_hints(kind).items()}
        made = make(kind.__name__, fields)
        made.__doc__ = kind.__doc__
        made.__pydantic_config__ = ConfigDict(extra="forbid", strict=True)
        return made
    parts = tuple(map(form, get_args(kind))) if get_origin(kind) is not Literal else ()
    if not parts:
        return kind
    return reduce(or_, parts) if get_origin(kind) in (Union, UnionType) else get_origin(kind)[parts]


def _described(kind: Any, text: str | None) -> Any:
    return kind if text is None else Annotated[kind, Field(description=text)]


def _docstrings(kind: type) -> dict[str, str]:
    """The docstring of each field of a class, as its source has them; none where there is no source."""
    try:
        (declared,) = ast.parse(dedent(inspect.getsource(kind))).body
    except (OSError, SyntaxError, ValueError):
        return {}
    assert isinstance(declared, ast.ClassDef)
    found = {}
    for field, after in pairwise(declared.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            text = after.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                found[field.target.id] = inspect.cleandoc(text.value)
    return found


VIEWS = {game.plain.__name__: form(game.plain) for game in GAMES.values() if is_typeddict(game.plain)}
"""What a seat sees, by the name of its type."""


class _Described:
    """Takes anything, and tells the schema that it is one of the games' views: these come from the rules alone."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.any_schema()

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(TypeAdapter(reduce(or_, VIEWS.values())).core_schema)


PlainView = Annotated[Mapping[str, Any], _Described()]
"""A view as plain data, neither checked nor copied on its way out."""


def box_forms() -> dict[str, Any]:
    """The form of each game's box, by the game's id."""
    return {id: form(get_type_hints(game.box)["return"]) for id, game in GAMES.items() if is_typeddict(game.plain)}
