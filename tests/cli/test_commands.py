"""The commands, as somebody types them."""

import io
import json
import re
import shlex
from pathlib import Path

import pytest

from sobremesa.cli import main
from sobremesa.table import loads, verify


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own, and a plain English terminal."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Shell:
    """Runs commands with something typed, and keeps what they print."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.out = self.err = ""
        self.status = 0

    def __call__(self, command: str, typed: str = "") -> str:
        self._monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        self._capsys.readouterr()
        try:
            self.status = main(shlex.split(command))
        except SystemExit as exit:
            self.status = int(exit.code or 0)
        self.out, self.err = self._capsys.readouterr()
        return self.out


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.mark.parametrize("game", ["callisto", "isis-osiris", "knister"])
@pytest.mark.parametrize("players", ["greedy,random", "random,greedy,random"])
def test_computers_play_to_the_end_and_the_record_is_true(shell: Shell, home: Path, game: str, players: str) -> None:
    out = shell(f"play {game} --players {players} --seed 1")
    assert shell.status == 0
    assert "The game is over." in out
    assert re.search(r"^ +1\. (greedy|random): -?\d+$", out, re.MULTILINE)
    record = home / "data/sobremesa/finished-game.json"
    verify(loads(record.read_bytes()))
    shell(f"verify {record}")
    assert shell.status == 0
    assert "all legal" in shell.out
    assert "The result is right" in shell.out
    if game != "callisto":
        assert "Chance kept to the promise" in shell.out


def test_the_same_seed_gives_the_same_game(shell: Shell) -> None:
    games = [shell(f"play isis-osiris --players greedy,random --seed {seed}") for seed in ("a", "a", "b")]
    assert games[0] == games[1] != games[2]


def test_a_person_plays_knister_to_the_end(shell: Shell) -> None:
    cells = [f"{column}{row}" for row in range(1, 6) for column in "abcde"]
    typed = "".join(f"\n{cell}\n" for cell in cells)
    out = shell("play knister --players Ana --seed 1", typed)
    assert shell.status == 0, out[-500:]
    assert out.count("The dice make") == 25
    assert "1. Ana: " in out


def test_illegal_moves_are_explained_and_nothing_is_lost(shell: Shell) -> None:
    shell("play callisto --players Ana,Bo", "h8\nzz\nc8\nc8\n")
    assert "C4: a pillar may not stand in the centre" in shell.err
    assert "“zz” is no cell" in shell.err
    assert "C4: that cell is taken" in shell.err
    assert "Ana: pillar on c8" in shell.out
    assert "The game is kept" in shell.out


def test_undo_before_the_computer_moves(shell: Shell) -> None:
    out = shell("play callisto --players Ana,greedy --seed 1", "c8\nundo\nd8\n\nundo\n")
    assert "The last move is taken back." in out
    assert "Ana: pillar on d8" in out
    assert "greedy: pillar on" in out
    assert "nothing to take back" in shell.err, "the greedy player has moved since"


def test_undo_before_the_next_roll_but_not_after(shell: Shell) -> None:
    out = shell("play knister --players Ana --seed 1", "\nc3\nundo\nd4\n\nundo\nquit\n")
    assert out.count("Ana: written") == 2
    assert out.count("The last move is taken back.") == 1
    assert "nothing to take back" in shell.err


def test_save_and_resume(shell: Shell, home: Path) -> None:
    shell("play isis-osiris --players Ana,greedy --seed 1", "c3\n\nsave game.json\nquit\n")
    assert "Saved. Go on with: sobremesa resume game.json" in shell.out
    record = loads((home / "game.json").read_bytes())
    assert record.names == ("Ana", "greedy")
    assert record.events[0] == "Sc3"
    out = shell("resume game.json", "d4\n\n")
    assert "Ana: stone on d4" in out
    assert "greedy: " in out
    shell("resume game.json", "save no/such/folder/game.json\nquit\n")
    assert "there is no folder “no/such/folder”: make it first, or save elsewhere" in shell.err
    assert not (home / "no").exists()


def test_a_game_that_was_left_is_offered_again(shell: Shell) -> None:
    shell("play callisto --players Ana,Bo", "c8\n")
    assert shell.status == 130
    out = shell("play", "0\nn8\n")
    assert "Go on with the game that you left" in out
    assert "Bo: pillar on n8" in out


def test_the_menu_leads_into_a_game(shell: Shell) -> None:
    out = shell("play", "9\n3\nAna,Bo\n\na1\nb2\n")
    assert "Type a number from the list." in out
    assert "Ana: written" in out
    assert "Bo: written" in out


def test_too_many_or_too_few_players_are_refused_kindly(shell: Shell) -> None:
    shell("play", "1\na,b,c,d,e\nAna\na,b\n")
    most, least = shell.err.splitlines()
    assert most.endswith(" is for 4 at most: leave names out")
    assert least.endswith(" needs at least 2 players: add a name or a computer, with a comma, as in Ana,greedy")


def test_moves_are_listed(shell: Shell) -> None:
    opening = "c8\nn8\nf3\nk3\n"
    out = shell("play callisto --players Ana,Bo", opening + "moves 2\nmoves Q\n2@d8\n2a@d8\n")
    assert re.search(r"Legal moves, in groups: P ×\d+  2 ×\d+", out)
    assert re.search(r"Legal moves: (2[ab]@\w+ ?)+$", out, re.MULTILINE)
    assert "There is no such move now." in out
    assert "Ana: tile 2 on" in out
    assert "the tile fits there in several ways: 2a@d8 2b@d8" in shell.err


def test_a_series_tells_the_sums(shell: Shell) -> None:
    out = shell("play callisto --players greedy,random --games 2 --seed s")
    assert "Game 1 of 2. First: greedy." in out
    assert "Game 2 of 2. First: random." in out
    assert out.count("The sums so far:") == 2
    assert "C11" not in out


def test_c11_a_series_is_not_too_short_and_says_when_it_is_uneven(shell: Shell) -> None:
    out = shell("play callisto --edition pocket --players random,random --games 3 --seed s")
    assert "C11: with 3 games some start once more than others." in out
    assert "Only with a multiple of 2 does everybody start equally often." in out
    assert "Game 3 of 3." in out
    shell("play callisto --players greedy,random,random --games 2")
    assert shell.status == 1
    assert "C11: a series of Callisto has at least as many games as players, so here 3 or more" in shell.err
    assert "C11" not in shell("play knister --players random,random --games 3 --seed s")


def test_in_a_round_of_knister_nobody_sees_where_the_computer_wrote(shell: Shell) -> None:
    out = shell("play knister --players Ana,greedy --seed 1", "\n")
    assert "greedy: written" in out
    assert not re.search(r"greedy: .*[a-e][1-5]", out)


@pytest.mark.parametrize(("code", "pillar"), [("en", "pillar"), ("es", "pilar"), ("fr", "colonne"), ("nl", "pilaar")])
def test_rules_in_four_languages(shell: Shell, code: str, pillar: str) -> None:
    out = shell(f"rules callisto --lang {code}")
    assert out.startswith("# Callisto")
    assert f" {pillar}" in out


@pytest.mark.parametrize("code", ["es", "fr", "nl"])
def test_play_speaks_the_language(shell: Shell, code: str) -> None:
    typed = "?\nh8\nc8\nmoves\nsave x.json\nundo\n"
    english = shell("play callisto --players Ana,Bo", typed) + shell.err
    foreign = shell(f"play callisto --players Ana,Bo --lang {code}", typed) + shell.err
    same = set(english.splitlines()) & set(foreign.splitlines())
    assert not [line for line in same if re.search(r"[a-z]{4,}", line)], "a line was not translated"


def test_forged_records_are_found_out(shell: Shell, home: Path) -> None:
    shell("play knister --players greedy,random --seed 1")
    path = home / "data/sobremesa/finished-game.json"
    text = path.read_text()
    roll = re.search(r'"~(\d+)"', text)
    assert roll
    forged = home / "forged.json"
    forged.write_text(text.replace(roll[0], '"~7"' if roll[1] != "7" else '"~6"', 1))
    shell(f"verify {forged} {path}")
    assert shell.status == 1
    assert re.search(
        r"forged.json: fairness: event 1 says \d+, but the secret and the words give " + roll[1], shell.err
    )
    assert "all legal" in shell.out, "the true one is verified all the same"
    shell(f"verify --json {forged} {path}")
    lines = [json.loads(line) for line in shell.out.splitlines()]
    assert [line["true"] for line in lines] == [False, True]
    assert lines[1]["fair"] is True


@pytest.mark.parametrize("content", [b"", b"\xff", b"{}", b"[" * 5_000_000, b"\x1b]0;evil\x07"])
@pytest.mark.parametrize("ending", ["json", "blksgf"])
def test_files_that_are_no_games(shell: Shell, home: Path, content: bytes, ending: str) -> None:
    path = home / f"bad.{ending}"
    path.write_bytes(content)
    shell(f"verify {path}")
    assert shell.status == 1
    assert len(shell.err.splitlines()) == 1
    assert "\x1b" not in shell.err
    assert "Traceback" not in shell.err


def test_missing_files(shell: Shell) -> None:
    for command in ("verify nowhere.json", "resume nowhere.json", "show nowhere.json", "convert nowhere.json x.json"):
        shell(command)
        assert shell.status == 1
        assert shell.err == "nowhere.json: No such file or directory\n"


ALMOST_FULL = "knister seats=1 starter=0 roll=2 sheets=222.33333344444555556666."
"""Two cells are left; the first makes more of the roll."""


def test_a_position_is_analysed(shell: Shell) -> None:
    """Where the end can be counted out, it is: the figures are the game's own."""
    out = shell(f"analyse '{ALMOST_FULL}'")
    assert shell.status == 0, shell.err
    assert re.findall(r"^ +(\w\d)  = (\d+\.\d)$", out, re.M) == [("d1", "97.9"), ("e5", "82.4")]
    found = json.loads(shell(f"analyse '{ALMOST_FULL}' --json"))
    assert (found["move"], found["exact"], found["measure"], found["position"]) == ("d1", True, "points", ALMOST_FULL)
    assert [each["move"] for each in found["moves"]] == ["d1", "e5"]
    greedy = json.loads(shell(f"analyse '{ALMOST_FULL}' --json --player greedy"))
    assert (greedy["player"], greedy["exact"]) == ("greedy", False)


def test_what_was_forgotten_is_said_of_a_position(shell: Shell) -> None:
    """A position line holds the truth; that a seat is taken to remember it is said in words and in JSON."""
    shell("play isis-osiris --players random,random --seed 1")
    record = loads(Path("data/sobremesa/finished-game.json").read_bytes())
    state = next(state for state in record.states() if state.deciding and "?" in str(state.view(0).as_dict()["cells"]))
    out = shell(f"analyse '{state.position()}' --seconds 0.05")
    assert shell.status == 0, shell.err
    assert "remembered everything" in out
    assert json.loads(shell(f"analyse '{state.position()}' --seconds 0.05 --json"))["assumed"] == "memory"


def test_a_game_is_analysed_from_its_file(shell: Shell) -> None:
    shell("play knister --players greedy,random --seed 1")
    game = "data/sobremesa/finished-game.json"
    out = shell(f"analyse {game} --player greedy")
    assert shell.status == 0, shell.err
    assert len(re.findall(r"^ +\d+\. (greedy|random): \w\d  ", out, re.M)) == 50
    found = json.loads(shell(f"analyse {game} --seconds 0.01 --seat 1 --json"))
    assert found["game"] == "knister"
    assert {move["seat"] for move in found["moves"]} == {1}
    assert len(found["moves"]) == 25
    assert sum(move["lost"] for move in found["moves"]) > 0


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("nowhere.json", "nowhere.json: No such file"),
        ("bad.json", "this is no record"),
        ("'knister seats=x'", "a position of knister has the fields"),
        ("'knister seats=1 starter=0 roll=- sheets=.........................'", "nobody has anything to decide"),
        (f"'{ALMOST_FULL}' --seat 3", "there is no seat 3"),
        (f"'{ALMOST_FULL}' --seconds -1", "nobody can think for -1.0 seconds"),
        (f"'{ALMOST_FULL}' --seconds nan", "nobody can think for nan seconds"),
        (f"'{ALMOST_FULL}' --player nobody", "there is no player"),
        ("bad.json --player nobody", "this is no record"),
    ],
)
def test_what_cannot_be_analysed_is_said_in_a_line(shell: Shell, home: Path, what: str, why: str) -> None:
    (home / "bad.json").write_text("{")
    shell(f"analyse {what}")
    assert shell.status == 1
    assert why in shell.err
    assert len(shell.err.splitlines()) == 1


def test_convert_there_and_back(shell: Shell, home: Path) -> None:
    shell("play callisto --players greedy,random --seed 1")
    shell("convert data/sobremesa/finished-game.json game.blksgf")
    assert (home / "game.blksgf").read_text().startswith("(;GM[Callisto Two-Player]\n")
    shell("verify game.blksgf")
    assert shell.status == 0, shell.err
    shell("convert game.blksgf again.json")
    first, again = (loads((home / name).read_bytes()) for name in ("data/sobremesa/finished-game.json", "again.json"))
    assert (again.events, again.result, again.names) == (first.events, first.result, first.names)
    shell("play knister --players greedy --seed 1")
    shell("convert data/sobremesa/finished-game.json game.blksgf")
    assert "cannot be written as .blksgf" in shell.err


def test_show(shell: Shell, home: Path) -> None:
    shell("play callisto --players greedy,random --seed 1")
    game = "data/sobremesa/finished-game.json"
    shell(f"show {game} --svg board.svg")
    assert (home / "board.svg").read_text().startswith("<svg")
    position = shell(f"show {game} --after 3 --position").strip()
    assert position.startswith("callisto edition=classic seats=2 starter=0 turn=1 ")
    assert main(["show", position]) == 0
    shell(f"show {game} --after 999")
    assert "the record has" in shell.err
    shell(f"show {game} --seat 7")
    assert "there is no seat 7" in shell.err


def test_bench_prints_a_table(shell: Shell) -> None:
    out = shell("bench --seconds 0.05 --only knister")
    assert "| knister 1 |" in out
    assert "| 10,000 |" in out
    figures = json.loads(shell("bench --seconds 0.05 --only callisto --json"))
    assert figures["rows"][0]["kind"] == "callisto classic 2"
    assert all(row["slowest"] <= row["playouts"] <= row["fastest"] for row in figures["rows"])


@pytest.mark.parametrize(
    "command", ["", "play", "play callisto", "resume", "rules", "verify", "convert", "show", "bench"]
)
def test_help_has_an_example(shell: Shell, command: str) -> None:
    out = shell(f"{command} --help")
    assert shell.status == 0
    if command:
        assert "example: sobremesa " in out
