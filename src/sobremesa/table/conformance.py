"""Whether a game keeps the contract: for the tests of whoever brings one.

    from sobremesa.table.conformance import check_game

    def test_it_keeps_the_contract():
        check_game(GAME)

Random games are played at every kind of table, and everything is asked that the surroundings rely on. What is wrong is
raised as an AssertionError that says where: with the position, which can be pasted into ``sobremesa show``.
"""

import json
import pickle
import re
from collections.abc import Iterator, Set
from random import Random
from typing import Any
from xml.etree import ElementTree

from sobremesa.core.catalogues import catalogue_of, has_sentence
from sobremesa.core.errors import IllegalMove, InvalidMove, InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.language import LANGUAGES, rules_page
from sobremesa.core.message_format import gaps, parse_message
from sobremesa.core.state import State
from sobremesa.games import GAMES, GROUP
from sobremesa.table.fair import FairChance
from sobremesa.table.record import Record, loads
from sobremesa.table.sitting import Sitting
from sobremesa.table.verify import verify

MAX_CHECKED_SEATS = 5
"""Seats of a large table that are looked at."""


def check_game(game: Game, games: int = 3, seed: int = 1) -> None:
    """Plays so many random games at each kind of table; raises an AssertionError at the first thing that is wrong."""
    _check_declaration(game)
    assert GAMES.get(game.id) is game, f"{game.id} is not registered: install its package, with the entry point {GROUP}"
    for name, options in game.kinds().items():
        for number in range(games):
            random = Random(f"{seed} {name} {number}")
            seats = int(options.get("seats", game.seats.default))
            _check_sitting(game, dict(options) | {"starter": number % seats}, random)


def _check_declaration(game: Game) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9-]*", game.id), f"the id {game.id!r} has lower-case letters, digits and hyphens"
    names = [option.name for option in game.options]
    assert {"seats", "starter"} <= set(names), "the options include seats and starter"
    for option in game.options:
        assert not option.labels or len(option.labels) == len(option.choices), f"{option.name}: a label for each choice"
    said = (game.aim, *game.words.help, *(text for option in game.options for text in (option.label, *option.labels)))
    for id in filter(None, said):
        _check_sentence(game, id)
    numbers = set(re.findall(rf"\(({game.rule_prefix}\d+)\)", rules_page(game.package, "en")))
    wanted = {f"{game.rule_prefix}{number}" for number in range(1, game.rule_count + 1)}
    assert numbers == wanted, f"rules/en.md tells each rule with its number in brackets: {sorted(wanted ^ numbers)}"


def _check_sentence(game: Game, id: str, values: Set[str] = frozenset()) -> None:
    assert has_sentence(id), f"locales/en.json of {game.package} has no sentence “{id}”"
    for code in LANGUAGES:
        if text := catalogue_of(id, code).get(id):
            unfilled = gaps(parse_message(text)).keys() - values
            assert not unfilled, f"{id} has gaps that nothing fills, in {LANGUAGES[code]}: {sorted(unfilled)}"


def _check_sitting(game: Game, options: dict[str, Any], random: Random) -> None:
    state = game.start(**options)
    assert game.start(**options) == state, "the same options make the same start"
    sitting = Sitting.start(game, options, FairChance(random.randbytes(32)))
    steps = 0
    most = game.max_steps(sitting.state.options) if game.max_steps else 100_000
    while not sitting.state.over:
        state = sitting.state
        try:
            _check_state(game, state, random)
        except AssertionError as wrong:
            raise AssertionError(f"{wrong} — at: {state.position()}") from wrong
        if state.chance is not None:
            _check_urn(game, state, steps == 0)
            sitting = sitting.happen(sitting.bound())
        else:
            seat = random.choice(list(state.deciding))
            sitting = sitting.play(state.random_move(random, seat), seat)
        steps += 1
        assert steps <= most, f"a game has at most {most} steps: {state.position()}"
    _check_end(game, sitting)


def _check_state(game: Game, state: State[Any], random: Random) -> None:
    assert game.parse_position(state.position()) == state, "the position reads back as it was written"
    assert pickle.loads(pickle.dumps(state)) == state, "a state can be pickled"
    assert hash(game.parse_position(state.position())) == hash(state), "equal states have equal hashes"
    assert bool(state.deciding) != (state.chance is not None), "somebody has to decide, or chance has, until it is over"
    assert state.result() is None, "there is no result before the end"
    for seat in [*list(range(state.seats))[:MAX_CHECKED_SEATS], None]:
        _check_view(game, state, seat, random)
    for seat in (-1, state.seats):
        assert not state.legal_moves(seat), "a seat that is not there has no moves"
        try:
            state.view(seat)
        except InvalidSetup:
            pass
        else:
            raise AssertionError("a seat that is not there has no view: call check_seat")
    try:
        state.parse_move("no such move !")
    except InvalidMove:
        pass
    else:
        raise AssertionError("what is no move raises InvalidMove")


def _check_view(game: Game, state: State[Any], seat: int | None, random: Random) -> None:
    view = state.view(seat)
    moves = list(view.legal_moves())
    assert view == state.view(seat), "views are values"
    plain = view.as_dict()
    assert json.loads(json.dumps(plain)) == plain, "a view as plain data is ready for JSON"
    assert plain.get("game") == game.id, "as_dict says the game's id"
    assert plain.get("seat") == seat, "as_dict says whose view it is"
    assert plain.get("options") == state.options, "as_dict says how the table was set"
    assert set(plain.get("deciding", [-1])) <= set(state.deciding), "as_dict says who has to decide, as far as is known"
    assert view.text(), "a drawing in characters"
    svg = view.svg()
    said = [ElementTree.fromstring(svg).findtext(f"{{*}}{name}") for name in ("title", "desc")]
    assert all(said), "the picture has a title, and a desc that says what it shows, for who cannot see it"
    pictured = set(_data(svg, "data-move"))
    if seat is None:
        assert not moves, "a spectator has no moves"
        return
    assert moves == list(state.legal_moves(seat)), "a view has the seat's own moves"
    assert len(moves) == state.count_moves(seat) == len(set(moves)), "moves are counted and listed alike"
    assert bool(moves) == (seat in state.deciding), "who has to decide has a move, and nobody else"
    if moves and game.sample is not None:
        assert game.sample(view, random).view(seat) == view, "a sampled state looks the same to the seat"
    if moves and game.heuristic is not None:
        assert len(game.heuristic(view, moves)) == len(moves), "the heuristic has a value for each move"
    if moves:
        assert game.forced(view) in moves, "the forced move is a legal one"
    for move in moves:
        assert state.parse_move(str(move), seat) == move, f"the move {move} reads back as it was written"
        id, values = game.words.describe(move)
        _check_sentence(game, id, {*values, "name"})
        before = state.position()
        after = state.play(move, seat)
        assert state.position() == before, "to play changes nothing but makes a new state"
        assert state.play(str(move), seat) == after, "a move can be played by its text"
    everything = game.all_moves(state) if game.all_moves else ()
    rules = {f"{game.rule_prefix}{number}" for number in range(1, game.rule_count + 1)}
    for move in everything:
        if move not in moves:
            try:
                state.play(move, seat)
            except IllegalMove as error:
                broken = error.rule
                _check_sentence(game, error.id, set(error.values))
            else:
                raise AssertionError(f"{move} is played, but not among the legal moves")
            assert broken in rules, f"{broken} is no rule of the game"
    assert not everything or [move for move in everything if move in set(moves)] == moves, "moves are in a fixed order"
    assert not pictured or {str(move) for move in moves} & pictured or not moves, "the picture has moves to tap"


def _data(svg: str, name: str) -> Iterator[str]:
    for element in ElementTree.fromstring(svg).iter():
        assert element.tag.rpartition("}")[2] not in ("script", "style", "foreignObject"), "a picture is only drawn"
        assert not any(key.startswith("on") or key == "style" for key in element.attrib), "a picture has no scripts"
        if name in element.attrib:
            yield element.attrib[name]


def _check_urn(game: Game, state: State[Any], first: bool) -> None:
    assert game.urn is not None, "a game with chance says what it draws from"
    chance, urn = state.chance, game.urn(state.options)
    assert chance is not None
    if first or urn.replaced:
        assert dict(zip(chance.outcomes, chance.weights, strict=True)) == dict(urn.weights), (
            "the urn is what is drawn from"
        )
    assert set(chance.outcomes) <= set(urn.weights), "nothing is drawn that is not in the urn"


def _check_end(game: Game, sitting: Sitting) -> None:
    state, record = sitting.state, sitting.record()
    result = state.result()
    assert result is not None, f"who is where in the end? {state.position()}"
    assert len(result.scores) == len(result.places) == state.seats
    better = [-score if game.low_wins else score for score in result.scores]
    for one, other in ((a, b) for a in range(state.seats) for b in range(state.seats)):
        assert better[one] <= better[other] or result.places[one] < result.places[other], "places go with scores"
    again = loads(record.dumps().encode())
    assert again == record, "a record reads back as it was written"
    assert verify(again).fair in (True, None), "a record verifies"
    _check_events(game, again)


def _check_events(game: Game, record: Record) -> None:
    """The urn says after which events chance speaks: that is how a browser checks a record."""
    if game.urn is None:
        return
    after = re.compile(game.urn(record.options).after)
    before = ""
    for event in record.events:
        assert event.startswith("~") == bool(after.search(before)), (
            f"the urn's “after” does not fit “{before}”, “{event}”"
        )
        before = event
