"""HTTP by example: rooms, invitations, seats, rematches, talk, errors, records. Everything through a real server."""

import hashlib
import json
import re
import secrets
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest
import segno

from kinds import KINDS, Kind
from server.serving import Server, serving
from sobremesa.core.language import Language
from sobremesa.engines import PLAYERS
from sobremesa.games import GAMES
from sobremesa.server.people import COOKIE
from sobremesa.table import loads, verify

Json = dict[str, Any]
SMALL = [kind for kind in KINDS if kind.options["seats"] <= 12]


class Person:
    """Somebody with a browser: the cookie of the first answer says who they are."""

    def __init__(self, address: str, language: str = "en") -> None:
        # No HTTPS on this machine: an empty context saves reading all certificates again and again.
        plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        headers = {"Accept-Language": language}
        self.http = httpx.Client(base_url=address, headers=headers, timeout=40, verify=plain)

    def create(self, game: str, *seats: str, **setup: Any) -> httpx.Response:
        plans = [{"kind": seat} if seat in ("me", "open") else {"kind": "engine", "player": seat} for seat in seats]
        return self.http.post("/api/rooms", json={"game": game, "seats": plans, "name": "Ana"} | setup)

    def open_room(self, game: str, *seats: str, **setup: Any) -> str:
        answer = self.create(game, *seats, **setup)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["room"])

    def command(self, room: str, type: str, **fields: Any) -> httpx.Response:
        message = {"type": type, "id": secrets.token_hex(6)} | fields
        return self.http.post(f"/api/rooms/{room}/commands", json=message)

    def do(self, room: str, type: str, **fields: Any) -> int:
        answer = self.command(room, type, **fields)
        assert answer.status_code == 200, answer.text
        return int(answer.json()["version"])

    def refused(self, room: str, type: str, **fields: Any) -> str:
        """The reason; a refusal changes nothing."""
        before = self.look(room)["version"]
        answer = self.command(room, type, **fields)
        assert answer.status_code >= 400, answer.text
        assert self.look(room)["version"] == before
        return str(answer.json()["reason"])

    def look(self, room: str) -> Json:
        return self._json(f"/api/rooms/{room}")

    def room(self, room: str) -> Json:
        """What is told around the game."""
        told: Json = self.look(room)["room"]
        return told

    def news(self, room: str, version: int) -> Json:
        """The next update after a version."""
        update = self._json(f"/api/rooms/{room}/updates?version={version}&wait=20")
        assert update["version"] > version, "nothing happens any more"
        return update

    def talk(self, room: str, version: int = 0) -> list[Json]:
        """The lines after a version."""
        return [line for line in self.look(room)["talk"] if line["version"] > version]

    def _json(self, path: str) -> Json:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        told: Json = answer.json()
        return told


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("api")
    with serving(f"sqlite:///{folder / 'api.db'}", folder, "--no-limits") as server:
        yield server
        assert "Traceback" not in server.log


NewPerson = Callable[..., Person]


@pytest.fixture
def person(server: Server) -> Iterator[NewPerson]:
    """Makes people who have never been here."""
    with ExitStack() as leaving:

        def arrive(language: str = "en") -> Person:
            somebody = Person(server.address, language)
            leaving.callback(somebody.http.close)
            return somebody

        yield arrive


def play_out(room: str, *people: Person) -> Json:
    """Plays the running game to its end, everybody always the last move of the list; returns the last update."""
    while True:
        for somebody in people:
            update = somebody.look(room)
            if not update["room"]["playing"]:
                return update
            for seat, moves in update["legal"].items():
                somebody.do(room, "move", seat=int(seat), move=moves[-1], version=update["version"])


# -- opening a room ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SMALL, ids=str)
def test_a_room_for_every_game_edition_and_variant(kind: Kind, person: NewPerson) -> None:
    ana = person()
    options = {name: value for name, value in kind.options.items() if name != "seats"}
    room = ana.open_room(kind.game.id, *["me"] * kind.options["seats"], options=options)
    update = ana.look(room)
    assert update["room"]["game"] == kind.game.id
    assert update["room"]["playing"], "all seats are taken"
    for view in update["steps"][-1]["views"]:
        assert {name: view["options"][name] for name in kind.options} == kind.options
    everybody = list(range(kind.options["seats"]))
    assert sorted(map(int, update["legal"])) == (everybody if kind.game.id == "knister" else [options["starter"]])


def test_the_games_and_how_their_tables_are_set(person: NewPerson) -> None:
    told = {game["id"]: game for game in person().http.get("/api/games").json()}
    assert list(told) == list(GAMES)
    for game in GAMES.values():
        options = {option["name"]: option for option in told[game.id]["options"]}
        assert {name: option["default"] for name, option in options.items()} == {
            option.name: option.default for option in game.options
        }
        assert told[game.id]["aim"] == Language("en").say(game.aim)
    (edition, *_) = told["callisto"]["options"]
    assert (edition["label"], [choice["value"] for choice in edition["choices"]]) == ("Edition", ["classic", "pocket"])
    spanish = person().http.get("/api/games?language=es").json()
    assert spanish[0]["options"][0]["label"] == "Edición"
    assert [game["seats"]["choices"] for game in told.values()] == [[2, 3, 4], [2, 3, 4], [*range(1, 13)]]
    assert {player["id"] for player in told["knister"]["players"]} == set(PLAYERS)
    assert "well played" in told["knister"]["phrases"]


def test_computer_players_have_a_level_and_a_name_in_ones_language(person: NewPerson) -> None:
    def players(query: str = "", language: str = "en") -> dict[str, tuple[int, str]]:
        games = person(language).http.get(f"/api/games{query}").json()
        told = [{player["id"]: (player["level"], player["name"]) for player in game["players"]} for game in games]
        assert all(one == told[0] for one in told)
        return told[0]

    english = players()
    levels = [level for level, _ in english.values() if level]
    assert levels == list(range(1, len(levels) + 1)), "the weakest first"
    assert english["greedy"][0] == 0, "outside the levels"
    assert players(language="es-MX,es") == players("?language=es") != english
    assert players("?language=fr", language="es") == players(language="fr")
    assert {name: level for name, (level, _) in players("?language=nl").items()} == {
        name: level for name, (level, _) in english.items()
    }
    assert person().http.get("/api/games?language=xx").status_code == 422


def test_a_room_is_private_until_its_host_says_otherwise(person: NewPerson) -> None:
    ana, bob = person(), person()
    private = ana.open_room("callisto", "me", "open")
    public = ana.open_room("knister", "me", "open", "open", "greedy", public=True)
    lobby = {room["id"]: room for room in bob.http.get("/api/rooms").json()}
    assert private not in lobby
    listed = lobby[public]
    assert (listed["game"], listed["seats_taken"], listed["seats_open"], listed["playing"]) == ("knister", 2, 2, False)
    assert bob.refused(private, "manage", public=True) == "forbidden"
    assert ana.refused(private, "manage", public=True) == "taken", "one seat each at public tables that wait"
    ana.do(public, "manage", public=False)
    ana.do(private, "manage", public=True)
    lobby = {room["id"]: room for room in bob.http.get("/api/rooms").json()}
    assert private in lobby
    assert public not in lobby


@pytest.mark.parametrize(
    ("game", "seats", "setup", "says"),
    [
        ("callisto", ["me"], {}, "seats cannot be 1"),
        ("callisto", ["me", "me"], {"options": {"edition": "gold"}}, "edition cannot be gold"),
        ("callisto", ["me", "me"], {"options": {"seats": 3}}, "list of their own"),
        ("callisto", ["me", "me", "me"], {"games": 2}, "C11"),
        ("callisto", ["me"], {"crowd": True}, "not for crowds"),
        ("knister", [], {"crowd": True, "options": {"hats": 1}}, "no option “hats”"),
        ("knister", ["me"], {"options": {"starter": 1}}, "seat 1 cannot start"),
        ("knister", ["me", "nobody"], {}, "no player “nobody”"),
        ("chess", ["me", "me"], {}, "chess"),
        ("knister", ["me"], {"name": "\u202eAna"}, "name"),
        ("knister", ["me"], {"language": "de"}, "language"),
        ("knister", ["me"], {"clock": -1}, "clock"),
        ("knister", ["me"], {"colour": "red"}, "colour"),
    ],
)
def test_tables_that_cannot_be_set(game: str, seats: list[str], setup: Json, says: str, person: NewPerson) -> None:
    answer = person().create(game, *seats, **setup)
    assert answer.status_code == 422
    assert answer.json()["reason"] == "malformed"
    assert says in answer.json()["text"]


# -- inviting and joining ---------------------------------------------------------------------------------------------


def test_who_asks_again_with_the_same_id_gets_the_room_that_there_is(person: NewPerson) -> None:
    """A lost answer must not replace a commitment, nor leave a second room behind."""
    ana, bob = person(), person()
    setup: Json = {"id": "open-1", "game": "knister", "seats": [{"kind": "me"}, {"kind": "open"}]}

    def ask(somebody: Person, **changed: str) -> Json:
        somebody.http.get("/api/me")
        answer = somebody.http.post("/api/rooms", json=setup | changed)
        assert answer.status_code == 201, answer.text
        created: Json = answer.json()
        return created

    first = ask(ana)
    promised = ana.room(first["room"])["promises"]
    assert ask(ana) == first
    assert ana.room(first["room"])["promises"] == promised
    assert len(ana.http.get("/api/me").json()["rooms"]) == 1
    assert ask(bob)["room"] != first["room"], "another person's id is another id"
    assert ask(ana, id="open-2")["room"] != first["room"]
    setup |= {"seats": [], "crowd": True}
    crowd = ask(ana, id="open-3")
    assert re.fullmatch("[A-Z]{6}", crowd["room"]), "a code that can be typed"
    assert ask(ana, id="open-3") == crowd


def test_the_invitation_is_the_rooms_address_and_nothing_else(server: Server, person: NewPerson) -> None:
    ana, bob = person(), person()
    created = ana.create("callisto", "me", "open").json()
    room = created["room"]
    assert created["path"] == f"/r/{room}"
    token = ana.http.cookies[COOKIE]
    assert token not in json.dumps(created)

    answer = ana.http.get(f"/api/rooms/{room}/qr.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    code = segno.make(f"{server.address}/r/{room}", error="m")
    assert drawn(answer.text) == drawn(code.svg_inline())
    assert drawn(answer.text) != drawn(segno.make(f"{server.address}/r/{room}?{token}", error="m").svg_inline())
    assert bob.http.get(f"/api/rooms/{room}/qr.svg").text == answer.text, "the same for whoever shows it"


def drawn(svg: str) -> str:
    """The dark squares of a QR code, whatever its size and colours; raises if the picture is not well-formed."""
    picture = ElementTree.fromstring(svg)
    paths = [element for element in picture.iter() if element.tag.endswith("path") and element.get("stroke")]
    assert picture.tag.endswith("svg")
    assert len(paths) == 1
    return paths[0].attrib["d"]


def test_whoever_has_the_link_joins_and_a_full_table_begins(person: NewPerson) -> None:
    ana, bob = person(), person()
    path = ana.create("callisto", "me", "open").json()["path"]
    page = bob.http.get(path)
    assert page.headers["content-type"].startswith("text/html")
    room = path.removeprefix("/r/")
    around = bob.room(room)
    assert (around["host"], around["playing"]) == (False, False)
    assert around["seats"]["0"] == {"kind": "person", "name": "Ana", "yours": False, "here": False}
    assert around["seats"]["1"]["kind"] == "open"
    bob.do(room, "sit", name="Bob")
    update = ana.look(room)
    assert update["room"]["playing"]
    assert update["room"]["seats"]["1"]["name"] == "Bob"
    assert bob.room(room)["seats"]["1"]["yours"]
    assert list(update["legal"]) == ["0"]


def test_seats_are_taken_and_left(person: NewPerson) -> None:
    ana, bob, eve = person(), person(), person()
    room = ana.open_room("isis-osiris", "me", "open", "open")
    assert bob.refused(room, "sit", name="Bob", seat=0) == "taken"
    assert bob.refused(room, "sit", name="Bob", seat=7) == "malformed"
    bob.do(room, "sit", name="Bob", seat=2)
    assert eve.refused(room, "leave", seat=2) == "forbidden"
    bob.do(room, "leave", seat=2)
    assert ana.room(room)["seats"]["2"]["kind"] == "open"
    bob.do(room, "sit", name="Bob")
    assert ana.room(room)["seats"]["1"]["name"] == "Bob"
    ana.do(room, "leave", seat=1)
    assert ana.room(room)["seats"]["1"]["kind"] == "open", "the host may free any seat"


def test_a_host_who_frees_a_seat_twice_by_mistake_has_freed_it_once(person: NewPerson) -> None:
    """The id of a command is its sender's own, also when it is somebody else's seat."""
    ana, bob = person(), person()
    room = ana.open_room("isis-osiris", "me", "open", "open")
    bob.do(room, "sit", name="Bob", seat=1)
    version = ana.do(room, "leave", seat=1, id="same-id")
    assert ana.do(room, "leave", seat=1, id="same-id") == version
    bob.do(room, "sit", name="Bob", seat=1)
    assert bob.do(room, "leave", seat=1, id="same-id") == version + 2


def test_a_computer_takes_an_open_seat_and_plays(person: NewPerson) -> None:
    ana, eve = person(), person()
    room = ana.open_room("callisto", "me", "open", options={"edition": "pocket"})
    assert eve.refused(room, "engine", seat=1, player="greedy") == "forbidden"
    assert ana.refused(room, "engine", seat=1, player="nobody") == "malformed"
    assert ana.refused(room, "engine", seat=0, player="greedy") == "taken"
    ana.do(room, "engine", seat=1, player="greedy")
    update = ana.look(room)
    version = ana.do(room, "move", seat=0, move=update["legal"]["0"][0], version=update["version"])
    update = ana.news(room, version)
    assert [(step["version"], step["seat"]) for step in update["steps"]] == [(version + 1, 1)]
    assert update["legal"]["0"], "and it is Ana's turn again"


def test_a_computer_replaces_who_left_in_the_middle(person: NewPerson) -> None:
    ana, bob, eve = person(), person(), person()
    room = ana.open_room("callisto", "me", "open", options={"edition": "pocket", "starter": 1})
    bob.do(room, "sit", name="Bob")
    ana.do(room, "leave", seat=0)
    assert bob.room(room)["seats"]["0"]["kind"] == "gone"
    assert eve.refused(room, "engine", seat=0, player="random") == "forbidden"
    bob.do(room, "engine", seat=0, player="random")
    update = bob.look(room)
    version = bob.do(room, "move", seat=1, move=update["legal"]["1"][0], version=update["version"])
    assert bob.news(room, version)["steps"][0]["seat"] == 0


def test_the_host_gives_a_computers_seat_to_a_person(person: NewPerson) -> None:
    ana, bob = person(), person()
    room = ana.open_room("callisto", "me", "greedy", wait=True)
    assert bob.refused(room, "sit", name="Bob", seat=1) == "taken"
    assert bob.refused(room, "leave", seat=1) == "forbidden"
    ana.do(room, "leave", seat=1)
    bob.do(room, "sit", name="Bob", seat=1)
    assert ana.room(room)["seats"]["1"]["name"] == "Bob"


def test_a_computer_that_is_replaced_while_it_thinks(person: NewPerson) -> None:
    ana = person()
    room = ana.open_room("callisto", "me", "greedy", options={"starter": 1}, wait=True)
    ana.do(room, "start")
    version = ana.do(room, "engine", seat=1, player="random")
    update = ana.look(room)
    while "0" not in update["legal"]:
        update = ana.news(room, max(version, update["version"]))
    assert update["legal"]["0"], "the other one has moved"


def test_a_table_that_waits_for_its_host(person: NewPerson) -> None:
    ana, bob = person(), person()
    room = ana.open_room("knister", "me", "open", wait=True)
    assert ana.refused(room, "start") == "early"
    bob.do(room, "sit", name="Bob")
    assert bob.refused(room, "start") == "forbidden"
    assert not ana.room(room)["playing"]
    ana.do(room, "start")
    assert ana.room(room)["playing"]
    assert ana.refused(room, "start") == "late"


# -- one game after another -------------------------------------------------------------------------------------------


def test_a_rematch_starts_with_the_next_seat_and_a_series_adds_up(person: NewPerson) -> None:
    ana, bob, eve = person(), person(), person()
    room = ana.open_room("callisto", "me", "open", options={"edition": "pocket"}, games=2)
    bob.do(room, "sit", name="Bob")
    around = play_out(room, ana, bob)["room"]
    first = record(eve, room, 1)["result"]["scores"]
    assert (around["number"], around["next_starter"]) == (1, 1)
    assert around["series"]["scores"] == first
    assert eve.refused(room, "start") == "forbidden"
    bob.do(room, "start")
    assert ana.room(room)["offer"] == {"what": "again", "seat": 1, "agreed": [1]}
    assert ana.room(room)["number"] == 1, "nobody's result is taken away"
    ana.do(room, "start")
    assert list(ana.look(room)["legal"]) == []
    assert list(bob.look(room)["legal"]) == ["1"]
    around = play_out(room, ana, bob)["room"]
    second = record(eve, room, 2)["result"]["scores"]
    sums = [a + b for a, b in zip(first, second, strict=True)]
    assert around["series"]["scores"] == sums
    places = [1, 1] if sums[0] == sums[1] else [1, 2] if sums[0] < sums[1] else [2, 1]
    assert around["series"]["places"] == places, "C11: the lowest sum wins, equal sums share the place"
    ana.do(room, "start")
    bob.do(room, "answer", yes=True)
    update = ana.look(room)
    assert (update["room"]["number"], list(update["legal"])) == (3, ["0"])


def test_what_happened_in_an_earlier_game_keeps_its_number(person: NewPerson) -> None:
    ana = person()
    room = ana.open_room("knister", "me")
    before = play_out(room, ana)["version"] - 2
    first, second = ana.room(room)["promises"]
    ana.do(room, "start")
    assert [(line["kind"], line["game"]) for line in ana.talk(room, before)] == [("ended", 1), ("begun", 2)]
    assert (first["game"], second["game"]) == (1, 2)
    (playing,) = ana.room(room)["promises"]
    assert playing == {**second, "call": playing["call"]}, "the promise of the game that is being played"
    assert (second["call"], playing["call"] is None) == (None, False), "it is called at the start"


def test_the_result_is_told_in_the_same_form_for_every_game(person: NewPerson) -> None:
    for game, setup in (("callisto", {"options": {"edition": "pocket"}}), ("isis-osiris", {}), ("knister", {})):
        ana = person()
        room = ana.open_room(game, "me", "me", **setup)
        around = ana.room(room)
        assert (around["playing"], around["over"], around["result"]) == (True, False, None)
        around = play_out(room, ana)["room"]
        assert (around["playing"], around["over"]) == (False, True)
        told = record(ana, room, 1)["result"]
        assert around["result"] == {name: {"0": a, "1": b} for name, (a, b) in told.items()}
        ana.do(room, "start")
        around = ana.room(room)
        assert (around["playing"], around["over"], around["result"]) == (True, False, None), "a rematch"


# -- talking ----------------------------------------------------------------------------------------------------------


def test_phrases_and_free_text_and_the_host_who_switches_it_off(person: NewPerson) -> None:
    ana, bob, eve = person(), person(), person()
    room = ana.open_room("callisto", "me", "open")
    bob.do(room, "sit", name="Bob")
    before = ana.look(room)["version"]
    bob.do(room, "phrase", phrase="good luck")
    bob.do(room, "say", text="¡Que gane el mejor! 🎲")
    phrase, said = ana.talk(room, before)
    assert (phrase["kind"], phrase["seat"], phrase["name"], phrase["phrase"]) == ("phrase", 1, "Bob", "good luck")
    assert (said["kind"], said["name"], said["text"]) == ("said", "Bob", "¡Que gane el mejor! 🎲")
    assert said["at"] >= phrase["at"] > 1.7e9
    assert bob.refused(room, "phrase", phrase="you fool") == "malformed"
    assert bob.refused(room, "say", text="a\nb") == "malformed"
    assert bob.refused(room, "say", text="x" * 201) == "malformed"
    assert eve.refused(room, "say", text="hello") == "forbidden"
    assert bob.refused(room, "manage", chat=False) == "forbidden"
    ana.do(room, "manage", chat=False)
    assert not bob.room(room)["chat"]
    assert bob.refused(room, "say", text="still there?") == "forbidden"
    bob.do(room, "phrase", phrase="well played")
    ana.do(room, "manage", chat=True)
    bob.do(room, "say", text="thanks")


# -- errors -----------------------------------------------------------------------------------------------------------


def test_errors_are_told_in_the_language_asked_for(person: NewPerson) -> None:
    said = {}
    for language in ("en-GB,en", "es-MX,es;q=0.9", "fr", "nl"):
        ana = person(language)
        room = ana.open_room("knister", "me")
        ana.do(room, "move", seat=0, move="c3", version=ana.look(room)["version"])
        answer = ana.command(room, "move", seat=0, move="c3", version=ana.look(room)["version"])
        assert answer.status_code == 409
        assert (answer.json()["reason"], answer.json()["rule"]) == ("illegal", "K1")
        said[language[:2]] = answer.json()["text"]
    assert said["en"] == "K1: that cell is taken: written numbers stay"
    assert said["es"] == "K1: esa casilla está ocupada: lo escrito, escrito queda"
    assert len(set(said.values())) == 4


def test_the_servers_own_sentences_are_translated_too(person: NewPerson) -> None:
    missing = {person(code).http.get("/api/rooms/nowhere").json()["text"] for code in ("en", "es", "fr", "nl")}
    assert len(missing) == 4
    assert "there is no such room" in missing
    assert person("de").http.get("/api/rooms/nowhere").json()["text"] == "there is no such room"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "reason"),
    [
        ("GET", "/api/rooms/nowhere", b"", 404, "unknown"),
        ("GET", "/api/nothing", b"", 404, "unknown"),
        ("PUT", "/api/rooms", b"", 405, "malformed"),
        ("GET", "/api/rooms/nowhere/games/1/record", b"", 404, "unknown"),
        ("POST", "/api/rooms", b"{", 422, "malformed"),
        ("POST", "/api/rooms", b"[]", 422, "malformed"),
        ("POST", "/api/rooms", b'{"game": "knister", "seats": "me"}', 422, "malformed"),
        ("POST", "/api/rooms", b'{"game": "' + b"x" * 70_000 + b'"}', 413, "malformed"),
        ("POST", "/api/rooms/nowhere/commands", b'{"type": "start", "id": "a"}', 404, "unknown"),
        ("POST", "/api/rooms/nowhere/commands", b'{"type": "dance", "id": "a"}', 422, "malformed"),
    ],
)
def test_an_error_is_a_sentence_and_a_word(
    method: str, path: str, body: bytes, status: int, reason: str, person: NewPerson
) -> None:
    answer = person().http.request(method, path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    told = answer.json()
    assert (told["type"], told["reason"]) == ("refused", reason)
    assert 5 < len(told["text"]) < 300
    assert "Traceback" not in told["text"]


@pytest.mark.parametrize("wait", ["nan", "inf", "-inf", "soon", "1e400"])
def test_a_wait_that_is_no_time_is_refused(wait: str, person: NewPerson) -> None:
    ana = person()
    room = ana.open_room("callisto", "me", "open")
    path = f"/api/rooms/{room}/updates?version={ana.look(room)['version']}&wait={wait}"
    answer = ana.http.get(path)
    assert answer.status_code == 422, answer.text


# -- records and fair chance ------------------------------------------------------------------------------------------


def record(somebody: Person, room: str, number: int) -> Json:
    answer = somebody.http.get(f"/api/rooms/{room}/games/{number}/record")
    assert answer.status_code == 200, answer.text
    told: Json = answer.json()
    return told


def test_the_record_is_for_everybody_with_the_link_once_the_game_is_over(person: NewPerson, tmp_path: Path) -> None:
    ana, bob, eve = person(), person(), person()
    room = ana.open_room("isis-osiris", "me", "open", words="de Ana")
    bob.do(room, "sit", name="Bob", words="van Bob")
    for number in (0, 1, 2):
        answer = eve.http.get(f"/api/rooms/{room}/games/{number}/record")
        assert (answer.status_code, answer.json()["reason"]) == (404, "unknown"), "not while it is being played"
    play_out(room, ana, bob)
    answer = eve.http.get(f"/api/rooms/{room}/games/1/record")
    assert "sobremesa-isis-osiris-1.json" in answer.headers["content-disposition"]
    told = loads(answer.text)
    assert told.names == ("Ana", "Bob")
    assert told.fair is not None
    assert told.fair.words == ((0, "de Ana"), (1, "van Bob"))
    verdict = verify(told)
    assert (verdict.final.over, verdict.fair) == (True, True)

    file = tmp_path / "record.json"
    file.write_bytes(answer.content)
    command = [sys.executable, "-m", "sobremesa", "verify", str(file)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    file.write_text(answer.text.replace("van Bob", "van Eve"))
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0, "other words, other tiles"


def test_the_secret_told_at_the_end_is_the_one_promised_before_the_first_roll(person: NewPerson) -> None:
    ana, bob = person(), person()
    room = ana.open_room("knister", "me", "open")
    [promise] = ana.room(room)["promises"]
    promised = promise["commitment"]
    assert len(promised) == 64
    nobody: dict[str, Any] = {"seals": {}, "call": None, "openings": {}}
    context = promise["context"]
    assert promise == {"game": 1, "commitment": promised, "words": {}, "secret": None, "context": context} | nobody
    ana.do(room, "entropy", seat=0, words="uno dos tres")
    assert bob.refused(room, "entropy", seat=0, words="mine") == "forbidden"
    bob.do(room, "sit", name="Bob")
    [running] = bob.room(room)["promises"]
    assert running == promise | {"words": {"0": "uno dos tres"}, "call": running["call"]}
    assert ana.refused(room, "entropy", seat=0, words="too late") == "late"
    before, after = play_out(room, ana, bob)["room"]["promises"]
    secret = before["secret"]
    assert before == running | {"secret": secret}
    bound = hashlib.sha256(context.encode()).hexdigest()
    assert hashlib.sha256(f"sobremesa promise 2\n{bound}\n{secret}".encode()).hexdigest() == promised
    proof = record(bob, room, 1)["fair"]
    assert (proof["commitment"], proof["words"], proof["secret"]) == (promised, {"0": "uno dos tres"}, secret)
    assert after["commitment"] not in (None, promised), "the next game has a promise of its own"
    assert (after["game"], after["words"], after["secret"]) == (2, {}, None)
