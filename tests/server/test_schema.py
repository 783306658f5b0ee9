"""The committed schemas are those of the code, and what is sent keeps them."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from sobremesa.server import messages as m
from sobremesa.server.schema import typescript, write_schemas
from sobremesa.server.sockets import READ

COMMITTED = Path(__file__).parents[2] / "docs" / "schema"


@pytest.mark.parametrize("name", ["openapi.json", "socket.json", "messages.ts"])
def test_the_committed_schemas_are_up_to_date(name: str, tmp_path: Path) -> None:
    write_schemas(tmp_path)
    assert (tmp_path / name).read_text() == (COMMITTED / name).read_text(), "run: make docs"


def test_types_for_the_page() -> None:
    text = typescript(
        {
            "Roll": {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]},
            "Any": {"anyOf": [{"$ref": "#/$defs/Roll"}, {"type": "null"}]},
            "Kind": {"enum": ["a", "b"]},
            "Many": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "boolean"}}},
        }
    )
    assert "export type Roll = {\n  sum: number\n}" in text
    assert "export type Any = Roll | null" in text
    assert 'export type Kind = "a" | "b"' in text
    assert "export type Many = Array<Record<string, boolean>>" in text


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
