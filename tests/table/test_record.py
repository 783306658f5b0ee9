"""Records: written, read, replayed to the identical end, and found out when forged."""

import hashlib
import itertools
import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinds import KINDS, Kind
from sobremesa import GAMES
from sobremesa.core.errors import InvalidRecord, SobremesaError
from sobremesa.table import FairChance, Record, Sitting, loads, verify
from sobremesa.table.fair import Digest, FairnessProof


def sit(kind: Kind, seed: int, decisions: int = 10**9) -> Sitting:
    """A game played at random, seats of a round in any order, for so many decisions."""
    random = Random(seed)
    chance = replace(FairChance.from_seed(str(seed)), words=("word",) * kind.options["seats"])
    names = tuple(f"Ana {seat}" for seat in range(kind.options["seats"]))
    sitting = Sitting.start(kind.game, kind.options, chance, names)
    while not sitting.state.over and decisions > 0:
        if sitting.state.chance is not None:
            sitting = sitting.roll()
            continue
        seat = random.choice(list(sitting.state.deciding))
        sitting = sitting.play(sitting.state.random_move(random, seat), seat)
        decisions -= 1
    return sitting


def forge(record: Record, **fields: Any) -> Record:
    """The record with some of its JSON changed."""
    return loads(json.dumps(json.loads(record.dumps()) | fields))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_record_reads_back_and_replays_to_the_identical_state(kind: Kind) -> None:
    sitting = sit(kind, seed=7)
    record = sitting.record()
    again = loads(record.dumps())
    assert again == record
    assert again.final() == sitting.state
    assert hash(again.final()) == hash(sitting.state)
    verdict = verify(again)
    assert verdict.final == sitting.state
    assert verdict.fair is (True if kind.game.has_chance else None)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("decisions", [0, 1, 7, 23])
def test_a_game_put_aside_goes_on_where_it_was(kind: Kind, decisions: int) -> None:
    sitting = sit(kind, seed=decisions, decisions=decisions)
    record = sitting.record()
    resumed = Sitting.resume(loads(record.dumps()))
    assert resumed.state == sitting.state
    assert resumed.record() == record
    ended = []
    for table in (sitting, resumed):
        random = Random(1)
        while not table.state.over:
            if table.state.chance is not None:
                table = table.roll()
            else:
                seat = next(iter(table.state.deciding))
                table = table.play(table.state.random_move(random, seat), seat)
        ended.append(table)
    assert ended[0].state == ended[1].state, "the same promise gives the same rolls"
    assert verify(ended[1].record()).fair is (True if kind.game.has_chance else None)


def test_without_its_secret_a_game_goes_on_but_proves_nothing() -> None:
    sitting = sit(KINDS[-1], seed=3, decisions=50)
    hidden = sitting.record(reveal=False)
    assert hidden.fair is not None
    assert hidden.fair.secret is None
    assert verify(hidden).fair is None
    resumed = Sitting.resume(hidden)
    assert resumed.record().fair is None


def test_the_secret_is_in_the_record_of_a_finished_game() -> None:
    record = sit(KINDS[-1], seed=3).record(reveal=False)
    assert record.fair is not None
    assert record.fair.secret is not None


class TestForgeries:
    """What is wrong is said precisely."""

    knister = sit(Kind("", GAMES["knister"], {"seats": 2}), seed=5).record()
    callisto = sit(Kind("", GAMES["callisto"], {"seats": 2}), seed=5).record()
    isis = sit(Kind("", GAMES["isis-osiris"], {"seats": 2}), seed=5).record()

    def wrong(self, record: Record, **fields: Any) -> str:
        with pytest.raises(InvalidRecord) as caught:
            verify(forge(record, **fields))
        return str(caught.value)

    def test_a_roll_that_chance_did_not_bring(self) -> None:
        events = list(self.knister.events)
        events[2] = "~7" if events[2] != "~7" else "~8"
        message = self.wrong(self.knister, events=events)
        assert message.startswith("fairness: event 3 says ")
        assert "secret and the words give " + self.knister.events[2][1:] in message

    def test_another_secret(self) -> None:
        fair = json.loads(self.knister.dumps())["fair"] | {"secret": "ab" * 32}
        assert "not the one that was promised" in self.wrong(self.knister, fair=fair)

    def test_other_words(self) -> None:
        fair = json.loads(self.knister.dumps())["fair"] | {"words": ["word", "work"]}
        assert "fairness: event 1 " in self.wrong(self.knister, fair=fair)

    def test_a_better_score(self) -> None:
        data = json.loads(self.knister.dumps())["result"]
        scores = [data["scores"][0] + 1, data["scores"][1]]
        message = self.wrong(self.knister, result=data | {"scores": scores})
        assert message == f"result: the record gives seat 0 a score of {scores[0]}, the game {scores[0] - 1}"

    def test_another_winner(self) -> None:
        data = json.loads(self.callisto.dumps())["result"]
        message = self.wrong(self.callisto, result=data | {"places": data["places"][::-1]})
        assert message.startswith("result: the record gives seat 0 the place ")

    def test_no_result(self) -> None:
        assert "gives no result" in self.wrong(self.callisto, result=None)

    def test_a_result_too_soon(self) -> None:
        assert "the game is not over" in self.wrong(self.callisto, events=list(self.callisto.events[:-1]))

    def test_moves_after_the_end(self) -> None:
        number = len(self.callisto.events) + 1
        message = self.wrong(self.callisto, events=[*self.callisto.events, "h6"])
        assert message == f"event {number} (“h6”): the game is over already"

    def test_an_illegal_move_names_its_rule(self) -> None:
        events = list(self.callisto.events)
        events[1] = events[0]
        assert self.wrong(self.callisto, events=events) == f"event 2 (“{events[0]}”): seat 1: C4: that cell is taken"

    def test_no_move_at_all(self) -> None:
        events = list(self.callisto.events)
        events[5] = "hello"
        assert "event 6 (“hello”): seat 1: “hello” is no cell" in self.wrong(self.callisto, events=events)

    def test_chance_where_a_seat_decides_and_the_other_way_round(self) -> None:
        assert "seat 0 has to decide here" in self.wrong(self.callisto, events=["~3"])
        assert "event 1 (“a1 a1”): chance decides here" in self.wrong(self.knister, events=["a1 a1"])

    def test_a_round_that_somebody_missed(self) -> None:
        events = list(self.knister.events)
        events[1] = "-" + events[1][2:]
        assert "seat 0 has not decided" in self.wrong(self.knister, events=events)

    def test_too_many_moves_in_a_round(self) -> None:
        events = list(self.knister.events)
        events[1] += " a1"
        assert "moves: 3 are here, but 2 have to decide" in self.wrong(self.knister, events=events)

    def test_a_tile_that_is_not_in_the_box(self) -> None:
        events = ["~4" if event.startswith("~") else event for event in self.isis.events]
        assert "I1: no unseen tile has the value 4" in self.wrong(self.isis, events=events, fair=None)

    def test_rules_of_the_future(self) -> None:
        assert "version 2 of Knister; this program knows versions up to 1" in self.wrong(self.knister, rules=2)


@given(st.data())
def test_no_forged_event_goes_unnoticed(data: st.DataObject) -> None:
    """Change one event of a proven game to another: it does not verify, or the result is the same all the same."""
    record = TestForgeries.isis
    at = data.draw(st.integers(0, len(record.events) - 1))
    other = data.draw(st.sampled_from(record.events))
    events = [*record.events[:at], other, *record.events[at + 1 :]]
    if other == record.events[at]:
        return
    try:
        verdict = verify(forge(record, events=events))
    except InvalidRecord:
        return
    assert verdict.final.result() == record.result
    assert not other.startswith("~")


def minimal(**fields: Any) -> str:
    """A record of a game that has not begun, with some fields changed."""
    data = {"format": "sobremesa-record-1", "game": "knister", "rules": 1, "options": {}, "events": []}
    return json.dumps(data | fields)


def test_the_smallest_record() -> None:
    assert not verify(loads(minimal())).final.over


class TestForm:
    """Files that are no records are refused quickly, with our own error."""

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "null",
            "[]",
            "{}",
            '{"format": 1}',
            b"\xff\xfe",
            b"\x00" * 100,
            "[" * 100_000,
            '{"a":' * 100_000,
            minimal(game="go"),
            minimal(game=["knister"]),
            minimal(game=None),
            minimal(options=[]),
            minimal(options={"seats": 1e3}),
            minimal(options={"seats": float("nan")}),
            minimal(options={"seats": 999_999_999}),
            minimal(options={"edition": "classic"}),
            minimal(rules=True),
            minimal(events=[1]),
            minimal(x=1),
            minimal(names=["\x1b[2J"]),
            minimal(names=["\ud800"]),
            minimal(names=["\u202eAna"]),
            minimal(names=["A\u200cna"]),
            minimal(names=["A\u2028na"]),
            minimal(names=["Ana", "Bo"]),
            minimal(fair={"commitment": "xyz"}),
            minimal().replace('"rules": 1', '"rules": ' + "9" * 10_000),
        ],
        ids=itertools.count(),
    )
    def test_refused(self, text: str | bytes) -> None:
        with pytest.raises(SobremesaError):
            loads(text)

    @pytest.mark.parametrize("name", ["👨‍👩‍👧", "Ana\u00a0!", "山\u3000川", "Íñigo ✿"])
    def test_joined_emoji_and_other_blanks_are_no_tricks(self, name: str) -> None:
        assert loads(minimal(names=[name])).names == (name,)

    def test_several_megabytes_are_refused_unread(self) -> None:
        with pytest.raises(InvalidRecord, match="too large"):
            loads("[" * 5_000_000)

    @given(st.data())
    def test_garbled_records(self, data: st.DataObject) -> None:
        text = TestForgeries.knister.dumps()
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 20))
        garbled = text[:at] + data.draw(st.text(max_size=5)) + text[at + cut :]
        try:
            verify(loads(garbled))
        except SobremesaError as error:
            assert str(error)

    json_values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    )

    @given(st.sampled_from(["game", "rules", "options", "names", "fair", "result", "events"]), json_values)
    def test_a_field_of_any_other_kind(self, field: str, value: object) -> None:
        data = json.loads(TestForgeries.knister.dumps()) | {field: value}
        try:
            verify(loads(json.dumps(data)))
        except SobremesaError as error:
            assert str(error)


@pytest.mark.at_length
def test_ten_thousand_sheets_fit_into_a_record() -> None:
    """K8: and it verifies."""
    kind = Kind("", GAMES["knister"], {"seats": 10_000})
    random = Random(1)
    sitting = Sitting.start(kind.game, kind.options, FairChance.from_seed("crowd"))
    for _ in range(25):
        sitting = sitting.roll()
        for seat in range(10_000):
            sitting = sitting.play(sitting.state.random_move(random, seat), seat)
    record = loads(sitting.record().dumps())
    verdict = verify(record)
    assert verdict.moves == 250_000
    assert verdict.fair


def test_words_of_somebody_who_was_forgotten_are_kept_as_a_digest() -> None:
    """The same rolls follow from it, and nobody can read the words."""
    sitting = sit(KINDS[-1], seed=3)
    record = sitting.record()
    assert isinstance(record.fair, FairnessProof)
    forgotten = replace(record.fair, words=(Digest.of(str(record.fair.words[0])), *record.fair.words[1:]))
    text = replace(record, fair=forgotten).dumps()
    assert json.loads(text)["fair"]["words"][0] == {"sha256": hashlib.sha256(b"word").hexdigest()}
    assert verify(loads(text)).fair
    assert loads(text).dumps() == text


@pytest.mark.parametrize(
    "words", [{"sha256": "12"}, {"sha256": 5}, {"sha256": "g" * 64}, {}, {"sha256": "0" * 64, "more": ""}, 7, None]
)
def test_a_digest_has_64_hexadecimal_digits_and_nothing_beside_it(words: object) -> None:
    data = json.loads(sit(KINDS[-1], seed=3).record().dumps())
    data["fair"]["words"][0] = words
    with pytest.raises(InvalidRecord, match="fair"):
        loads(json.dumps(data))


def test_another_digest_gives_other_rolls() -> None:
    data = json.loads(sit(KINDS[-1], seed=3).record().dumps())
    data["fair"]["words"][0] = {"sha256": "0" * 64}
    with pytest.raises(InvalidRecord, match="fairness"):
        verify(loads(json.dumps(data)))
