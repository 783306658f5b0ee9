"""Positions as one line of text: the game's id, then ``key=value`` fields in a fixed order."""

from collections.abc import Mapping, Sequence

from sobremesa.core.errors import InvalidPosition

MAX_POSITION_LENGTH = 1 << 20
"""The most characters of a position; longer texts are refused unread. Ten thousand sheets of Knister take 270,000."""


def write_position(game: str, fields: Mapping[str, object]) -> str:
    """The fields as one line of text."""
    return " ".join([game, *(f"{key}={value}" for key, value in fields.items())])


def read_position(text: str, game: str, keys: Sequence[str]) -> dict[str, str]:
    """The fields of a position of this game, which must be these keys in this order."""
    if len(text) > MAX_POSITION_LENGTH:
        raise InvalidPosition("core.error.the-text-is-too-long-for-a-position")
    first, *words = text.strip().split(" ")
    if first != game:
        raise InvalidPosition("core.error.this-is-no-position-of-it-begins", game=game, first=first[:20])
    if len(words) != len(keys):
        raise InvalidPosition("core.error.a-position-of-has-the-fields", game=game, keys=" ".join(keys))
    fields = {}
    for key, word in zip(keys, words, strict=True):
        name, equals, value = word.partition("=")
        if name != key or not equals:
            raise InvalidPosition("core.error.stands-where-belongs", word=word[:40], key=key)
        fields[key] = value
    return fields


def read_number(fields: Mapping[str, str], key: str) -> int:
    """The value of a field that is a whole number of a few digits."""
    value = fields[key]
    if not (value.isascii() and value.isdigit() and len(value) <= 9 and str(int(value)) == value):
        raise InvalidPosition("core.error.is-no-number", key=key, value=value[:20])
    return int(value)


def read_choice(fields: Mapping[str, str], key: str, choices: Sequence[str]) -> str:
    """The value of a field that takes one of a few words."""
    if fields[key] not in choices:
        raise InvalidPosition("core.error.is-none-of", key=key, value=fields[key][:20], choices=", ".join(choices))
    return fields[key]
