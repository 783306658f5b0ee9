"""Two verifiers of fair chance, in Python and in TypeScript, agree on true records and on forged ones of both versions.

What is forged is whatever chance depends on: outcomes, and everything in the proof; in version 2 the game, its rules'
version and the options, too, to which everything is bound. No forgery passes.
"""

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from forgeries import Json, bound_chance
from sobremesa.core.errors import SobremesaError
from sobremesa.games import find_game
from sobremesa.table.commitments import Opening, Void
from sobremesa.table.fair import Digest, FairChance
from sobremesa.table.record import loads
from sobremesa.table.sitting import Sitting
from sobremesa.table.verify import verify

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
FORGERIES = 10_000
TABLES: list[tuple[str, dict[str, Any]]] = [
    ("knister", {"seats": 1}),
    ("knister", {"seats": 3, "starter": 2}),
    ("isis-osiris", {"seats": 2}),
    ("isis-osiris", {"seats": 3, "variant": "common", "memory_aid": True}),
]


def hexes(random: Random, digits: int = 64) -> str:
    return random.randbytes(digits // 2).hex()


def true_record(random: Random) -> Json:
    """A game played to the end at random, with a proof of either version."""
    game, options = random.choice(TABLES)
    seats = options["seats"]
    said = random.choice(("", "suerte", "fortuna ñ 🎲"))
    chance: Any
    if random.random() < 0.25:
        chance = FairChance(
            random.randbytes(32), tuple(random.choice(("", said, Digest.of("x"))) for _ in range(seats))
        )
    else:
        crowd = game == "knister" and random.random() < 0.3
        called = [seat for seat in range(seats) if random.random() < 0.8]
        openings: dict[int, Opening | None] = {
            seat: Opening(hexes(random, 32), random.choice(("", said, Digest.of("y")))) for seat in called
        }
        if crowd and called:
            openings[called[-1]] = None
        voids = tuple(Void(hexes(random), hexes(random), (0,)) for _ in range(random.choice((0, 0, 2))))
        chance = bound_chance(
            game,
            options,
            random.randbytes(32),
            openings,
            words={0: "openly"} if random.random() < 0.3 else {},
            room=hexes(random),
            number=random.randint(1, 9),
            crowd=crowd,
            voids=voids,
            places={seat: seat + 4 for seat in called} if crowd else None,
        )
    sitting = Sitting.start(find_game(game), options, chance)
    while not sitting.state.over:
        if sitting.state.chance is not None:
            sitting = sitting.roll()
        else:
            seat = next(iter(sitting.state.deciding))
            sitting = sitting.play(sitting.state.random_move(random, seat), seat)
    record: Json = json.loads(sitting.record().dumps())
    return record


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in some data where a value is, as what holds it and its key."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            yield from places(inner)


def other_than(value: Any, random: Random) -> Any:
    """Something else, of the same kind or of another."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + random.choice((-1, 1, 2, 7))
    if isinstance(value, str) and value:
        at = random.randrange(len(value))
        letter = random.choice([one for one in "0123456789abcdefX" if one != value[at].lower()])
        return random.choice((value[:at] + letter + value[at + 1 :], value[:at] + value[at + 1 :], value + "0", None))
    return random.choice(("a", "0" * 64, 3)) if value in ("", None) else None


def mutated(record: Json, random: Random) -> Json:
    """The record with one thing changed that its chance depends on."""
    forged = copy.deepcopy(record)
    rolls = [number for number, event in enumerate(forged["events"]) if event.startswith("~")]
    ways: list[Callable[[], None]]

    def change_proof() -> None:
        inside, key = random.choice(list(places(forged["fair"])))
        if isinstance(inside, dict) and random.random() < 0.2:
            del inside[key]
        elif isinstance(inside, dict) and random.random() < 0.1:
            inside["more"] = 1
        elif isinstance(inside, list) and random.random() < 0.3:
            inside.append(copy.deepcopy(inside[key]))
        else:
            inside[key] = other_than(inside[key], random)

    def change_roll() -> None:
        at = random.choice(rolls)
        forged["events"][at] = f"~{int(forged['events'][at][1:]) + random.choice((-3, -1, 1, 2))}"

    def drop_roll() -> None:
        del forged["events"][random.choice(rolls)]

    def exchange_rolls() -> None:
        one = random.choice(rolls)
        others = [at for at in rolls if forged["events"][at] != forged["events"][one]]
        other = random.choice(others)
        events = forged["events"]
        events[one], events[other] = events[other], events[one]

    ways = [change_proof, change_proof, change_proof, change_roll, drop_roll, exchange_rolls]
    if record["fair"].get("version"):

        def change_table() -> None:
            name = random.choice(["rules", *record["options"]])
            inside = forged if name == "rules" else forged["options"]
            inside[name] = other_than(inside[name], random)

        def exchange_seats() -> None:
            seals = forged["fair"]["seals"]
            if len(seals) < 2:
                change_roll()
            else:
                one, other = random.sample(sorted(seals), 2)
                seals[one], seals[other] = seals[other], seals[one]

        ways += [change_table, exchange_seats]
    random.choice(ways)()
    return forged


def is_fair(record: Json) -> bool:
    """What the library says."""
    try:
        return verify(loads(json.dumps(record))).fair is True
    except SobremesaError:
        return False


def test_no_forgery_passes_either_verifier(tmp_path: Path) -> None:
    random = Random(FORGERIES)
    truths = [true_record(random) for _ in range(60)]
    assert all(map(is_fair, truths))
    forgeries: list[Json] = []
    while len(forgeries) < FORGERIES:
        true = random.choice(truths)
        forged = mutated(true, random)
        if forged != true:
            forgeries.append(forged)
    passed = [forged for forged in forgeries if is_fair(forged)]
    assert passed == []
    lines = [json.dumps({"record": record, "fair": True}) for record in truths]
    lines += [json.dumps({"record": record, "fair": False}) for record in forgeries]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(lines), encoding="utf-8")
    sys.path.insert(0, str(ROOT / "tools"))
    from web import find_node

    found = find_node()
    assert found is not None
    told = subprocess.run(
        [found[0], WEB / "node_modules/vitest/vitest.mjs", "run", "tests/fair.corpus.test.ts"],
        cwd=WEB,
        env=os.environ | {"FAIR_CORPUS": str(corpus), "FAIR_CORPUS_LINES": str(len(lines))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout[-3000:] + told.stderr[-1000:]
    assert "1 passed" in told.stdout, "it was not left out"


def test_where_no_seat_takes_part_whoever_draws_the_secret_chooses() -> None:
    """A proof of either version is true all the same; of version 2 it says that nobody took part."""
    random = Random(7)
    options: dict[str, Any] = {"seats": 1}

    def first_roll(chance: Any) -> str:
        return str(Sitting.start(find_game("knister"), options, chance).roll().record().events[0])

    for make in (FairChance, lambda secret: bound_chance("knister", options, secret, {})):
        chances = [make(random.randbytes(32)) for _ in range(300)]
        chosen = next(chance for chance in chances if first_roll(chance) == "~12")
        sitting = Sitting.start(find_game("knister"), options, chosen)
        while not sitting.state.over:
            sitting = (
                sitting.roll() if sitting.state.chance is not None else sitting.play(sitting.state.random_move(random))
            )
        told = verify(sitting.record())
        assert told.fair is True
        assert not told.bound
