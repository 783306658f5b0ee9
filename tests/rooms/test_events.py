"""The closed union of events: what is written reads back, and nothing of a person survives being forgotten."""

import json
from collections.abc import Iterator
from typing import Any, Literal, get_args

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError, create_model

from sobremesa.core.errors import SobremesaError
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.room import Resources, Room
from sobremesa.table.fair import Digest

EVENTS: tuple[type[BaseModel], ...] = get_args(e.Event)

EXAMPLES: dict[type, list[dict[str, Any]]] = {
    e.Created: [
        {"game": "callisto", "seats": [{"kind": "me"}, {"kind": "open"}]},
        {
            "game": "knister",
            "options": {"starter": 1},
            "seats": [{"kind": kind, "player": "greedy", "name": "x"} for kind in ("me", "open", "engine")],
            "crowd": False,
            "name": "x",
            "words": "x",
            "seals": True,
            "games": 3,
            "clock": 60,
            "public": True,
            "chat": False,
            "hints": False,
            "rated": False,
            "wait": True,
            "origin": {"position": "knister seats=3", "moment": {"room": "AbCd", "number": 1, "step": 2}},
            "language": "es",
        },
    ],
    e.Seated: [{"seat": 1, "name": "x", "seals": True}],
    e.Renamed: [{"seat": 1, "name": "x"}],
    e.Left: [{"seat": 1}],
    e.Forfeited: [{"seat": 1, "why": "time"}],
    e.HintGiven: [{"seat": 1}],
    e.ReadyAsked: [{}],
    e.ReadySaid: [{"seats": [1]}],
    e.EngineSeated: [{"seat": 1, "player": "greedy"}],
    e.EngineFailed: [{"seat": 1, "player": "greedy"}],
    e.EntropyAdded: [{"seat": 1, "words": "x"}, {"seat": 1, "words": "", "sha256": "0" * 64}],
    e.Promised: [
        {"number": 1, "commitment": "0" * 64},
        {"number": 2, "commitment": "0" * 64, "rules": 1, "options": {"edition": "pocket", "memory_aid": True}},
    ],
    e.Sealed: [{"seat": 1, "seal": "0" * 64}],
    e.Gathering: [{"number": 1, "seats": [0, 1]}],
    e.Called: [{"number": 1, "starter": 1, "seats": [0, 1], "taken": [0, 2]}],
    e.Opened: [
        {"seat": 1, "nonce": "0" * 32, "words": "x"},
        {"seat": 1, "nonce": "0" * 32, "words": "", "sha256": "0" * 64},
    ],
    e.Voided: [{"number": 1, "missing": [1]}],
    e.Begun: [{"number": 1, "starter": 0}, {"number": 2, "starter": 1, "taken": [0, 2, 3], "rated": True}],
    e.Moved: [{"seat": 1, "move": "c3"}, {"seat": 1, "move": "c3", "hidden": True, "forced": True}],
    e.Rolled: [{"outcome": -2}],
    e.Ended: [
        {"number": 1, "scores": [3, 4], "places": [2, 1]},
        {"number": 1, "scores": [0, 0], "places": [2, 1], "secret": "0" * 64, "how": "resigned", "seat": 0},
    ],
    e.Paused: [{}],
    e.Resumed: [{}],
    e.TakenBack: [{"seat": 1, "moves": 2}],
    e.Offered: [{"what": "takeback", "seats": [0, 1]}],
    e.Agreed: [{"seats": [1]}],
    e.Declined: [{"seat": 1}],
    e.Said: [{"name": "x", "text": "x"}, {"seat": 1, "name": "x", "text": "x"}],
    e.PhraseSaid: [{"name": "x", "text": "hello"}, {"seat": 1, "name": "x", "text": "hello"}],
    e.Managed: [{}, {"public": True}, {"public": False, "chat": False}],
}
"""At least one of each class; together they fill every field."""

ABOUT_THE_GAME = {
    (e.Created, "game"),
    (e.Created, "options"),
    (e.Created, "language"),
    (e.Created, "position"),
    (e.Created, "kind"),  # of a seat
    (e.Forfeited, "why"),
    (e.EngineSeated, "player"),
    (e.EngineFailed, "player"),
    (e.EntropyAdded, "sha256"),
    (e.Promised, "commitment"),
    (e.Promised, "options"),
    (e.Sealed, "seal"),
    (e.Opened, "nonce"),
    (e.Opened, "sha256"),
    (e.Moved, "move"),
    (e.Ended, "secret"),
    (e.Ended, "how"),
    (e.Offered, "what"),
}
"""Texts that are nobody's: they come from lists of ours, from the rules or from chance."""


def example(event: type, number: int = 0) -> e.Event:
    return e.read_event({"kind": event.model_fields["kind"].default} | EXAMPLES[event][number])  # type: ignore[attr-defined]


def all_examples() -> list[e.Event]:
    return [example(event, number) for event in EVENTS for number in range(len(EXAMPLES.get(event, [])))]


def marked(value: Any, name: str, kind: type, markers: list[str]) -> Any:
    """The same data with a mark of its own in each text that somebody may have chosen."""
    if isinstance(value, str):
        if (kind, name) in ABOUT_THE_GAME:
            return value
        markers.append(f"mark{len(markers)}of{name}")
        return markers[-1]
    if isinstance(value, dict):
        if (kind, name) in ABOUT_THE_GAME:
            return value
        return {key: marked(inner, key, kind, markers) for key, inner in value.items()}
    if isinstance(value, list):
        return [marked(inner, name, kind, markers) for inner in value]
    return value


def texts_of(schema: dict[str, Any], definitions: dict[str, Any], name: str = "") -> Iterator[str]:
    """The fields of a JSON schema, at any depth, that may hold texts: as values, in lists, or as keys."""
    if "$ref" in schema:
        yield from texts_of(definitions[schema["$ref"].rpartition("/")[2]], definitions, name)
    elif "properties" in schema:
        for field, form in schema["properties"].items():
            yield from texts_of(form, definitions, field)
    elif forms := [form for key in ("anyOf", "oneOf", "allOf") for form in schema.get(key, ())]:
        for form in forms:
            yield from texts_of(form, definitions, name)
    elif schema.get("type") == "array":
        forms = [*schema.get("prefixItems", ()), schema.get("items", {})]
        for form in forms[:-1] or forms:
            yield from texts_of(form, definitions, name)
    elif "const" not in schema and schema.get("type") not in ("boolean", "integer", "number", "null"):
        yield name  # texts, what is known by keys that somebody may have chosen, and whatever is not said


def test_there_is_an_example_of_everything_that_can_happen() -> None:
    assert set(EXAMPLES) == set(EVENTS), "a new kind of event needs an example"
    for event, given in EXAMPLES.items():
        assert set().union(*given) == set(event.model_fields) - {"kind"}, event  # type: ignore[attr-defined]
    kinds = [event.model_fields["kind"].default for event in EVENTS]
    assert len(set(kinds)) == len(kinds)


def test_every_text_of_every_event_is_marked_or_known_to_be_nobodys() -> None:
    """So that no field of an event, nor of what is inside it, escapes the next test."""
    for event in EVENTS:
        schema = TypeAdapter(event).json_schema()
        names = set(texts_of(schema, schema.get("$defs", {}))) - {"kind"}
        markers: list[str] = []
        for given in EXAMPLES[event]:
            marked(given, "", event, markers)
        found = {marker.partition("of")[2] for marker in markers}
        assert names == found | {name for kind, name in ABOUT_THE_GAME if kind is event and name != "kind"}


@pytest.mark.parametrize(
    "form",
    [str, bytes, Any, list[str], tuple[int, str], dict[str, int], dict[int, str], list[int | str], m.SeatPlan | None],
    ids=str,
)
def test_no_form_that_a_name_can_take_escapes_it(form: Any) -> None:
    schema = create_model("Planted", seat=(int, ...), planted=(form, ...)).model_json_schema()
    assert set(texts_of(schema, schema.get("$defs", {}))) & {"planted", "name"}


@pytest.mark.parametrize("form", [int, bool, float, list[int], tuple[int, ...], Literal["a"], None], ids=str)
def test_a_field_without_texts_needs_no_mark(form: Any) -> None:
    schema = create_model("Planted", planted=(form, ...)).model_json_schema()
    assert not list(texts_of(schema, {}))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_nothing_of_a_person_survives_being_forgotten(event: type) -> None:
    for given in EXAMPLES[event]:
        markers: list[str] = []
        data = marked(given, "", event, markers)
        happened = e.read_event({"kind": event.model_fields["kind"].default} | data)  # type: ignore[attr-defined]
        entry = e.Entry(7, 1000.5, happened, "person-id", "command-id", b"secret of a promise")
        kept = entry.anonymous()
        text = f"{kept!r} {kept.event.model_dump_json()} {kept.event.model_dump()!r}"
        # An engine's player is one of a list of ours: rooms refuse any other.
        own = [marker for marker in markers if not (marker.endswith("ofplayer") and _is_an_engines(data, marker))]
        assert not [marker for marker in [*own, "person-id", "command-id"] if marker in text]
        assert (kept.version, kept.at, kept.secret) == (7, 1000.5, b"secret of a promise"), (
            "others' chance depends on it"
        )
        assert type(kept.event) is event
        assert kept.anonymous() == kept
        assert set(markers) <= set(json.dumps(data).replace('"', " ").replace(",", " ").split())


def _is_an_engines(data: dict[str, Any], marker: str) -> bool:
    return any(seat["kind"] == "engine" and seat["player"] == marker for seat in data.get("seats", ()))


@pytest.mark.parametrize("event", all_examples(), ids=lambda event: event.kind)
def test_what_is_written_reads_back(event: e.Event) -> None:
    for one in (event, event.anonymous()):
        data = json.loads(one.model_dump_json(exclude={"kind"}, exclude_none=True))
        assert "kind" not in data
        again = e.read_event({"kind": one.kind} | data)
        assert again == one
        assert type(again) is type(one)


def test_words_of_the_forgotten_count_as_before() -> None:
    added = e.EntropyAdded(seat=0, words="suerte")
    kept = added.anonymous()
    assert kept.added == Digest.of("suerte")
    assert kept.anonymous() == kept, "the digest of a digest would be something else"
    assert added.added == "suerte"


def test_fields_of_older_logs_are_passed_over_and_unknown_kinds_are_not() -> None:
    assert e.read_event({"kind": "left", "seat": 1, "id": "an old key"}) == e.Left(seat=1)
    with pytest.raises(ValidationError):
        e.read_event({"kind": "exploded"})
    with pytest.raises(ValidationError):
        e.read_event({"kind": "moved", "seat": 1})


def test_events_do_not_change() -> None:
    for event in all_examples():
        with pytest.raises(ValidationError):
            event.kind = "left"


@pytest.mark.parametrize(
    "told", [{"game": "Rosa"}, {"options": {"Rosa": 1}}, {"options": {"edition": "Rosa"}}, {"seats": ["Rosa"]}]
)
def test_what_is_nobodys_cannot_be_somebodys(told: dict[str, Any]) -> None:
    """Texts that are kept for ever are refused unless they are on a list of ours."""
    seats = [m.SeatPlan(kind="engine", player=player) for player in told.pop("seats", ["greedy"])]
    new = m.NewRoom(**{"game": "callisto"} | told, seats=[*seats, m.SeatPlan(kind="me")])
    with pytest.raises(SobremesaError):
        Room.create("room", new, "ana", 1.0, Resources({"callisto": ["greedy"]}))


def test_talk_of_the_forgotten_is_nobodys() -> None:
    """The lines of talk that a room has after it is read again, too."""
    new = m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me"), m.SeatPlan(kind="me", name="Rosa")], name="Ana")
    transition = Room.create("room", new, "ana", 1.0, Resources())
    log = list(transition.entries)
    for command in (
        m.Say(type="say", id="a", text="my secret"),
        m.Phrase(type="phrase", id="b", phrase="hello"),
        m.Leave(type="leave", id="c", seat=1),
    ):
        transition = transition.successor.handle(command, "ana", 2.0)
        log += transition.entries
    lines = Room.replay("room", [entry.anonymous() if entry.person else entry for entry in log]).talk
    assert [line.kind for line in lines] == ["seated", "seated", "begun", "said", "phrase", "left"]
    text = repr(lines)
    assert not any(word in text for word in ("Rosa", "Ana", "secret", "hello", "ana"))
    assert "Rosa" in repr(transition.successor.talk)
