"""Where requests and messages begin and end in a stream of bytes: HTTP/1.1 (RFC 9112) and WebSocket frames (RFC 6455).

Nothing here judges what a client says, the real parsers do that. This only tells whether a client owes the rest of
something, and since when, so that nobody has to know the inside of a parser to lose patience.
"""

import re
from typing import Literal

MAX_HEAD_BYTES = 64 * 1024
"""Bytes after which a head that has no end is not looked at any more; the parser refuses it long before."""
_END_OF_HEAD = re.compile(rb"\n\r?\n")
_LENGTH = re.compile(rb"^content-length[ \t]*:([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_CHUNKED = re.compile(rb"^transfer-encoding[ \t]*:[^\r\n]*chunked", re.IGNORECASE | re.MULTILINE)
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n", re.IGNORECASE)

Owed = Literal["head", "body"]


class Requests:
    """Follows a client's requests, one after the other."""

    def __init__(self) -> None:
        self.number = 1
        """The request that is on its way, or that was complete last, counted from 1."""
        self.owed: Owed | None = "head"
        """What of it has not come yet. A client that has just connected owes a head."""
        self.begun = False
        """Whether anything has come at all."""
        self.heads = 0
        """Heads that were complete."""
        self._reading: Literal["head", "body", "size", "chunk", "trailer", "lost"] = "head"
        self._text = bytearray()
        self._left = 0

    def feed(self, data: bytes) -> int:
        """Goes on with what came. Stops where a head ends, and returns how many bytes that were."""
        at = 0
        while at < len(data):
            match self._reading:
                case "head":
                    self.begun = True
                    if self.owed is None:
                        self.number += 1
                        self.owed = "head"
                    self._text += data[at:]
                    end = _END_OF_HEAD.search(self._text, max(0, len(self._text) - len(data) + at - 3))
                    if end is not None:
                        at = len(data) - (len(self._text) - end.end())
                        head = bytes(self._text[: end.end()])
                        self._text.clear()
                        self._head_ended(head)
                        return at
                    at = len(data)
                    if len(self._text) > MAX_HEAD_BYTES:
                        self._lost()
                case "body" | "chunk":
                    step = min(self._left, len(data) - at)
                    at += step
                    self._left -= step
                    if not self._left:
                        self._expect("size") if self._reading == "chunk" else self._complete()
                case "size" | "trailer":
                    end_of_line = data.find(b"\n", at) + 1 or len(data)
                    self._text += data[at:end_of_line]
                    at = end_of_line
                    if self._text.endswith(b"\n"):
                        line = bytes(self._text)
                        self._text.clear()
                        self._line_ended(line)
                    elif len(self._text) > MAX_HEAD_BYTES:
                        self._lost()
                case "lost":
                    at = len(data)
        return at

    def _head_ended(self, head: bytes) -> None:
        self.heads += 1
        length = _LENGTH.search(head)
        if _CHUNKED.search(head):
            self._expect("size")
        elif length is None:
            self._complete()
        elif (value := length[1].strip()).isdigit() and len(value) < 19:
            self._left = int(value)
            self._expect("body") if self._left else self._complete()
        else:
            self._lost()

    def _line_ended(self, line: bytes) -> None:
        if self._reading == "trailer":
            if not line.strip():
                self._complete()
        elif size := _CHUNK_SIZE.fullmatch(line):
            self._left = int(size[1], 16) + 2
            self._expect("chunk" if self._left > 2 else "trailer")
        else:
            self._lost()

    def _expect(self, what: Literal["body", "size", "chunk", "trailer"]) -> None:
        self._reading = what
        self.owed = "body"

    def _complete(self) -> None:
        self._reading = "head"
        self.owed = None

    def _lost(self) -> None:
        """What came makes no sense here: the rest is owed for ever, and whoever waits for it loses patience."""
        self._text.clear()
        self._reading = "lost"
        self.owed = self.owed or "body"


class Frames:
    """Counts the pieces that a client makes of one message."""

    def __init__(self) -> None:
        self.pieces = 0
        """Frames of the message that has no last frame yet."""
        self._head = bytearray()
        self._left = 0

    def feed(self, data: bytes, most: int) -> bool:
        """Goes on with what came; whether no message has had more than so many pieces before its last one."""
        at, end = 0, len(data)
        head = self._head
        while at < end:
            if self._left:
                step = min(self._left, end - at)
                at += step
                self._left -= step
                continue
            missing = _head_size(head) - len(head)
            head += data[at : at + missing]
            at += missing
            if len(head) < 2 or len(head) < _head_size(head):
                continue
            self._left = head[1] & 127
            if self._left > 125:
                self._left = int.from_bytes(head[2 : 4 if self._left == 126 else 10])
            if not head[0] & 8:  # control frames come in between
                self.pieces = 0 if head[0] & 128 else self.pieces + 1
                if self.pieces > most:
                    return False
            head.clear()
        return True


def _head_size(head: bytearray) -> int:
    """Bytes before the data of a frame, as far as its first two tell."""
    if len(head) < 2:
        return 2
    return 2 + {126: 2, 127: 8}.get(head[1] & 127, 0) + (4 if head[1] & 128 else 0)
