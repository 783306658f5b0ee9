"""Messages to browsers that are closed (Web Push): encrypted for one device, signed by this house, sent to its service.

RFC 8030 says how a message is sent, RFC 8291 and RFC 8188 how it is encrypted (``aes128gcm``), RFC 8292 how the sender
shows who it is (VAPID). Only the device can read what it says; its push service sees when, and to which device.
"""

import asyncio
import base64
import ipaddress
import json
import os
import ssl
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from sobremesa.core.errors import SobremesaError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

SERVICES = ("fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com")
"""Where the browsers have their devices' push services: hosts, and endings of hosts."""
PADDED_LENGTH = 2048
"""Bytes that every message has before it is encrypted: how long it is tells nothing of what it says."""
MAX_PAYLOAD = PADDED_LENGTH - 1
SEND_WITHIN = 10.0
"""Seconds that a push service may take."""
TOKEN_SECONDS = 12 * 3600
"""Seconds for which a signature is good; services refuse more than a day."""
_RECORD_SIZE = 4096


@dataclass(frozen=True, slots=True)
class Subscription:
    """Where one device of somebody is reached."""

    endpoint: str
    p256dh: str
    """The device's public key, and below a secret that it shares with us: base64url."""
    auth: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a message."""

    kind: Literal["sent", "gone", "later", "refused"]
    """``gone``: the device does not want any more. ``later``: the service cannot take it now."""
    retry_after: float = 0.0
    status: int = 0


class VapidKey:
    """The key by which push services know this house: made once, kept in the database."""

    def __init__(self, secret: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric import ec

        self._key = ec.derive_private_key(int.from_bytes(secret), ec.SECP256R1())

    @staticmethod
    def new_secret() -> bytes:
        """A fresh one, as 32 bytes."""
        from cryptography.hazmat.primitives.asymmetric import ec

        return ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value.to_bytes(32)

    @property
    def public(self) -> str:
        """What browsers are told, as base64url."""
        return encode64(_point(self._key.public_key()))

    def authorization(self, endpoint: str, contact: str, now: float) -> str:
        """The header that shows a service who sends: a signed token for its origin, and for half a day."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        parts = urlsplit(endpoint)
        claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(now) + TOKEN_SECONDS, "sub": contact}
        said = ".".join(encode64(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
        r, s = decode_dss_signature(self._key.sign(said.encode(), ec.ECDSA(hashes.SHA256())))
        return f"vapid t={said}.{encode64(r.to_bytes(32) + s.to_bytes(32))}, k={self.public}"


def encrypt(payload: bytes, to: Subscription) -> bytes:
    """What only this device can read: a body in ``aes128gcm``, of one record."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(payload) > MAX_PAYLOAD:
        raise ValueError(f"a message has at most {MAX_PAYLOAD} bytes")
    device = read_point(to.p256dh)
    ours = ec.generate_private_key(ec.SECP256R1())
    sender, receiver = _point(ours.public_key()), decode64(to.p256dh)
    salt = os.urandom(16)
    shared = derive(ours.exchange(ec.ECDH(), device), decode64(to.auth), b"WebPush: info\0" + receiver + sender, 32)
    key = derive(shared, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = derive(shared, salt, b"Content-Encoding: nonce\0", 12)
    padded = payload + b"\x02" + bytes(PADDED_LENGTH - len(payload) - 1)
    head = salt + _RECORD_SIZE.to_bytes(4) + bytes([len(sender)]) + sender
    return head + AESGCM(key).encrypt(nonce, padded, None)


def derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """A key out of a secret (HKDF with SHA-256)."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def read_subscription(endpoint: str, p256dh: str, auth: str) -> Subscription:
    """A device as its browser describes it; raises ValueError if that cannot be one."""
    read_point(p256dh)
    if len(decode64(auth)) != 16:
        raise ValueError("a device's secret has 16 bytes")
    return Subscription(endpoint, p256dh, auth)


def read_point(text: str) -> "ec.EllipticCurvePublicKey":
    """A public key on the curve P-256; raises ValueError for anything else."""
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode64(text))


def _point(key: "ec.EllipticCurvePublicKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encode64(data: bytes) -> str:
    """As base64url, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode64(text: str) -> bytes:
    """From base64url, with padding or without; raises ValueError for anything else."""
    return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)


class PushServices:
    """The push services that this house talks to: those of the browsers, and those that the operator has named.

    Whoever subscribes says where messages go. So that nobody has the server ask whom they like (SSRF), it is these
    hosts alone, by HTTPS, at addresses of the public internet, without following anybody elsewhere; what the operator
    names is trusted as it is named.
    """

    def __init__(self, named: tuple[str, ...] = ()) -> None:
        self._named = frozenset(_origin(origin) for origin in named)

    def knows(self, endpoint: str) -> bool:
        """Whether messages may be sent there."""
        try:
            parts = urlsplit(endpoint)
            if not endpoint.isascii() or any(c.isspace() for c in endpoint) or parts.username is not None:
                return False
            if _origin(endpoint) in self._named:
                return True
            host, port = parts.hostname or "", parts.port
        except (ValueError, SobremesaError):
            return False
        known = any(host == one or (one.startswith(".") and host.endswith(one)) for one in SERVICES)
        return known and parts.scheme == "https" and port in (None, 443)

    async def post(self, endpoint: str, headers: dict[str, str], body: bytes) -> Outcome:
        """Sends a message."""
        if not self.knows(endpoint):
            return Outcome("gone")
        try:
            async with asyncio.timeout(SEND_WITHIN):
                return await self._post(endpoint, headers, body)
        except (OSError, TimeoutError, ValueError):  # ssl.SSLError is an OSError; h11 has its own
            return Outcome("later")

    async def _post(self, endpoint: str, headers: dict[str, str], body: bytes) -> Outcome:
        import h11

        parts = urlsplit(endpoint)
        secure = parts.scheme == "https"
        host, port = parts.hostname or "", parts.port or (443 if secure else 80)
        address = await self._address(host, port, trusted=_origin(endpoint) in self._named)
        tls = _tls() if secure else None
        reader, writer = await asyncio.open_connection(address, port, ssl=tls, server_hostname=host if secure else None)
        try:
            connection = h11.Connection(h11.CLIENT)
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            sent = headers | {"Host": parts.netloc, "Content-Length": str(len(body)), "Connection": "close"}
            for event in (
                h11.Request(method="POST", target=target, headers=list(sent.items())),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                writer.write(connection.send(event) or b"")
            await writer.drain()
            while True:
                answer = connection.next_event()
                if answer is h11.NEED_DATA:
                    connection.receive_data(await reader.read(4096))
                elif isinstance(answer, h11.Response):
                    said = {name.decode(): value.decode("latin-1") for name, value in answer.headers}
                    return _outcome(answer.status_code, said.get("retry-after", ""))
                elif not isinstance(answer, h11.InformationalResponse):
                    return Outcome("later")
        except h11.RemoteProtocolError:
            return Outcome("later")
        finally:
            writer.close()

    async def _address(self, host: str, port: int, *, trusted: bool) -> str:
        """An address of this host; it is the one that is then connected to, whatever its name says a moment later."""
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
        addresses = [str(entry[4][0]) for entry in found]
        if not trusted and not all(_is_public(address) for address in addresses):
            raise OSError(f"{host} is not an address of the public internet")
        return addresses[0]


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return parsed.is_global and not parsed.is_multicast


def _origin(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise SobremesaError("server.error.a-push-service-is-named-as-in-https")
    return f"{parts.scheme}://{parts.netloc}"


def _outcome(status: int, retry_after: str) -> Outcome:
    if 200 <= status < 300:
        return Outcome("sent", status=status)
    if status in (404, 410):
        return Outcome("gone", status=status)
    if status == 429 or status >= 500:
        return Outcome("later", float(retry_after) if retry_after.isdigit() else 0.0, status)
    return Outcome("refused", status=status)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
