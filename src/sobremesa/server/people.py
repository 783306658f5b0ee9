"""Who somebody is: a random token in a signed cookie. There are no accounts and no passwords."""

import base64
import hashlib
import hmac
import secrets

COOKIE = "sobremesa_person"
HOST_COOKIE = f"__Host-{COOKIE}"
"""Under HTTPS: browsers take a cookie of such a name from this very host alone, never from one beside it."""
_BYTES = 24
_SIGNATURE = 18


class PersonTokens:
    """Makes signed tokens and knows its own again. The key is this installation's."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def new_token(self) -> str:
        """A token for somebody new: 192 random bits and a signature."""
        return self._signed(secrets.token_bytes(_BYTES))

    def person(self, token: str | None) -> str | None:
        """The person that follows from a token; None if it is not ours. ``Guestbook`` knows what became of it."""
        if token is None or len(token) > 100:
            return None
        try:
            raw = base64.urlsafe_b64decode(token.partition(".")[0].encode())
        except (ValueError, UnicodeEncodeError):
            return None
        if len(raw) != _BYTES or not hmac.compare_digest(self._signed(raw).encode(), token.encode()):
            return None
        return hashlib.sha256(b"person" + raw).hexdigest()[:32]

    def room_id(self, person: str, command: str, attempt: int = 0, letters: str = "", length: int = 0) -> str:
        """The id of the room that a person opens with a command: nobody can guess it, and it is always the same.

        With letters it is a short code of so many of these, for a crowd; then another room may have it, and one more is
        tried.
        """
        digest = hmac.digest(self._key, f"room {person} {command}{f' {attempt}' * bool(attempt)}".encode(), "sha256")
        if letters:
            return "".join(letters[int.from_bytes(digest[2 * at : 2 * at + 2]) % len(letters)] for at in range(length))
        return base64.urlsafe_b64encode(digest[:9]).decode()

    def _signed(self, raw: bytes) -> str:
        signature = hmac.digest(self._key, raw, "sha256")[:_SIGNATURE]
        return f"{base64.urlsafe_b64encode(raw).decode()}.{base64.urlsafe_b64encode(signature).decode()}"
