"""What the pictures of this game in docs/pictures show: options, and after how many decisions of greedy players."""

from sobremesa.core.game import Value

SCENES: dict[str, tuple[dict[str, Value], int]] = {
    "callisto": ({"seats": 4}, 64),
    "callisto-pocket": ({"edition": "pocket", "seats": 2}, 22),
}
