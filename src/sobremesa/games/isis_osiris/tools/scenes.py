"""What the pictures of this game in docs/pictures show: options, and after how many decisions of greedy players."""

from sobremesa.core.game import Value

SCENES: dict[str, tuple[dict[str, Value], int]] = {
    "isis-osiris": ({"seats": 3}, 40),
    "isis-osiris-end": ({"seats": 2}, 1000),
}
