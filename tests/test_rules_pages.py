"""Each game's rules for people: every rule with its number, in every language, with sums that are right."""

import re

import pytest

from sobremesa import GAMES
from sobremesa.core.language import LANGUAGES, rules_page


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_page_tells_every_rule(game: str, code: str) -> None:
    page = rules_page(GAMES[game].package, code)
    for number in range(1, GAMES[game].rule_count + 1):
        assert (
            f"{GAMES[game].rule_prefix}{number}" in page.replace(")", " ").replace("(", " ").replace(",", " ").split()
        ), number
    headings = [line for line in page.splitlines() if line.startswith("#")]
    english = [line for line in rules_page(GAMES[game].package, "en").splitlines() if line.startswith("#")]
    assert [h.count("#") for h in headings] == [h.count("#") for h in english]


DECIDED = {
    "en": "## What we decided",
    "es": "## Lo que hemos decidido",
    "fr": "## Ce que nous avons décidé",
    "nl": "## Wat wij hebben besloten",
}


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_page_tells_what_we_decided_of_the_same_rules_in_every_language(game: str) -> None:
    decided = {}
    for code in LANGUAGES:
        _, heading, rest = rules_page(GAMES[game].package, code).partition(DECIDED[code] + "\n")
        assert heading, code
        part = rest.partition("\n## ")[0]
        decided[code] = [re.findall(rf"\(({GAMES[game].rule_prefix}\d+)\)", point) for point in part.split("\n- ")[1:]]
    assert len(decided["en"]) >= 4
    assert all(points == decided["en"] for points in decided.values())
    assert any(decided["en"]), "points name their rules"


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_sums_on_the_rules_pages_are_right(game: str, code: str) -> None:
    page = rules_page(GAMES[game].package, code).replace("−", "-").replace("×", "*")
    sums = re.findall(r"([+-]?\d+(?: [-+*] \d+)+)\s=\s([+-]?\d+)", page)
    assert sums, "every page has an example"
    for sum, total in sums:
        assert eval(sum) == int(total), sum
