"""Whatever text comes in, only our own errors come out, and what is accepted makes sense."""

from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sobremesa
from kinds import KINDS, Kind, examples, reached
from sobremesa import GAMES, playout
from sobremesa.core import Game, SobremesaError, State
from sobremesa.core.cells import cell_name, parse_cell
from sobremesa.core.position import MAX_POSITION_LENGTH

SEEDS = st.integers(0, 10**6)
STEPS = st.integers(0, 10**4)

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=60)
"""Any text at all, lone surrogates and NULs included."""
ODD = "\0\n\t \u00a0\u2003٣²⑤Ａ１ßİK\ud800\udfff😀"
"""NUL, blanks of all kinds, digits that are none, letters that change their length in small letters, surrogates."""
MARKS = "abcdefghijklmnopqrstuvwxyzABCDTS0123456789 =/;,.@+-?" + ODD
NOTATION = st.text(MARKS, max_size=40)
PARSERS = {"any": sobremesa.parse_position} | {game.id: game.parse_position for game in GAMES.values()}


def refused(parse: Callable[[str], object], text: str) -> bool:
    """Whether a parser refuses a text, with one of our errors, which reads well."""
    try:
        parse(text)
    except SobremesaError as error:
        assert 0 < len(str(error)) < 400
        return True
    return False


def check_position(parse: Callable[[str], State[Any]], text: str) -> None:
    """A position is refused, or it parses back and can be played to its end."""
    if refused(parse, text):
        return
    state = parse(text)
    again = parse(state.position())
    assert again == state
    assert again.position() == state.position()
    for seat in (0, state.seats - 1, None):
        state.view(seat).as_dict()
    assert playout(state, Random(1)).result() is not None


@pytest.mark.parametrize("parse", PARSERS.values(), ids=PARSERS)
@given(text=ANYTHING | NOTATION)
@example("")
@example(" ")
@example("\0")
@example("\ud800")
@examples(150)
def test_random_text_is_no_position(parse: Callable[[str], State[Any]], text: str) -> None:
    check_position(parse, text)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@given(data=st.data())
@examples(150)
def test_the_right_fields_with_random_values(game: Game, data: st.DataObject) -> None:
    words = game.start().position().split(" ")
    for index in range(1, len(words)):
        key = words[index].partition("=")[0]
        values = NOTATION | ANYTHING | st.integers(-3, 50).map(str) | st.just(words[index].partition("=")[2])
        words[index] = f"{key}={data.draw(values)}"
    check_position(game.parse_position, " ".join(words))


CHANGES = ["delete", "double", "swap", "replace", "insert", "number", "drop", "repeat", "exchange", "borrow"]


@st.composite
def mangled(draw: st.DrawFn, kind: Kind) -> str:
    """A position in which a few characters, or whole fields, were changed."""
    text = reached(kind, draw(SEEDS), draw(STEPS)).position()
    other = reached(kind, draw(SEEDS), draw(STEPS)).position().split(" ")
    for _ in range(draw(st.integers(1, 4))):
        one, two = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        words = text.split(" ")
        word = draw(st.integers(0, len(words) - 1))
        match draw(
            st.sampled_from(
                ["delete", "double", "swap", "replace", "insert", "number", "drop", "repeat", "exchange", "borrow"]
            )
        ):
            case "delete":
                text = text[:one] + text[one + 1 :]
            case "double":
                text = text[:one] + text[one : one + 1] + text[one:]
            case "swap":
                text = text[:one] + text[two : two + 1] + text[one + 1 : two] + text[one : one + 1] + text[two + 1 :]
            case "replace":
                text = text[:one] + draw(st.sampled_from(MARKS)) + text[one + 1 :]
            case "insert":
                text = text[:one] + draw(st.sampled_from(MARKS)) + text[one:]
            case "number":
                digits = [at for at, mark in enumerate(text) if mark.isdigit()]
                at = draw(st.sampled_from(digits)) if digits else 0
                text = text[:at] + str(draw(st.integers(0, 12))) + text[at + 1 :]
            case "drop":
                text = " ".join(words[:word] + words[word + 1 :])
            case "repeat":
                text = " ".join(words[:word] + words[word : word + 1] + words[word:])
            case "exchange":
                words[word], words[-1] = words[-1], words[word]
                text = " ".join(words)
            case "borrow":
                words[word] = other[word % len(other)]
                text = " ".join(words)
    return text


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(data=st.data())
@examples(60)
def test_mangled_positions(kind: Kind, data: st.DataObject) -> None:
    text = data.draw(mangled(kind))
    check_position(kind.game.parse_position, text)
    check_position(sobremesa.parse_position, text)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("other", GAMES.values(), ids=GAMES)
def test_a_position_of_another_game_is_refused(game: Game, other: Game) -> None:
    assert refused(game.parse_position, other.start().position()) == (game is not other)


FIELDS = {game.id: game.start().position().split(" ") for game in GAMES.values()}


@pytest.mark.parametrize(
    "size", [MAX_POSITION_LENGTH - 10_000, 4 * MAX_POSITION_LENGTH], ids=["a megabyte", "four megabytes"]
)
@pytest.mark.parametrize(
    "mark", ["x", " ", "=", "/", ";", ",", ".", "1", "a1;", "......./", "A", "+1", "\0", "٣", "h1,i1;"]
)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_megabytes_of_text_are_refused_at_once(game: Game, mark: str, size: int) -> None:
    """Alone, and as the value of each field."""
    long = mark * (size // len(mark))
    words = FIELDS[game.id]
    texts = [long, f"{game.id} {long}"]
    for index in range(1, len(words)):
        key = words[index].partition("=")[0]
        texts.append(" ".join([*words[:index], f"{key}={long}", *words[index + 1 :]]))
    for text in texts:
        begun = process_time()
        assert refused(game.parse_position, text)
        assert refused(sobremesa.parse_position, text)
        assert process_time() - begun < 2


def test_a_megabyte_of_sheets_is_read_in_a_moment() -> None:
    """The most that a position can hold: forty thousand sheets of Knister."""
    seats = 40_000
    text = f"knister seats={seats} starter=0 roll=7 sheets={'/'.join(['.' * 25] * seats)}"
    assert len(text) < MAX_POSITION_LENGTH
    begun = process_time()
    state = sobremesa.parse_position(text)
    assert process_time() - begun < 10
    assert len(state.deciding) == seats


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.options["seats"] <= 5], ids=str)
@given(seed=SEEDS, at=STEPS, text=ANYTHING | NOTATION)
@example(seed=0, at=7, text="")
@example(seed=0, at=7, text="@")
@example(seed=0, at=7, text="s")
@example(seed=0, at=-1, text="2@a1")
@examples(60)
def test_random_text_as_a_move(kind: Kind, seed: int, at: int, text: str) -> None:
    check_move(reached(kind, seed, at), text)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.options["seats"] <= 5], ids=str)
@given(seed=SEEDS, at=STEPS, pick=st.integers(0, 10**6), where=st.integers(0, 20), mark=st.sampled_from(MARKS))
@examples(60)
def test_mangled_moves(kind: Kind, seed: int, at: int, pick: int, where: int, mark: str) -> None:
    state = reached(kind, seed, at)
    seat = next(iter(state.deciding), None)
    if seat is None:
        return
    moves = state.legal_moves(seat)
    move = moves[pick % len(moves)]
    for text in (str(move), getattr(move, "short", str(move))):
        where %= len(text) + 1
        for changed in (text[:where] + text[where + 1 :], text[:where] + mark + text[where:], text[:where] + mark):
            check_move(state, changed)


def check_move(state: State[Any], text: str) -> None:
    """A text is refused, or names a move that parses back; to play it changes the state, or breaks a rule."""
    seat = next(iter(state.deciding), 0)
    if refused(lambda text: state.parse_move(text, seat), text):
        return
    move = state.parse_move(text, seat)
    assert state.parse_move(str(move), seat) == move
    try:
        after = state.play(move, seat)
    except SobremesaError as error:
        assert move not in state.legal_moves(seat)
        assert str(error)
    else:
        assert move in state.legal_moves(seat)
        assert after != state


@pytest.mark.parametrize("mark", ["a1,", "a", "1", "@", "L@", " ", "\0", "T", "S"])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_megabytes_of_text_are_no_move(game: Game, mark: str) -> None:
    begun = process_time()
    assert refused(game.start().parse_move, mark * 4_000_000)
    assert process_time() - begun < 2


@given(text=ANYTHING | NOTATION, width=st.integers(1, 26), height=st.integers(1, 99))
@example("a1", 1, 1)
@examples(300)
def test_cells(text: str, width: int, height: int) -> None:
    if not refused(lambda text: parse_cell(text, width, height), text):
        x, y = parse_cell(text, width, height)
        assert x in range(width)
        assert y in range(height)
        assert cell_name(x, y) == text.lower()


HUGE = st.sampled_from([10**9, 10**18, 2**63, 10**30, -(10**30), 10**4000, -(10**4000)])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 6) | st.integers() | HUGE | st.floats() | ANYTHING,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANYTHING, inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["edition", "seats", "variant", "memory_aid", "starter"]) | ANYTHING
SENSIBLE = st.sampled_from(["classic", "pocket", "standard", "own", "common", True, False, 0, 1, 2, 3, 4])


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@given(chosen=st.dictionaries(NAMES, JSON | SENSIBLE, max_size=5))
@example({"seats": True})
@example({"seats": 2.0})
@example({"starter": False})
@example({"starter": float("nan")})
@example({"seats": [2]})
@example({"edition": None})
@example({"": ""})
@examples(300)
def test_tables_of_all_kinds(game: Game, chosen: dict[str, Any]) -> None:
    try:
        options = game.set_table(chosen)
    except SobremesaError as error:
        assert 0 < len(str(error)) < 400
        with pytest.raises(SobremesaError):
            game.start(**chosen)
        return
    assert options == game.set_table(options)
    assert {name: options[name] for name in chosen} == chosen
    for option in game.options:
        assert type(options[option.name]) is type(option.default)
    if int(options["seats"]) <= 1000:
        assert game.start(**chosen).options == options


@pytest.mark.parametrize("option", ["seats", "starter"])
@pytest.mark.parametrize("value", [2**31, 2**63, 10**30, 10**5000], ids=["2^31", "2^63", "10^30", "10^5000"])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_numbers_that_no_machine_can_carry(game: Game, value: int, option: str) -> None:
    """K8: there is no limit but what the machine can carry; more than that is refused, not tried."""
    with pytest.raises(SobremesaError) as error:
        game.start(**{option: value})
    assert 0 < len(str(error.value)) < 400


@given(id=ANYTHING)
def test_games_by_any_name(id: str) -> None:
    assert refused(sobremesa.find_game, id) == (id not in GAMES)
