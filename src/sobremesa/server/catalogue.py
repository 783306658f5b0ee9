"""What a game declares of itself, as the page is told it: /api/games, and the catalogue that is built into the page."""

from functools import cache
from importlib.resources import files
from itertools import product

from fastapi import APIRouter, Request, Response

from sobremesa.core.game import Game, Urn
from sobremesa.core.language import Language, rules_page
from sobremesa.engines import players_of
from sobremesa.engines.levels import LEVELS, sentence_of
from sobremesa.games import GAMES, find_game
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_PLANNED_SEATS
from sobremesa.rooms.messages import Message
from sobremesa.server.addresses import GameId, InLanguage
from sobremesa.server.house import language as spoken
from sobremesa.server.pages import ASK_AGAIN, KINDS
from sobremesa.server.visitors import language_of

BUILT_IN = "page"
"""``Game.page`` of a game whose part is compiled into the page of the house."""
catalogue_routes = APIRouter()


class ChoiceInfo(Message):
    """One way to decide an option."""

    value: int | str | bool
    """What is sent when a room is opened."""
    label: str
    """What people call it, in the language asked for."""


class OptionInfo(Message):
    """Something that is agreed when a table is set; without choices it is a number."""

    name: str
    """The key under ``options`` when a room is opened."""
    label: str
    """What people call it, in the language asked for; empty for what a form does not ask."""
    default: int | str | bool
    """What it is if nobody says otherwise."""
    choices: list[ChoiceInfo]
    """The ways to decide it; empty for a number."""
    least: int
    """The smallest number, where there are no choices."""
    most: int | None
    """The smallest and the largest number, where there are no choices; None for no largest."""


class SeatsInfo(Message):
    """How many can play."""

    least: int
    """The fewest seats."""
    most: int | None
    """None for any number."""
    choices: list[int]
    """The sizes of tables whose seats are named one by one."""


class ComputerPlayer(Message):
    """A computer player that can be seated."""

    id: str
    """What a seat's ``player`` is when a room is opened."""
    level: int
    """1 is the weakest; 0 for a player outside the levels."""
    name: str
    """What people call it, in the language asked for."""


class UrnInfo(Message):
    """What chance draws from at tables with these options, for whoever checks a record."""

    options: dict[str, int | str | bool]
    """What the table's options have to be, as far as they matter to chance."""
    weights: list[tuple[int, int]]
    """Outcomes in ascending order, and how many tickets each has."""
    replaced: bool
    """Whether what was drawn goes back."""
    after: str
    """A regular expression for the event of a record after which chance speaks; at the start it is the empty text."""


class GameInfo(Message):
    """A game that can be played here."""

    id: str
    """The game's id, in rooms, records and positions."""
    name: str
    """What the game is called; the same in all languages."""
    designer: str
    """Who invented it."""
    credit: str
    """Whom else to thank: a publisher and a year; may be empty."""
    aim: str
    """What it is about, in one sentence in the language asked for."""
    minutes: int
    """How long a game takes."""
    age: int
    """From how many years on it is fun."""
    version: int
    """The version of its rules: it counts up when one changes."""
    rule_prefix: str
    """The letter before the numbers of its rules."""
    seats: SeatsInfo
    """How many seats a table can have."""
    options: list[OptionInfo]
    """What is agreed when a table is set, ``seats`` left out."""
    players: list[ComputerPlayer]
    """The computer players, the weakest level first."""
    phrases: list[str]
    """Quick phrases: keys that each client shows in its own language."""
    low_wins: bool
    """Whether the lowest score wins."""
    series_rule: str | None
    """The rule that wants at least as many games in a series as there are players; None where there is none."""
    has_chance: bool
    """Whether dice or a shuffle decide anything."""
    crowd: bool
    """Whether any number of people can play one game."""
    urns: list[UrnInfo]
    """What chance draws from, for each way to set the table that matters to it."""
    outcomes: dict[str, str]
    """What people call what chance can bring, in the language asked for; empty where nothing is left to chance."""
    page: str | None
    """The address of its own part of the page, if it is not built in; None for none."""


@catalogue_routes.get("/api/games")
async def games(request: Request, language: InLanguage = None) -> list[GameInfo]:
    """The games, how their tables can be set, and who can sit down as a computer player."""
    code = language or language_of(request)
    return [describe(game, spoken(code)) for game in GAMES.values()]


@catalogue_routes.get("/api/games/{game}/rules", responses={200: {"content": {"text/markdown": {}}}})
async def rules(request: Request, game: GameId, language: InLanguage = None) -> Response:
    """A game's rules as Markdown, in the language asked for, or in English where that is all there is."""
    code = language or language_of(request)
    return Response(rules_page(find_game(game).package, code), media_type="text/markdown; charset=utf-8")


@catalogue_routes.get("/api/games/{game}/picture.svg", responses={200: {"content": {"image/svg+xml": {}}}})
async def start_picture(game: GameId) -> Response:
    """How the game's table looks at the start."""
    return Response(find_game(game).start().view(None).svg(), media_type="image/svg+xml")


@catalogue_routes.get("/games/{game}/{file}", include_in_schema=False)
async def part(game: str, file: str) -> Response:
    """A file of the part that a game in another package brings to the page: from the folder of its module, no other."""
    module = find_game(game).page
    folder, _, _ = module.rpartition("/")
    path = files(find_game(game).package).joinpath(folder, file)
    ending = "." + file.rpartition(".")[2]
    if module in ("", BUILT_IN) or ending not in KINDS or file.startswith(".") or not path.is_file():
        raise Refusal("unknown", "server.error.there-is-nothing-here")
    return Response(path.read_bytes(), media_type=KINDS[ending], headers={"Cache-Control": ASK_AGAIN})


def describe(game: Game, language: Language) -> GameInfo:
    """All of it, in one language."""
    seats = game.seats
    return GameInfo(
        id=game.id,
        name=game.name,
        designer=game.designer,
        credit=game.credit,
        aim=language.say(game.aim),
        minutes=game.minutes,
        age=game.age,
        version=game.version,
        rule_prefix=game.rule_prefix,
        seats=SeatsInfo(
            least=int(min(seats.choices)) if seats.choices else seats.least,
            most=int(max(seats.choices)) if seats.choices else None if game.crowd else seats.most,
            choices=_planned(game),
        ),
        options=[
            OptionInfo(
                name=option.name,
                label=language.say(option.label) if option.label else "",
                default=option.default,
                choices=[
                    ChoiceInfo(value=value, label=language.say(label) if option.labels else str(value))
                    for value, label in zip(option.choices, option.labels or map(str, option.choices), strict=True)
                ],
                least=option.least,
                most=option.most,
            )
            for option in game.options
        ],
        players=computer_players(game, language),
        phrases=list(m.PHRASES),
        low_wins=game.low_wins,
        series_rule=game.series_rule,
        has_chance=game.has_chance,
        crowd=game.crowd,
        urns=urns_of(game),
        outcomes=_outcomes(game, language),
        page=None if game.page in ("", BUILT_IN) else f"/games/{game.id}/{game.page.rpartition('/')[2]}",
    )


def _outcomes(game: Game, language: Language) -> dict[str, str]:
    drawn = sorted({outcome for urn in urns_of(game) for outcome, _ in urn.weights})
    sentences = ((str(outcome), game.words.describe_chance(outcome)) for outcome in drawn)
    return {outcome: language.say(id, **values) for outcome, (id, values) in sentences}


def computer_players(game: Game, language: Language) -> list[ComputerPlayer]:
    """Who can be seated, the weakest level first, then those outside the levels; names in this language."""
    return [
        ComputerPlayer(id=id, level=LEVELS.get(id, 0), name=language.say(sentence_of(id))) for id in players_of(game)
    ]


def _planned(game: Game) -> list[int]:
    seats = game.seats
    if seats.choices:
        return [int(choice) for choice in seats.choices if int(choice) <= MAX_PLANNED_SEATS]
    return list(range(seats.least, min(seats.most or MAX_PLANNED_SEATS, MAX_PLANNED_SEATS) + 1))


@cache
def urns_of(game: Game) -> list[UrnInfo]:
    """What chance draws from, for every way to set a table that makes a difference."""
    if game.urn is None:
        return []
    asked = [o for o in game.options if o.choices and o.changes == "rules" and o.name != "seats"]
    names = [option.name for option in asked]
    found = [dict(zip(names, way, strict=True)) for way in product(*(option.choices for option in asked))]
    urns = [(options, game.urn(options)) for options in found]
    if all(urn == urns[0][1] for _, urn in urns):
        urns = [({}, urns[0][1])]
    return [_urn(options, urn) for options, urn in urns]


def _urn(options: dict[str, int | str | bool], urn: Urn) -> UrnInfo:
    return UrnInfo(options=options, weights=sorted(urn.weights.items()), replaced=urn.replaced, after=urn.after)


def catalogue() -> dict[str, object]:
    """What the page knows of the house's own games before it asks a server: names, and what chance draws from."""
    own = {id: game for id, game in GAMES.items() if game.page == BUILT_IN}
    return {
        id: {"name": game.name, "urns": [urn.model_dump(mode="json") for urn in urns_of(game)]}
        for id, game in own.items()
    }
