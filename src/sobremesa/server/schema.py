"""The messages and the API as schemas, and as TypeScript types for the page."""

import inspect
import json
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from sobremesa import __version__
from sobremesa.core.drawing import HOUSE_PALETTE, MARKS, SEATS, SeatColour
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.forms import VIEWS, box_forms
from sobremesa.rooms.limits import MAX_LISTED_SEATS, MAX_TALK_LINES
from sobremesa.server.app import create_app
from sobremesa.server.catalogue import BUILT_IN, catalogue
from sobremesa.server.settings import Settings
from sobremesa.table.fair import MAX_WORDS_LENGTH
from sobremesa.table.record import MAX_NAME_LENGTH

FROM_CLIENT = (m.Join, m.Ping, *get_args(m.RoomCommand), *get_args(m.Question))
FROM_SERVER = (m.Update, *get_args(m.Answer), m.Refused, m.Pong, m.Goodbye)


def socket_schema() -> dict[str, Any]:
    """JSON Schema of everything that is said on the socket."""
    models: list[Any] = [(model, "validation") for model in FROM_CLIENT]
    models += [(model, "serialization") for model in FROM_SERVER]
    places, schema = models_json_schema(models)
    references = [places[model] for model in models]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sobremesa socket messages",
        "$defs": schema["$defs"]
        | {
            "ClientMessage": {"oneOf": references[: len(FROM_CLIENT)]},
            "ServerMessage": {"oneOf": references[len(FROM_CLIENT) :]},
            "View": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in VIEWS]},
        },
    }


def asyncapi() -> dict[str, Any]:
    """The AsyncAPI description of the socket: what goes over it in which direction, as in ``socket_schema``.

    References between definitions point into ``components/schemas``, where AsyncAPI has them.
    """
    schemas = json.loads(
        json.dumps(socket_schema()["$defs"]).replace('"#/$defs/', '"#/components/schemas/'),
        # OpenAPI's form of a discriminator, which AsyncAPI has not; the constants say the same.
        object_hook=lambda part: {key: value for key, value in part.items() if key != "discriminator"},
    )
    names = {model.__name__: model for model in (*FROM_CLIENT, *FROM_SERVER)}
    messages = {
        name: {
            "name": name,
            "summary": inspect.cleandoc(model.__doc__ or "").splitlines()[0],
            "contentType": "application/json",
            "payload": {"$ref": f"#/components/schemas/{name}"},
        }
        for name, model in names.items()
    }

    def operation(action: str, summary: str, models: tuple[Any, ...]) -> dict[str, Any]:
        sent = [{"$ref": f"#/channels/room/messages/{model.__name__}"} for model in models]
        return {"action": action, "summary": summary, "channel": {"$ref": "#/channels/room"}, "messages": sent}

    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Sobremesa rooms",
            "version": __version__,
            "description": "The conversation about a room. docs/server.md tells its order.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {
            "room": {
                "address": "/api/rooms/{room}/socket",
                "parameters": {"room": {"description": "The room's id."}},
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
                "bindings": {"ws": {"method": "GET"}},
            }
        },
        "operations": {
            "hear": operation("receive", "What a client says.", FROM_CLIENT),
            "tell": operation("send", "What the server says.", FROM_SERVER),
        },
        "components": {"messages": messages, "schemas": schemas},
    }


def openapi() -> dict[str, Any]:
    """The OpenAPI description of the HTTP interface."""
    return create_app(Settings(database="sqlite:///:memory:")).openapi()


def boxes() -> dict[str, Any]:
    """What is in the games' boxes, by their ids: tiles, boards, tables of points."""
    return {id: game.box() for id, game in GAMES.items() if game.page == BUILT_IN}


def boxes_schema() -> dict[str, Any]:
    """JSON Schema of ``boxes``."""
    forms: list[Any] = [(id, "validation", TypeAdapter(form)) for id, form in box_forms().items()]
    places, schema = TypeAdapter.json_schemas(forms)
    fields = {id: places[id, "validation"] for id, _, _ in forms}
    return {"$defs": schema["$defs"] | {"Boxes": {"type": "object", "properties": fields, "required": list(fields)}}}


def typescript(definitions: dict[str, Any]) -> str:
    """TypeScript types for schema definitions, in the order of their names."""
    lines = ["// Made by `sobremesa schema` from the server's messages. Do not edit.", ""]
    for name in sorted(definitions):
        lines += [f"export type {name} = {_type(definitions[name], '')}", ""]
    return "\n".join(lines)


def _type(schema: dict[str, Any], indent: str) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(_type(option, indent) for option in schema[union]))
    match schema.get("type"):
        case "object" if "properties" in schema:
            required = set(schema.get("required", ()))
            fields = [
                f"{indent}  {_key(name)}{'' if name in required else '?'}: {_type(field, indent + '  ')}"
                for name, field in schema["properties"].items()
            ]
            return "{\n" + "\n".join(fields) + f"\n{indent}}}"
        case "object":
            values = schema.get("additionalProperties", {})
            return f"Record<string, {_type(values, indent) if isinstance(values, dict) else 'unknown'}>"
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(_type(item, indent) for item in schema['prefixItems'])}]"
        case "array":
            return f"Array<{_type(schema.get('items', {}), indent)}>"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null" as plain:
            return str(plain)
        case _:
            return "unknown"


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


LIMITS = {
    "listedSeats": MAX_LISTED_SEATS,
    "nameLength": MAX_NAME_LENGTH,
    "talkLines": MAX_TALK_LINES,
    "wordsLength": MAX_WORDS_LENGTH,
}
"""How much there may be at most of what the page counts, too."""
LOOKS = {
    "light": ":root",
    "dark": ':root[data-theme="dark"]',
    "contrast": ':root[data-theme="contrast"]',
    "box": ':root[data-palette="box"]',
}
"""How the page says which look it has."""


def palette_css() -> str:
    """The seats' colours as the page's style sheets name them: the house's, and of games that have their own."""
    rules = [_rule(look, "", seats) for look, seats in HOUSE_PALETTE.items()]
    for id, game in GAMES.items():
        if game.page == BUILT_IN and game.palette is not HOUSE_PALETTE:
            within = f' :is([data-game="{id}"], [data-seats="{id}"])'
            rules += [_rule(look, within, seats) for look, seats in game.palette.items()]
    return "/* Written by `sobremesa schema`: the palettes that the drawings of the library have, too. */\n" + "".join(
        rules
    )


def _fill(colour: SeatColour) -> dict[str, str]:
    return {"": colour.fill}


def _shades(colour: SeatColour) -> dict[str, str]:
    return {"": colour.fill, "-deep": colour.deep, "-light": colour.light, "-mark": colour.marking}


def _rule(look: str, within: str, seats: tuple[SeatColour, ...]) -> str:
    lines = [
        f"  --seat-{seat}{name}: {value.lower()};\n"
        for seat, colour in enumerate(seats)
        for name, value in (_fill(colour) if not within else _shades(colour)).items()
    ]
    return f"{LOOKS[look]}{within} {{\n{''.join(lines)}}}\n"


def write_schemas(folder: Path) -> list[Path]:
    """Writes the schemas, the types, and what is in the games' boxes, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    api, socket = openapi(), socket_schema()
    texts = {
        "openapi.json": _pretty(api),
        "socket.json": _pretty(socket),
        "asyncapi.json": _pretty(asyncapi()),
        "messages.ts": typescript(api["components"]["schemas"] | socket["$defs"] | boxes_schema()["$defs"]),
        "games.json": json.dumps(boxes(), ensure_ascii=False, separators=(",", ":")) + "\n",
        "catalogue.json": _pretty(catalogue()),
        "palette.css": palette_css(),
        "limits.json": json.dumps(LIMITS, indent=1) + "\n",
        "marks.json": json.dumps([MARKS[seat.mark] for seat in SEATS]) + "\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _pretty(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
