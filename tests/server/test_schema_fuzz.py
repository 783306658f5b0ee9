"""The whole HTTP interface, asked all that its own description allows and much that it does not."""

import datetime
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CHECKS, load_all_checks

from server.serving import Server, serving
from sobremesa.server.schema import openapi

api = schemathesis.pytest.from_fixture("described")
load_all_checks()
CHECKED: list[Any] = [
    CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
        "unsupported_method",
    )
]


class Place:
    """A running server with rooms in it, one of them with a finished game."""

    def __init__(self, server: Server, http: httpx.Client) -> None:
        self.server, self.http = server, http
        me, open, engine = {"kind": "me"}, {"kind": "open"}, {"kind": "engine", "player": "random"}
        plans: list[dict[str, Any]] = [
            {"game": "knister", "seats": [me]},
            {"game": "isis-osiris", "seats": [me, engine], "public": True},
            {"game": "callisto", "seats": [me, open], "options": {"edition": "pocket"}},
            {"game": "knister", "seats": [], "crowd": True, "clock": 600},
        ]
        self.rooms = [self.http.post("/api/rooms", json=plan).json()["room"] for plan in plans]
        self.finished = self.rooms[0]
        self._play_out(self.finished)

    def _play_out(self, room: str) -> None:
        while True:
            update = self.http.get(f"/api/rooms/{room}").json()
            if not update["room"]["playing"]:
                return
            move = {"type": "move", "id": "m", "seat": 0, "move": update["legal"]["0"][0], "version": update["version"]}
            self.http.post(
                f"/api/rooms/{room}/commands", json=move | {"id": f"m{update['version']}"}
            ).raise_for_status()


@pytest.fixture(scope="module")
def described() -> Any:
    """What the house says of its interface. Cases are made of it when the test runs, not whenever tests are listed."""
    config = schemathesis.Config()
    rejected = config.projects.default.checks.negative_data_rejection
    rejected.expected_statuses = [*rejected.expected_statuses, "413"]  # What is too large is wrong, too.
    return schemathesis.openapi.from_dict(openapi(), config=config)


@pytest.fixture(autouse=True)
def name(request: pytest.FixtureRequest) -> None:
    """Schemathesis keeps the name of the operation where pytest kept a test's name before version 9.1."""
    request.node._nodeid = request.node.nodeid


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder: Path = tmp_path_factory.mktemp("schema")
    with serving(f"sqlite:///{folder / 'schema.db'}", folder, "--no-limits") as server:
        with httpx.Client(base_url=server.address) as http:
            yield Place(server, http)
        assert "Traceback" not in server.log


usual = settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@api.include(path_regex="^/api/rooms").parametrize()
@usual
def test_every_answer_about_rooms_is_as_described(case: schemathesis.Case[Any], place: Place) -> None:
    ask(case, place)


@api.include(path_regex="^/api/(me|positions)").parametrize()
@usual
def test_every_answer_about_people_and_positions_is_as_described(case: schemathesis.Case[Any], place: Place) -> None:
    ask(case, place)


@api.exclude(path_regex="^/api/(rooms|me|positions)").parametrize()
@usual
def test_every_other_answer_is_as_described(case: schemathesis.Case[Any], place: Place) -> None:
    ask(case, place)


def ask(case: schemathesis.Case[Any], place: Place) -> None:
    """One request, and all that can be said of its answer."""
    if case.meta is not None and case.meta.generation.mode.is_positive:
        steer(case, place, Random(repr((case.path_parameters, case.query, case.body))))
    # Whoever deletes everything of theirs is somebody new, who has nothing to lose.
    cookies = {} if case.method == "DELETE" else dict(place.http.cookies)
    case.call_and_validate(base_url=place.server.address, checks=CHECKED, cookies=cookies)


def steer(case: schemathesis.Case[Any], place: Place, random: Random) -> None:
    """What is right by the letter is mostly a room that does not exist: names some that do, most of the time."""
    known: dict[str, list[Any]] = {
        "room": [place.finished] if case.path.endswith(("/record", "/replay")) else place.rooms,
        "number": [1],
        "game": ["knister", "callisto"],
        "date": [str(datetime.datetime.now(datetime.UTC).date()), "2020-02-29"],
    }
    for name in case.path_parameters or {}:
        if random.random() < 0.8:
            case.path_parameters[name] = random.choice(known[name])
    if case.path.endswith("/updates"):
        case.query = {**(case.query or {}), "wait": random.choice([0, 0.01, -1])}
    if case.path.startswith("/api/positions") and isinstance(case.body, dict):
        asked: dict[str, list[Any]] = {
            "game": ["knister", "isis-osiris", "callisto"],
            "position": [None],
            "options": [{}, {"starter": 0}],
            "seat": [None, 0],
            "move": [None, "h1", "T", "c3"],
            "outcome": [None],
        }
        for name, choices in asked.items():
            if random.random() < 0.85:
                case.body[name] = random.choice(choices)
    if case.path == "/api/rooms" and isinstance(case.body, dict):
        right: dict[str, list[Any]] = {
            "game": ["knister", "isis-osiris", "callisto"],
            "options": [{}, {"starter": 0}],
            "seats": [[{"kind": "me"}, {"kind": "open"}], [{"kind": "me"}, {"kind": "engine"}], [{"kind": "me"}] * 3],
            "games": [1],
            "crowd": [False],
        }
        for name, choices in right.items():
            if random.random() < 0.85:
                case.body[name] = random.choice(choices)
