"""What the server tells its operator: one JSON object a line, or plain lines on one's own machine.

Everything is censored as the last thing before it is written: a secret that somebody has put into a message, its
arguments, an extra field or an exception's text does not reach the log.
"""

import logging
import math
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from json import dumps
from types import TracebackType
from typing import Any

HIDDEN = "***"
MAX_FIELD_LENGTH = 8_000
"""Characters of a message or a field; a traceback may have four times as many."""
_HEADER = r"(?:set-)?cookie2?|(?:proxy-)?authorization"
_SECRET = r"passw(?:or)?d|passphrase|secrets?|tokens?|api-?key|signature"
_KEY = rf"(?<![\w-])([\w-]*(?:{_HEADER}|{_SECRET}))"


def _hide_bytes(literal: re.Match[str]) -> str:
    return HIDDEN if "\\x" in literal[0] or len(literal[0]) > 16 else literal[0]


_PATTERNS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), replacement)
    for pattern, replacement in (
        # What a database was told, and what it says of a row that it refuses.
        (r"\[parameters: .*", f"[parameters: {HIDDEN}]"),
        (r"(?-i:DETAIL): .*", f"DETAIL: {HIDDEN}"),
        # Headers and fields in any spelling: Cookie: a=b, "cookie": "a=b", (b'cookie', b'a=b').
        (rf"{_KEY}(\\*['\"]\s*[:,=]\s*|\s*[:=]\s*)b?(\\*['\"]).*?(?:(?<!\\)\3|$)", rf"\1\2\3{HIDDEN}\3"),
        (rf"(?<![\w-])([\w-]*(?:{_HEADER}))(\s*[:=]\s*)(?![\s'\"]|b['\"]|\\).*", rf"\1\2{HIDDEN}"),
        (rf"{_KEY}(\s*[:=]\s*)(?![\s'\"]|b['\"]|\\)[^\s,;)]+", rf"\1\2{HIDDEN}"),
        (r"(sobremesa_\w+)=[^\s;,'\"]+", rf"\1={HIDDEN}"),
        (r"(bearer|basic|digest)\s+[\w.~+/=-]{8,}", rf"\1 {HIDDEN}"),
        # The password in the address of a database.
        (r"(\w://)[^\s@'\"]{0,500}@", rf"\1{HIDDEN}@"),
        # A person's token, whatever it is glued to.
        (r"(?<![\w-])[\w-]{32,}+\.[\w-]{24,}+", HIDDEN),
        # Secrets of fair chance, keys; one that was cut short is still most of a secret.
        (r"(?<![0-9a-f])[0-9a-f]{40,}+", HIDDEN),
        (r"(?:(?<!\w)|(?<=\\n))(?:b'(?:[^'\\]|\\.)*'|b\"(?:[^\"\\]|\\.)*\")", _hide_bytes),
    )
)
_SECRET_KEY = re.compile(f"{_HEADER}|{_SECRET}", re.IGNORECASE)
_ROOM = re.compile(r"(/(?:rooms|r)/)[^/\s?]+")
_BROKEN_WORD = re.compile(r"\S{1,500}\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ORDINARY = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


def censored(text: str, longest: int = MAX_FIELD_LENGTH) -> str:
    """A text without anything that looks like a secret, and not longer than it should be."""
    if len(text) > longest:
        # Half of a secret looks like nothing in particular, so the word that is cut in two goes as a whole.
        text = _BROKEN_WORD.sub("", text[:longest]) + " ..."
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def set_up(level: str | int = "info", json: bool = True) -> None:
    """Sends all logs of this process to stderr, as JSON or for people; uncaught errors and warnings, too."""
    level = logging.getLevelNamesMapping()[level.upper()] if isinstance(level, str) else level
    handler = _Handler(sys.stderr)
    handler.setFormatter(Structured() if json else Plain())
    root = logging.getLogger()
    root.handlers = [handler]
    # Libraries tell every frame and every parameter when they debug; that is never for a log.
    root.setLevel(max(level, logging.INFO))
    logging.getLogger("sobremesa").setLevel(level)
    for name in ("uvicorn", "uvicorn.access", "uvicorn.error", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
        logger.setLevel(logging.NOTSET)
    logging.getLogger("uvicorn.error").addFilter(_worth_telling)
    logging.getLogger("sqlalchemy.pool.impl.AsyncAdaptedQueuePool").addFilter(_in_one_line)
    logging.getLogger("alembic.runtime.plugins").setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = lambda failed: _uncaught(failed.exc_type, failed.exc_value, failed.exc_traceback)


def _worth_telling(record: logging.LogRecord) -> bool:
    """Not that somebody's text is none: the socket is closed with 1007, and a traceback says nothing more of it."""
    return not (str(record.msg).startswith("Invalid UTF-8") and record.exc_info)


def _in_one_line(record: logging.LogRecord) -> bool:
    """A connection to a database that is away cannot be closed in order: it is dropped, and that is no mistake of ours.

    What it was used for tells its own error.
    """
    if record.exc_info and record.exc_info[0] is not None:
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.msg = "a connection to the database could not be given back (%s)"
        record.args, record.exc_info = (record.exc_info[0].__name__,), None
    return True


def _uncaught(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt) or error is None:
        return
    logging.getLogger("sobremesa").critical("an error that nobody caught", exc_info=(kind, error, trace))


class _Handler(logging.StreamHandler[Any]):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Says nothing: Python would print the message with its arguments, just as they are."""


class Structured(logging.Formatter):
    """A log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        fields = {
            "time": f"{moment}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        fields |= {key: value for key, value in _extras(record).items() if key not in fields}
        if record.exc_info and record.exc_info[0] is not None:
            kind = record.exc_info[0]
            fields |= {"error": f"{kind.__module__}.{kind.__qualname__}", "traceback": _traceback(record)}
        if record.stack_info:
            fields["stack"] = censored(record.stack_info, 4 * MAX_FIELD_LENGTH)
        return dumps(fields)


class Plain(logging.Formatter):
    """A log record for people at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and the traceback if there is one."""
        moment = time.strftime("%H:%M:%S", time.localtime(record.created))
        extras = ", ".join(f"{key}={value}" for key, value in _extras(record).items())
        line = f"{moment} {record.levelname.lower()}: {_message(record)}" + (f" ({extras})" if extras else "")
        # Nobody writes a second line, or moves the cursor, by means of a name or a path.
        line = _CONTROL.sub(lambda found: repr(found[0])[1:-1], line)
        return f"{line}\n{_traceback(record).rstrip()}" if record.exc_info and record.exc_info[0] else line


def _message(record: logging.LogRecord) -> str:
    """What was said; uvicorn's paths without rooms, and without what follows the question mark."""
    args = record.args
    if record.name.startswith("uvicorn") and isinstance(args, tuple):
        args = tuple(arg.partition("?")[0] if isinstance(arg, str) and arg.startswith("/") else arg for arg in args)
        # The id of a room is an invitation to it.
        args = tuple(_ROOM.sub(rf"\1{HIDDEN}", arg) if isinstance(arg, str) else arg for arg in args)
    try:
        said = str(record.msg) % args if args else str(record.msg)
    except Exception:
        said = f"a log message whose arguments do not fit: {record.pathname}:{record.lineno}"
    return censored(said)


def _traceback(record: logging.LogRecord) -> str:
    assert record.exc_info
    return censored("".join(traceback.format_exception(*record.exc_info)), 4 * MAX_FIELD_LENGTH)


def _extras(record: logging.LogRecord) -> dict[str, Any]:
    return _tidied({key: value for key, value in vars(record).items() if key not in _ORDINARY})  # type: ignore[no-any-return]


def _tidied(value: Any, depth: int = 4) -> Any:
    """A value that JSON can hold, without secrets in it."""
    if value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 2**64):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, (bytes, bytearray, memoryview, int)) or depth == 0:
        return HIDDEN
    if isinstance(value, Mapping):
        return {
            censored(str(key)): HIDDEN if _SECRET_KEY.search(str(key)) else _tidied(inner, depth - 1)
            for key, inner in list(value.items())[:50]
        }
    if isinstance(value, tuple) and len(value) == 2 and _SECRET_KEY.fullmatch(str(value[0])):
        return [str(value[0]), HIDDEN]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_tidied(inner, depth - 1) for inner in list(value)[:50]]
    try:
        return censored(str(value))
    except Exception:
        return HIDDEN
