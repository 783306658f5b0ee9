"""The committed schemas are those of the code, and what is sent keeps them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError

from kinds import KINDS, Kind, trail
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.positions import Position
from sobremesa.server.schema import asyncapi, boxes_schema, openapi, socket_schema, typescript, write_schemas
from sobremesa.server.sockets import READ

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "docs" / "schema"


@pytest.mark.parametrize("name", ["openapi.json", "socket.json", "asyncapi.json", "messages.ts", "games.json"])
def test_the_committed_schemas_are_up_to_date(name: str, tmp_path: Path) -> None:
    write_schemas(tmp_path)
    assert (tmp_path / name).read_text() == (COMMITTED / name).read_text(), "run: make docs"


@pytest.mark.parametrize("described", [socket_schema, openapi])
def test_every_field_is_described(described: Callable[[], dict[str, Any]]) -> None:
    """All but constants, which say what they are."""
    schema = described()
    definitions = schema.get("$defs") or schema["components"]["schemas"]
    bare = [
        f"{name}.{field}"
        for name, definition in definitions.items()
        for field, form in definition.get("properties", {}).items()
        if not form.get("description") and "const" not in form
    ]
    assert not bare


def test_every_address_and_what_is_asked_of_it_is_described() -> None:
    bare = [
        f"{method} {path} {parameter.get('name', '')}"
        for path, methods in openapi()["paths"].items()
        for method, operation in methods.items()
        for parameter in (operation, *operation.get("parameters", ()))
        if not parameter.get("description")
    ]
    assert not bare


def test_the_description_of_the_socket_is_asyncapi() -> None:
    """By AsyncAPI's own schema; and every message of the socket is in it."""
    specification = ROOT / "web/node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json"
    described = asyncapi()
    jsonschema_rs.validator_for(json.loads(specification.read_text())).validate(described)
    told = {name for way in described["operations"].values() for name in (ref["$ref"] for ref in way["messages"])}
    assert told == {f"#/channels/room/messages/{name}" for name in described["components"]["messages"]}
    definitions = described["components"]["schemas"]
    pong = jsonschema_rs.validator_for({"$ref": "#/components/schemas/Pong", "components": {"schemas": definitions}})
    assert pong.is_valid({"type": "pong", "now": 1.5, "version": 3})
    assert not pong.is_valid({"type": "pong"})


def test_types_for_the_page() -> None:
    text = typescript(
        {
            "Roll": {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]},
            "Any": {"anyOf": [{"$ref": "#/$defs/Roll"}, {"type": "null"}]},
            "Kind": {"enum": ["a", "b"]},
            "Many": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "boolean"}}},
            "Dashed": {"type": "object", "properties": {"isis-osiris": {"type": "null"}}},
        }
    )
    assert "export type Roll = {\n  sum: number\n}" in text
    assert "export type Any = Roll | null" in text
    assert 'export type Kind = "a" | "b"' in text
    assert "export type Many = Array<Record<string, boolean>>" in text
    assert 'export type Dashed = {\n  "isis-osiris"?: null\n}' in text


def validator(schema: dict[str, Any], name: str) -> jsonschema_rs.Validator:
    """Checks against one of a schema's definitions."""
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_real_views_keep_the_schema(kind: Kind) -> None:
    """All moments of a random game, seen from every seat and by a spectator."""
    own, other = (validator(socket_schema(), name) for name in (kind.game.plain.__name__, "CallistoView"))
    states, _ = trail(kind, seed=3)
    for state in states[:: max(1, len(states) // 60)] + states[-1:]:
        for seat in (None, *range(min(state.seats, 5))):
            view = json.loads(json.dumps(state.view(seat).as_dict()))
            own.validate(view)
            assert other.is_valid(view) == (kind.game.id == "callisto")
    wrong = json.loads(json.dumps(states[-1].view(None).as_dict()))
    assert not own.is_valid(wrong | {"secret": 1}), "nothing else may be in a view"
    assert not own.is_valid({key: wrong[key] for key in wrong if key != "options"})


def test_views_have_names_in_all_schemas_and_types() -> None:
    text = (COMMITTED / "messages.ts").read_text()
    assert "  views: Array<CallistoView | IsisOsirisView | KnisterView>\n" in text
    assert '  game: "isis-osiris"\n' in text
    assert "  options: Record<string, number | string | boolean>\n" in text
    references = {f"#/$defs/{game.plain.__name__}" for game in GAMES.values()}
    shown = socket_schema()["$defs"]["Step"]["properties"]["views"]["items"]["anyOf"]
    assert {option["$ref"] for option in shown} == references
    assert {game.plain.__name__ for game in GAMES.values()} <= set(openapi()["components"]["schemas"])


def test_a_view_is_not_copied_nor_checked_on_its_way_out() -> None:
    view = GAMES["knister"].start().view(0).as_dict()
    step = m.Step(version=0, seat=None, move=None, rolled=None, views=[view])
    assert step.views[0] is view
    position = Position(position="", steps=[step], legal={}, over=False, result=None)
    assert position.steps[0].views[0] is view
    assert json.loads(position.model_dump_json())["steps"][0]["views"] == [view]


def test_what_is_in_the_boxes_keeps_its_types() -> None:
    boxes = json.loads((COMMITTED / "games.json").read_text())
    assert list(boxes) == list(GAMES)
    check = validator(boxes_schema(), "Boxes")
    check.validate(boxes)
    assert not check.is_valid(boxes | {"knister": {}})


def test_unknown_fields_and_wrong_types_are_refused() -> None:
    READ.validate_json('{"type": "ping"}')
    for bad in (
        '{"type": "ping", "x": 1}',
        '{"type": "nothing"}',
        '{"type": "start", "id": 5}',
        "[]",
        '{"type": "start"}',
    ):
        with pytest.raises(ValidationError):
            READ.validate_json(bad)


def test_names_cannot_carry_control_characters() -> None:
    for bad in ("", " ", "a\x1b[2J", "a\nb", "x" * 61, "\u202e"):
        with pytest.raises(ValidationError):
            m.Sit(type="sit", id="a", name=bad)
    assert m.Sit(type="sit", id="a", name=" Íñigo ✿ ").name == "Íñigo ✿"


FAMILY, RAINBOW, ASTRONAUT = "👨‍👩‍👧‍👦", "🏳️‍🌈", "👩🏽‍🚀"
JOINER = "\u200d"


@pytest.mark.parametrize(
    "name", [FAMILY, RAINBOW, ASTRONAUT, f"Los {FAMILY} de Ana {RAINBOW}", "❤️‍🔥", "🐈‍⬛", "🇪🇸 Ñ 中"]
)
def test_names_may_have_joined_emoji(name: str) -> None:
    assert m.Sit(type="sit", id="a", name=name, words=name).name == name
    assert m.Say(type="say", id="a", text=name).text == name


@pytest.mark.parametrize(
    "bad",
    [
        JOINER,
        f"A{JOINER}na",
        f"👨{JOINER}",
        f"{JOINER}👨",
        f"👨{JOINER}{JOINER}👩",
        f"👨{JOINER}a",
        f"7{JOINER}7",
        "a\u200cb",
        "a\u200bb",
        "a\ufeffb",
        "a\u2066b",
        "a\x00b",
        f"{FAMILY}\u202e",
        "\ud83d",
    ],
)
def test_joiners_elsewhere_and_other_invisible_characters_are_refused(bad: str) -> None:
    for make in (
        lambda: m.Sit(type="sit", id="a", name=bad),
        lambda: m.Sit(type="sit", id="a", name="Ana", words=bad),
        lambda: m.Say(type="say", id="a", text=bad),
    ):
        with pytest.raises(ValidationError):
            make()
