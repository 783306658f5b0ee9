"""What the pictures of this game in docs/pictures show: options, and after how many decisions of greedy players."""

from sobremesa.core.game import Value

SCENES: dict[str, tuple[dict[str, Value], int]] = {
    "knister": ({"seats": 3}, 61),
}
