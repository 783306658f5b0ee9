"""The eight levels, from a child's first game to the best player there is, and what people call them."""

from typing import NamedTuple


class Level(NamedTuple):
    """A level's place in the row, counted from 1, and its name in each language."""

    number: int
    names: dict[str, str]


_NAMES = {
    "child": ("Child", "Infantil", "Enfant", "Kind"),
    "beginner": ("Beginner", "Principiante", "Débutant", "Beginner"),
    "casual": ("Casual player", "Aficionado", "Amateur", "Gelegenheidsspeler"),
    "regular": ("Regular", "Habitual", "Habitué", "Vaste speler"),
    "club": ("Club player", "De club", "Joueur de club", "Clubspeler"),
    "expert": ("Expert", "Experto", "Expert", "Expert"),
    "master": ("Master", "Maestro", "Maître", "Meester"),
    "champion": ("Champion", "Campeón", "Champion", "Kampioen"),
}

LEVELS = {
    id: Level(number, dict(zip(("en", "es", "fr", "nl"), names, strict=True)))
    for number, (id, names) in enumerate(_NAMES.items(), start=1)
}
"""The levels by id, the weakest first."""

OTHERS = {
    "greedy": dict(zip(("en", "es", "fr", "nl"), ("Greedy", "Codicioso", "Glouton", "Hebberd"), strict=True)),
    "random": dict(zip(("en", "es", "fr", "nl"), ("Random", "Al azar", "Au hasard", "Willekeurig"), strict=True)),
}
"""Players that are no level: one looks a single move ahead, the other not at all."""
