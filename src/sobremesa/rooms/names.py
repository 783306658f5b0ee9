"""Names that people give themselves: what can be read, and is nobody else's.

A name is refused if it shows nothing, if marks are heaped upon its letters, if one word of it mixes scripts (that is
how look-alikes are made), or if it reads like the name of a computer player or of a role. The skeleton of a name is
what it looks like, after Unicode's Technical Standard 39 (confusables), in a reasonable form: compatibility forms,
case and accents are taken away, and letters that look like Latin ones become these. Names from before stay.
"""

import re
from collections.abc import Collection, Iterable
from unicodedata import category, name, normalize

from sobremesa.rooms.errors import Refusal

MAX_MARKS = 2
"""Marks upon one letter: Vietnamese and Thai need two."""
UNNAMED = frozenset({"Guest", "Invitado", "Invité", "Gast", "Host"})
"""What people are called who have given no name, in the languages of the page, and a host who said nothing."""
ROLES = frozenset(
    {
        *("Guest", "Invitado", "Invité", "Gast", "Host", "Anfitrión", "Hôte", "Gastheer", "Admin", "Administrator"),
        *("Moderator", "Server", "System", "Sobremesa", "Computer", "Ordenador", "Ordinateur"),
    }
)
"""Words for who has a say here, in every language."""
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\U000e0100-\U000e01ef]")
"""Letters and marks that show nothing, besides those that are control characters."""
_ALIKE = (
    "аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw вb кk мm нh тt гr ѵv ӏl ьb з3 үy пn αa βb γy εe ηn ιi κk "
    "μu νv οo ρp τt υu χx ωw ϲc σo ζz աw օo սu հh ցg ոn զq ıi ɩi ɑa ɡg ʋv ᴄc ᴏo ᴠv ᴡw ᴢz ꜱs ʀr ɴn ᴍm ᴀa "
    "ᴇe ɪi ʟl ᴛt ʜh ᴘp ʏy ᴋk ᴅd ʙb ɢg ᴊj øo đd łl ħh ŧt "
)
"""Letters of other scripts, and small capitals, each before the Latin letter that it looks like."""
_AS_LETTERS = "0o 1l 3e 4a 5s 7t 8b |l !l $s @a il"
"""Digits and signs that are read as letters; and i and l, which are taken for one another."""
_LATIN = str.maketrans({pair[0]: pair[1] for pair in _ALIKE.split()})
_READ = str.maketrans({pair[0]: pair[1] for pair in _AS_LETTERS.split()})
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "GEORGIAN")
"""Scripts with letters that are taken for one another. Others are mixed every day, as in Japanese."""


def looks(text: str) -> str:
    """What a name looks like at a glance: case, widths and look-alikes taken away, accents kept."""
    return " ".join(normalize("NFKC", text).casefold().translate(_LATIN).split())


def bare(text: str) -> str:
    """A text without case and accents, as people type who look for it."""
    return "".join(c for c in normalize("NFKD", normalize("NFKC", text).casefold()) if category(c)[0] != "M")


def skeleton(text: str) -> str:
    """The letters that somebody reads who does not look closely."""
    letters = "".join(c for c in bare(text).translate(_LATIN).translate(_READ) if c.isalnum())
    return letters.replace("rn", "m").replace("vv", "w")


def reserved(names: Iterable[str]) -> frozenset[str]:
    """The skeletons that nobody may have: those of some names, and of roles."""
    return frozenset(map(skeleton, (*names, *ROLES)))


def check_name(text: str, taken: Collection[str] = ()) -> None:
    """Raises if a person cannot be called this; ``taken`` are skeletons (``reserved``)."""
    if text in UNNAMED:
        return
    if _UNSEEN.search(text) or not any(category(c)[0] in "LNSP" for c in text):
        raise Refusal("malformed", "rooms.error.that-name-cannot-be-seen")
    marks = 0
    for character in normalize("NFC", text):
        is_mark = category(character) in ("Mn", "Me") and not 0xFE00 <= ord(character) <= 0xFE0F
        marks = marks + 1 if is_mark else 0
        if marks > MAX_MARKS or (category(character) == "Me" and character != "\u20e3"):
            raise Refusal("malformed", "rooms.error.that-name-has-too-many-marks")
    for word in text.split():
        if len({script for script in map(_script, word) if script}) > 1:
            raise Refusal("malformed", "rooms.error.that-name-mixes-alphabets")
    if skeleton(text) in taken:
        raise Refusal("malformed", "rooms.error.that-name-is-a-computer-players")


def check_company(text: str, others: Iterable[str]) -> None:
    """Raises if a name only looks like that of somebody else at the table; the very same one is numbered there."""
    shape = looks(text)
    if any(other != text and looks(other) == shape for other in others):
        raise Refusal("malformed", "rooms.error.that-name-looks-the-same")


def _script(character: str) -> str:
    if not character.isalpha():
        return ""
    first = name(character, "").partition(" ")[0]
    return first if first in _SCRIPTS else ""
