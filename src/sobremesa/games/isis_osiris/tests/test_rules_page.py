"""The rules page tells what the rulebook leaves open."""

import re

from sobremesa.core.language import rules_page
from sobremesa.games.isis_osiris import GAME


def test_it_tells_what_we_decided() -> None:
    _, _, decided = rules_page(GAME.package, "en").partition("## What we decided\n")
    assert set(re.findall(r"\((I\d+)\)", decided)) >= {"I5", "I9"}
