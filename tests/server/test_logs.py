"""No secret reaches the log, wherever somebody has put it; and what does reach it can be read."""

import io
import json
import logging
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.server.logs import HIDDEN, MAX_FIELD_LENGTH, Plain, Structured, censored, set_up
from sobremesa.server.people import COOKIE, PersonTokens

KEY = bytes(range(32))
TOKEN = PersonTokens(KEY).new_token()
HEX = secrets.token_hex(32)
SECRETS = {
    "token": (TOKEN, TOKEN),
    "token in a sentence": (f"somebody came with {TOKEN}.", TOKEN),
    "token glued to words": (f"x{TOKEN}x", TOKEN),
    "our cookie": (f"{COOKIE}={TOKEN}; Path=/", TOKEN),
    "our cookie, not signed": (f"a=b; {COOKIE}=swordfish", "swordfish"),
    "cookie header": ("Cookie: theme=dark; session=swordfish", "swordfish"),
    "set-cookie header": ("set-cookie: session=swordfish; HttpOnly", "swordfish"),
    "cookie in a dict": (str({"cookie": "session=swordfish; theme=dark"}), "swordfish"),
    "cookie in JSON": (json.dumps({"cookie": "session=swordfish"}), "swordfish"),
    "cookie in JSON in JSON": (json.dumps(json.dumps({"cookie": "session=swordfish"})), "swordfish"),
    "cookie in ASGI's headers": (str([(b"host", b"x"), (b"cookie", b"session=swordfish")]), "swordfish"),
    "authorization header": ("Authorization: Bearer swordfish", "swordfish"),
    "authorization in a dict": (str({"Authorization": "Basic c3dvcmRmaXNo"}), "c3dvcmRmaXNo"),
    "bearer": ("it said bearer swordfish99", "swordfish99"),
    "proxy": ("Proxy-Authorization: Digest swordfish", "swordfish"),
    "hex": (HEX, HEX),
    "hex in capitals": (f"secret {HEX.upper()}", HEX.upper()),
    "hex cut short": (f"{HEX[:62]}...", HEX[:40]),
    "bytea": (f"\\x{HEX}", HEX),
    "bytes": (repr(b"\x00swordfish\xff"), "swordfish"),
    "long bytes": (repr(b"swordfish, swordfish, swordfish"), "swordfish"),
    "parameters": ("[SQL: INSERT ...]\n[parameters: ('room', 3, 'swordfish')]\n(Background: ...)", "swordfish"),
    "refused row": ("null value\nDETAIL:  Failing row contains (room, 3, swordfish).", "swordfish"),
    "password in a URL": ("postgresql+asyncpg://ana:sword/fish@db.example/table", "sword"),
    "password of Redis": ("redis://:swordfish@127.0.0.1:6379/0", "swordfish"),
    "password": ("password=swordfish", "swordfish"),
    "field": ("seat_token: swordfish", "swordfish"),
}
FORMATTERS = pytest.mark.parametrize("formatter", [Structured(), Plain()], ids=["json", "plain"])
KINDS = pytest.mark.parametrize(("text", "secret"), SECRETS.values(), ids=SECRETS)


def written(formatter: logging.Formatter, say: Callable[[logging.Logger], object]) -> str:
    """What a logger writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    logger = logging.Logger("sobremesa.test")
    logger.addHandler(handler)
    say(logger)
    return stream.getvalue()


@FORMATTERS
@KINDS
def test_no_secret_comes_through(formatter: logging.Formatter, text: str, secret: str) -> None:
    class Thing:
        def __str__(self) -> str:
            return text

        __repr__ = __str__

    def fail(log: logging.Logger) -> None:
        try:
            try:
                raise KeyError(text)
            except KeyError as error:
                error.add_note(text)
                raise RuntimeError(text) from error
        except RuntimeError:
            log.exception("it failed")

    def warn_and_stack(log: logging.Logger) -> None:
        log.warning("here", stack_info=True, extra={"stack_of": text})

    ways: list[Callable[[logging.Logger], object]] = [
        lambda log: log.warning(text.replace("%", "%%")),
        lambda log: log.warning("said: %s", text),
        lambda log: log.warning("said: %r", text),
        lambda log: log.warning("said: %r", f"first\n{text}"),
        lambda log: log.warning("said: %(what)s", {"what": text}),
        lambda log: log.warning("said: %s", Thing()),
        lambda log: log.warning("too few: %s %s", text),
        lambda log: log.warning("not a number: %d", text),
        lambda log: log.warning("x", extra={"what": text}),
        lambda log: log.warning("x", extra={"what": Thing()}),
        lambda log: log.warning("x", extra={"what": {"deep": [{"deeper": text}]}}),
        lambda log: log.warning("x", extra={"what": {text: 1}}),
        lambda log: log.warning("x", extra={"what": text.encode()}),
        fail,
        warn_and_stack,
    ]
    for number, say in enumerate(ways):
        line = written(formatter, say)
        assert secret not in line, number
        assert line.strip(), "but something was said"


@FORMATTERS
def test_fields_with_telling_names_are_hidden_whatever_they_hold(formatter: logging.Formatter) -> None:
    held: dict[str, Any] = {
        "headers": {"Cookie": "swordfish", "authorization": "swordfish", "X-Api-Key": "swordfish"},
        "pairs": [("cookie", "swordfish")],
        "seat_token": "swordfish",
        "secret": b"swordfish",
        "number": int.from_bytes(b"swordfish" * 4),
    }
    line = written(formatter, lambda log: log.warning("x", extra=held))
    assert "swordfish" not in line
    assert str(held["number"]) not in line
    assert HIDDEN in line


@given(before=st.text(max_size=40), after=st.text(max_size=40))
def test_no_surroundings_help_a_token_or_a_secret_through(before: str, after: str) -> None:
    for secret in (TOKEN, HEX):
        assert secret not in censored(before + secret + after)


@given(st.text(alphabet="ab0.-_ cookie:='\"\\\n{}[]@/", max_size=200))
def test_any_text_gives_one_line_of_json(text: str) -> None:
    line = written(Structured(), lambda log: log.warning("%s", text, extra={"what": text}))
    assert line.count("\n") == 1
    assert set(json.loads(line)) == {"time", "level", "logger", "message", "what"}


def test_a_secret_that_is_cut_in_two_is_hidden_too() -> None:
    for before in range(MAX_FIELD_LENGTH - 66, MAX_FIELD_LENGTH + 1, 3):
        for filler in ("x ", "x."):
            text = censored((filler * MAX_FIELD_LENGTH)[:before] + TOKEN)
            assert TOKEN[:12] not in text


@pytest.mark.parametrize(
    "piece", ["a", "-a", "a.", "f", "b'", "\\", "cookie", "cookie: ", "'cookie': '", "x://", "token=", "[parameters: "]
)
def test_a_text_made_to_keep_us_busy_does_not(piece: str) -> None:
    began = time.process_time()
    censored(piece * 100_000, 4 * MAX_FIELD_LENGTH)
    assert time.process_time() - began < 2


def test_what_a_json_line_holds() -> None:
    def fail(log: logging.Logger) -> None:
        try:
            raise ValueError("the tile is upside down")
        except ValueError:
            log.exception("a command broke", extra={"room": "abc", "version": 3, "share": float("nan"), "time": 0})

    line = json.loads(written(Structured(), fail))
    assert line["level"] == "error"
    assert line["logger"] == "sobremesa.test"
    assert line["message"] == "a command broke"
    assert (line["room"], line["version"], line["share"]) == ("abc", 3, "nan")
    assert line["error"] == "builtins.ValueError"
    assert "the tile is upside down" in line["traceback"]
    assert "in fail" in line["traceback"]
    time.strptime(line["time"], "%Y-%m-%dT%H:%M:%S.%fZ")


def test_a_plain_line_is_one_line_whatever_somebody_calls_themselves() -> None:
    line = written(
        Plain(), lambda log: log.warning("%s came", "Ana\n12:00:00 error: \x1b[2Jall is lost", extra={"n": 1})
    )
    assert line.count("\n") == 1
    assert "\x1b" not in line
    assert line[2] == line[5] == ":"
    assert line[8:] == " warning: Ana\\n12:00:00 error: \\x1b[2Jall is lost came (n=1)\n"


def test_ordinary_sentences_stay_as_they_are() -> None:
    for text in (
        "Redis is away; trying again",
        "room uV3xA9-_kQz1 has a new version 12",
        "an engine's move was refused",
        'File "sobremesa/server/actor.py", line 121, in _work',
        "Application startup complete.",
        "127.0.0.1:5000 - 200",
    ):
        assert censored(text) == text


def test_paths_in_access_logs_come_without_their_queries() -> None:
    access = logging.makeLogRecord(
        {
            "name": "uvicorn.access",
            "msg": '%s - "%s %s HTTP/%s" %d',
            "args": ("192.0.2.1:5000", "GET", "/api/rooms/abc?key=\"sword'fish", "1.1", 200),
        }
    )
    socket = logging.makeLogRecord(
        {
            "name": "uvicorn.error",
            "msg": '%s - "WebSocket %s" [accepted]',
            "args": ("192.0.2.1:5", "/it?sword=fish"),
        }
    )
    assert json.loads(Structured().format(access))["message"] == '192.0.2.1:5000 - "GET /api/rooms/*** HTTP/1.1" 200'
    assert json.loads(Structured().format(socket))["message"] == '192.0.2.1:5 - "WebSocket /it" [accepted]'


def run(program: str) -> list[str]:
    """What a process writes to stderr."""
    done = subprocess.run(
        [sys.executable, "-c", program, TOKEN], stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    return done.stderr.splitlines()


def test_everything_that_a_process_says_is_json_and_censored() -> None:
    lines = run(
        """
import asyncio, logging, sys, threading, warnings
from sobremesa.server.logs import set_up
set_up("debug")
token = sys.argv[1]
logging.getLogger("sobremesa.hub").debug("for those who look closely: %s", token)
logging.getLogger("aiosqlite").debug("a library's parameters: swordfish")
logging.getLogger("asyncpg").info("a library: %s", token)
warnings.warn(token)
thread = threading.Thread(target=lambda: int(token)); thread.start(); thread.join()
async def forgotten():
    asyncio.get_running_loop().call_exception_handler({"message": "lost", "exception": ValueError(token)})
asyncio.run(forgotten())
raise ValueError(token)
"""
    )
    said = [json.loads(line) for line in lines]
    assert [line["logger"] for line in said] == [
        "sobremesa.hub", "asyncpg", "py.warnings", "sobremesa", "asyncio", "sobremesa",
    ]  # fmt: skip
    assert said[-1]["level"] == "critical"
    assert TOKEN not in "".join(lines)
    assert "swordfish" not in "".join(lines)


def test_a_real_uvicorn_says_neither_queries_nor_cookies() -> None:
    lines = run(
        """
import http.client, sys, threading, time, uvicorn
from sobremesa.server.logs import set_up
set_up("info")
async def app(scope, receive, send):
    if scope["type"] == "http" and scope["path"] == "/broken":
        raise RuntimeError(str(scope["headers"]))
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})
server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
thread = threading.Thread(target=server.run); thread.start()
while not server.started: time.sleep(0.05)
port = server.servers[0].sockets[0].getsockname()[1]
headers = {"Cookie": f"sobremesa_person={sys.argv[1]}; other=swordfish", "Authorization": "Bearer swordfish"}
for path in ("/fine?key=swordfish", "/broken?key=swordfish"):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers=headers)
    connection.getresponse().read()
    connection.close()
server.should_exit = True
thread.join()
"""
    )
    said = [json.loads(line) for line in lines]
    access = [line["message"] for line in said if line["logger"] == "uvicorn.access"]
    assert [message.partition(" - ")[2] for message in access] == [
        '"GET /fine HTTP/1.1" 200',
        '"GET /broken HTTP/1.1" 500',
    ]
    assert any(line.get("error") == "builtins.RuntimeError" for line in said)
    assert TOKEN not in "".join(lines)
    assert "swordfish" not in "".join(lines)


def test_a_connection_that_cannot_be_closed_is_a_line_and_no_traceback() -> None:
    """The pool says so when a database that is away keeps whoever closes it waiting."""
    lines = run(
        """
import asyncio, contextlib
from sobremesa.server.logs import set_up
from sobremesa.server.database import open_engine
set_up()
class Away:
    def terminate(self):
        raise asyncio.CancelledError
with contextlib.suppress(asyncio.CancelledError):
    open_engine("postgresql://127.0.0.1/nowhere").pool._close_connection(Away(), terminate=True)
"""
    )
    [said] = [json.loads(line) for line in lines]
    assert said["level"] == "warning"
    assert said["message"] == "a connection to the database could not be given back (CancelledError)"
    assert "traceback" not in said


def test_an_unknown_level_is_an_error() -> None:
    with pytest.raises(KeyError):
        set_up("loud")
