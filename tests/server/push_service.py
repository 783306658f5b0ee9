"""A push service of our own, and devices that it reaches: it takes what browsers' services take, and hands it on.

It checks what they check: who has signed (RFC 8292), for whom, for how long, and the headers of RFC 8030. The device
decrypts (RFC 8291), written from the RFC without looking at the sender.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def read64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def write64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _hkdf(salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    """RFC 5869 for one block, from the standard library alone."""
    key = hmac.digest(salt, secret, "sha256")
    return hmac.digest(key, info + b"\x01", "sha256")[:length]


@dataclass
class Delivery:
    """A message as it reached the service."""

    path: str
    headers: dict[str, str]
    body: bytes


class Device:
    """A browser's end: its keys, its address at the service, and what has come."""

    def __init__(self, service: "PushService", private: int | None = None, auth: bytes | None = None) -> None:
        curve = ec.SECP256R1()
        self._key = ec.generate_private_key(curve) if private is None else ec.derive_private_key(private, curve)
        point = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        self._public = self._key.public_key().public_bytes(*point)
        self._auth = auth or secrets.token_bytes(16)
        self.path = f"/push/{secrets.token_urlsafe(12)}"
        self.endpoint = service.address + self.path
        self.p256dh, self.auth = write64(self._public), write64(self._auth)
        self._service = service

    def subscription(self, language: str = "en") -> dict[str, str]:
        return {"endpoint": self.endpoint, "p256dh": self.p256dh, "auth": self.auth, "language": language}

    @property
    def got(self) -> list[dict[str, str]]:
        """What was sent to this device, decrypted."""
        return [json.loads(self.decrypt(one.body)) for one in self._service.taken if one.path == self.path]

    @property
    def titles(self) -> list[str]:
        return [one["title"] for one in self.got]

    def decrypt(self, body: bytes) -> bytes:
        salt, size, length = body[:16], struct.unpack(">I", body[16:20])[0], body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(sealed) <= size, "one record"
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self._key.exchange(ec.ECDH(), theirs)
        secret = _hkdf(self._auth, shared, b"WebPush: info\x00" + self._public + sender, 32)
        key = _hkdf(salt, secret, b"Content-Encoding: aes128gcm\x00", 16)
        nonce = _hkdf(salt, secret, b"Content-Encoding: nonce\x00", 12)
        padded = AESGCM(key).decrypt(nonce, sealed, None)
        text, mark, padding = padded.rpartition(b"\x02")
        assert mark
        assert not padding.strip(b"\x00")
        return text


@dataclass
class PushService:
    """Where devices are reached."""

    address: str = ""
    taken: list[Delivery] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Why messages were not taken that a real service would not take."""
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """What the next messages are answered with, in place of 201."""
    contacts: set[str] = field(default_factory=set)
    """Whom senders have named."""

    def take(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str]]:
        if self.answers:
            return self.answers.pop(0)
        try:
            self._check(headers, body)
        except AssertionError as error:
            self.refused.append(str(error))
            return 403, {}
        self.taken.append(Delivery(path, headers, body))
        return 201, {"Location": self.address + "/message/1"}

    def _check(self, headers: dict[str, str], body: bytes) -> None:
        assert headers["content-encoding"] == "aes128gcm"
        assert len(body) <= 4096, "too long"
        assert 0 < int(headers["ttl"]) <= 30 * 86400
        assert headers["urgency"] in ("very-low", "low", "normal", "high")
        assert len(headers["topic"]) <= 32
        kind, _, said = headers["authorization"].partition(" ")
        assert kind == "vapid"
        fields = dict(part.strip().split("=", 1) for part in said.split(","))
        text, _, signature = fields["t"].rpartition(".")
        raw = read64(signature)
        der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), read64(fields["k"]))
        key.verify(der, text.encode(), ec.ECDSA(hashes.SHA256()))
        claims: dict[str, Any] = json.loads(read64(text.split(".")[1]))
        assert claims["aud"] == self.address, "signed for another service"
        assert claims["sub"].startswith(("https://", "mailto:"))
        self.contacts.add(hashlib.sha256(fields["k"].encode()).hexdigest())


@contextmanager
def push_service() -> Iterator[PushService]:
    """A service on this machine, in threads of its own."""
    service = PushService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, told = service.take(self.path, headers, body)
            self.send_response(status)
            for name, value in told.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def until(condition: Any, patience: float = 15) -> None:
    """Waits until something has come about; what nobody can hurry is the network."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        await asyncio.sleep(0.01)
