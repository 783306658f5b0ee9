"""What people can be called, and what they cannot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.tables import Table
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.names import MAX_MARKS, UNNAMED, check_name, reserved, skeleton
from sobremesa.rooms.room import Resources, Room

TAKEN = reserved(("Champion", "Campeón", "Child", "Club player", "Kampioen", "champion"))

GOOD = (
    *(
        "Ana",
        "José María",
        "O’Brien",
        "Nguyễn Thị Ánh",
        "Ксения",
        "Αλέξανδρος",
        "山田 太郎",
        "さくらABC",
        "محمد",
        "שָׁלוֹם",
    ),
    *("กิ่ง", "Zoë 2", "👩\u200d🚀 Ada", "R2D2", "Иван & Ana", "Championne de Lille", "Childish Gambino", "!?", "7"),
    *UNNAMED,
)
BAD = (
    *(
        "Champion",
        "champion",
        "CHAMPION",
        "  Champion ",
        "Chàmpion",
        "C h a m p i o n",
        "Champ1on",
        "Chаmpion",
        "ᴄʜᴀᴍᴘɪᴏɴ",
    ),
    *(
        "Ｃｈａｍｐｉｏｎ",
        "𝕮hampion",
        "Charnpion",
        "C.h.a.m.p.i.o.n",
        "Campeon",
        "Club  player",
        "ChiId",
        "Сһіld",
        "сһі1ԁ",
    ),
    *("guest", "Gue5t", "HOST", "Hôte", "Hote", "Anfitrion", "4dmin", "Sobremesa", "System"),
    *(
        "\u3164",
        "\u2800\u2800",
        "A\u115fna",
        "A\u034fna",
        "\u0301\u0301",
        "Z" + "\u0301" * 4,
        "Za\u0336\u0335\u0334lgo",
        "A\u20dd",
    ),
    *("Anа", "Раul", "Νick", "αlex"),
)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_names_of_the_world(name: str) -> None:
    check_name(name, TAKEN)


@pytest.mark.parametrize("name", sorted(BAD))
def test_what_nobody_can_be_called(name: str) -> None:
    with pytest.raises(Refusal, match="choose another") as caught:
        check_name(name, TAKEN)
    assert caught.value.reason == "malformed"


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
def test_any_text_is_judged_and_a_skeleton_is_its_own(text: str) -> None:
    try:
        check_name(text, TAKEN)
    except Refusal:
        return
    assert text in UNNAMED or skeleton(text) not in TAKEN


@given(st.integers(0, 6))
def test_marks_are_counted_for_each_letter(marks: int) -> None:
    name = ("q" + "\u0323" * marks) * 3  # no letter has this mark built in
    if marks > MAX_MARKS:
        with pytest.raises(Refusal):
            check_name(name)
    else:
        check_name(name)


def test_names_are_looked_at_wherever_somebody_says_theirs() -> None:
    resources = Resources({"callisto": ("greedy",)}, reserved=TAKEN)
    for setup in ({"name": "Champion"}, {"seats": ["me", {"kind": "me", "name": "Chаmpion"}]}):
        with pytest.raises(Refusal, match="choose another"):
            Table(resources=resources, **setup)
    table = Table(resources=resources, name="Ana", seats=["me", "open", "open"])
    for name in ("Champ1on", "\u3164", "ana", "Anа"):
        with pytest.raises(Refusal, match="choose another"):
            table.do("bo", "sit", name=name)
    table.do("bo", "sit", name="Ana")
    assert table.room.seating[1].name == "Ana", "the page numbers those who are called the same"


def test_names_from_before_stay() -> None:
    table = Table(name="Champion", seats=["me", "engine"])
    again = Room.replay("room", table.log, Resources({"callisto": ("greedy",)}, reserved=TAKEN))
    assert again.seating[0].name == "Champion"
