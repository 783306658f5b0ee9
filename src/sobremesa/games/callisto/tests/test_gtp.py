"""Callisto over pipes: conversations to the letter, garbage, and a whole game between two programs."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.cli import main
from sobremesa.games.callisto import CallistoState, sgf
from sobremesa.games.callisto.engine.engine_set import make_player
from sobremesa.games.callisto.engine.gtp import GTP_GAMES, Engine, Settings
from sobremesa.games.callisto.engine.network import Network
from sobremesa.games.callisto.tools.gtp_match import Foul, Program, final_score, opening, play, seating, summary, wilson
from sobremesa.games.callisto.tools.gtp_match import main as match_main
from sobremesa.games.callisto.tools.league import main as league_main
from sobremesa.games.callisto.tools.strangers import looked_at, read
from sobremesa.games.callisto.tools.strangers import main as strangers_main

from .networks import random_network

CONVERSATIONS = sorted((Path(__file__).parent / "gtp").glob("*.txt"))
PROGRAM = f"{sys.executable} -m sobremesa gtp"
WORDS = [
    *("play", "genmove", "reg_genmove", "all_legal", "undo", "clear_board", "set_game", "param", "level", "time"),
    *("b", "w", "1", "4", "h1", "c8", "a1,b1", "p9", "-1", "99999999999999999999", "nan", "Callisto", "Two-Player"),
    *("showboard", "final_score", "set_random_seed", "cputime", "get_value", "move_values", "#", "=", "\x00", "é", "7"),
]


def engine(game: str = "callisto_2", level: int = 1, seed: int = 1) -> Engine:
    return Engine(GTP_GAMES[game], make_player, Settings(level=level), Random(seed))


def exchanges(text: str) -> Iterator[tuple[str, str]]:
    """What is said, and what is answered."""
    for part in text.split("> ")[1:]:
        command, _, answer = part.partition("\n")
        yield command, answer


@pytest.mark.parametrize("file", CONVERSATIONS, ids=lambda file: file.stem)
def test_conversations_go_as_they_went(file: Path) -> None:
    head, _, text = file.read_text().partition("\n")
    _, game, level, seed = head.split()
    talking = engine(game, int(level), int(seed))
    for command, answer in exchanges(text):
        assert talking.answer(command) == answer, command


def test_the_names_of_all_tables() -> None:
    assert {name: gtp_game.name for name, gtp_game in GTP_GAMES.items()} == {
        "callisto_2": "Callisto Two-Player",
        "callisto_3": "Callisto Three-Player",
        "callisto": "Callisto",
        "callisto_pocket_2": "Callisto Pocket Two-Player",
        "callisto_pocket_3": "Callisto Pocket Three-Player",
        "callisto_pocket": "Callisto Pocket",
    }


@given(st.lists(st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)), max_size=12))
def test_whatever_is_said_there_is_one_answer(lines: list[str]) -> None:
    talking = engine()
    for line in lines:
        answer = talking.answer(line)
        assert not answer or (answer[0] in "=?" and answer.endswith("\n\n") and "\n\n" not in answer[:-2])
    assert talking.answer("5 name") == "=5 Sobremesa\n\n"


@pytest.mark.parametrize("seed", range(3))
def test_noise_on_the_line_kills_nobody(seed: int) -> None:
    noise = Random(seed).randbytes(20_000) + b"x" * 10_000 + b"\n\xff\xfe genmove b\n" + b"genmove b\n" * 3
    run = subprocess.run(
        [*PROGRAM.split(), "--level", "1"], input=noise + b"\n99 name\n99 quit\nname\n", capture_output=True, timeout=60
    )
    assert run.returncode == 0
    assert not run.stderr
    assert run.stdout.decode().endswith("=99 Sobremesa\n\n=99 \n\n")


def test_the_end_of_the_input_is_the_end(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"name\nversion")))
    assert main(["gtp", "--game", "callisto", "--level", "1", "--seed", "1", "--threads", "1"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"= Sobremesa\n\n= ")


def test_weights_that_are_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["gtp", "--weights", str(tmp_path / "none.onnx")]) == 1
    assert "none.onnx" in capsys.readouterr().err


def test_what_differs_from_a_level_can_be_tried_out(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    command = ["gtp", "--game", "callisto_pocket_2", "--level", "8", "--seed", "1", "--threads", "1"]
    for changes, moves in (("simulations=3 considered=2", 2), ("simulations=6 considered=5", 5)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"genmove b\nmove_values")))
        assert main([*command, "--changes", changes]) == 0
        assert len(capfdbinary.readouterr().out.split(b"\n\n")[1].strip().split(b"\n")) == moves
    assert main([*command, "--changes", "pillars=9"]) == 1


def test_a_champion_with_a_network_says_what_it_thinks(tmp_path: Path) -> None:
    weights = random_network(tmp_path / "callisto.onnx")
    settings = Settings(simulations=40, threads=2)
    talking = Engine(
        GTP_GAMES["callisto_3"], lambda name, random: make_player(name, random, weights), settings, Random(1)
    )
    assert talking.answer("get_value") == "? no search yet\n\n"
    move = talking.answer("reg_genmove 2")[2:].strip()
    assert move in talking.answer("all_legal 2")[2:].split()
    value, rows = talking.answer("get_value"), talking.answer("move_values")[2:].strip().split("\n")
    assert 0 <= float(value[2:]) <= 1
    visits = [int(row.split()[0]) for row in rows]
    assert visits == sorted(visits, reverse=True)
    assert rows[0].split()[2] == move
    assert talking.answer("genmove 2").startswith("= ")
    assert float(talking.answer("cputime")[2:]) > 0


@pytest.mark.parametrize("game", ["callisto_2", "callisto_pocket"])
def test_two_programs_play_a_whole_game(game: str) -> None:
    gtp_game = GTP_GAMES[game]
    programs = [Program(f"{PROGRAM} --game {game} --level {level} --seed {level}") for level in (4, 1)]
    try:
        seats = tuple(seat % 2 for seat in range(gtp_game.seats))
        start = opening(gtp_game, 3, Random(1))
        played = play(gtp_game, [programs[seat] for seat in seats], seats, start)
        assert programs[0].ask("final_score") == final_score(gtp_game, played.penalties)
    finally:
        for program in programs:
            program.close()
    state = CallistoState.begin(gtp_game.edition, gtp_game.seats, 0)
    for move in played.moves:
        state = state.play(state.parse_move(move))
    result = state.result()
    assert result is not None
    assert (result.scores, result.places) == (played.penalties, played.places)
    assert list(played.moves[:3]) == start
    assert "| strong | " in summary([played, played], ["strong", "weak"])


def test_a_program_that_cheats_is_caught(tmp_path: Path) -> None:
    cheat = tmp_path / "cheat.py"
    cheat.write_text("import sys\nfor line in sys.stdin:\n    print('= h8\\n', flush=True)\n")
    program = Program(f"{sys.executable} {cheat}")
    try:
        with pytest.raises(Foul, match="C4"):
            play(GTP_GAMES["callisto_2"], [program, program], (0, 0))
    finally:
        program.close()


def test_a_program_that_goes_away_is_missed() -> None:
    program = Program(f"{sys.executable} -c pass")
    with pytest.raises(Foul, match="gone"):
        program.ask("name")
    program.close()


@pytest.mark.parametrize(("programs", "seats"), [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4)])
def test_everybody_takes_every_seat_in_turn(programs: int, seats: int) -> None:
    """Of fewer programs than seats, the last one has all that are left over."""
    seated = [seating(number, programs, seats) for number in range(seats)]
    for program in range(programs):
        chairs = seats - programs + 1 if program == programs - 1 else 1
        assert all(each.count(program) == chairs for each in seated)
        assert all(sum(each[seat] == program for each in seated) == chairs for seat in range(seats))
    assert seated[0] == tuple(min(seat, programs - 1) for seat in range(seats))


def test_intervals_also_hold_near_none_and_near_all() -> None:
    """The figures of the usual tables of Wilson's interval."""
    assert wilson(0, 10) == pytest.approx((0, 0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((1, 0.7225, 1), abs=1e-4)
    assert wilson(13, 96) == pytest.approx((0.1354, 0.0809, 0.2180), abs=1e-4)
    assert str(wilson(1, 4)) == "25.0% (4.6% to 69.9%)"


@pytest.mark.parametrize("game", ["callisto_3", "callisto"])
def test_a_match_of_several_goes_on_where_it_was_stopped(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats = GTP_GAMES[game].seats
    file, written = tmp_path / "match.jsonl", tmp_path / "match.blksgf"
    match = [*(f"{PROGRAM} --game {game} --level {level}" for level in (2, 1)), "--game", game, "--json", str(file)]
    assert match_main([*match, "--games", "2", "--jobs", "2"]) == 0
    begun = file.read_text()
    assert len(begun.splitlines()) == 2
    assert match_main([*match, "--games", str(seats), "--sgf", str(written)]) == 0
    assert file.read_text().startswith(begun)
    assert len(file.read_text().splitlines()) == seats
    assert "2 games are known" in capsys.readouterr().err
    games = [sgf.loads(text) for text in sgf.split(written.read_text())]
    assert [each.names.index(match[0]) for each in games] == list(range(seats))
    assert all(each.names.count(match[1]) == seats - 1 for each in games)
    assert match_main([*match, "--games", str(seats)]) == 0
    output = capsys.readouterr().out
    assert f"| program ({seats} games) |" in output
    assert f"fair share {1 / seats:.1%}" in output
    assert match_main([*match, "--games", str(seats), "--seed", "2"]) == 1
    assert "another match" in capsys.readouterr().err


def test_programs_with_the_same_seed_play_the_same_game(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.jsonl", "two.jsonl")]
    command = f"{PROGRAM} --game callisto_pocket_3 --level 1"
    for file in files:
        match_main([command, command, "--game", "callisto_pocket_3", "--games", "1", "--json", str(file)])
    one, two = (json.loads(file.read_text())["game"]["moves"] for file in files)
    assert one == two


def test_a_table_has_no_seats_for_more_programs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        match_main(["a", "b", "c"])
    assert "a table for 2 takes 2 to 2 programs" in capsys.readouterr().err


def test_a_league_is_played_and_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Games of other programs, added to a file; what a network says of them."""
    file = tmp_path / "league.blksgf"
    programs = [f"{PROGRAM} --game callisto_3 --level {level}" for level in (1, 2)]
    for _ in range(2):
        assert league_main([*programs, "--games", "1", "--blind", "1", "--out", str(file)]) == 0
    games = read([file])
    assert [game.seats for game in games] == [3, 3]
    assert len(games[0].moves) > 30
    net = random_network(tmp_path / "callisto.onnx")
    looked = list(looked_at(games[0], Network(net), "level 1"))
    assert len(looked) == len(games[0].moves)
    assert all(
        each.counted == ("level 1" in games[0].names[seat]) for each, seat in zip(looked, (0, 1, 2), strict=False)
    )
    state = CallistoState.begin("classic", 3, 0)
    for each, move in zip(looked, games[0].moves, strict=True):
        assert 0 <= each.rank < state.count_moves()
        assert sum(each.chances) == pytest.approx(1, abs=1e-3)
        assert sum(each.won) == 1
        state = state.play(move)
    strangers_main([str(file), "--weights", str(net), "--name", "level"])
    printed = capsys.readouterr().out
    assert "3 seats" in printed
    assert "| 0 to 5 | 12 | " in printed
    assert re.search(r"^\| 0 \| 2 \| [012]\.\d", printed, re.MULTILINE)
    won = [int(count) for count in re.findall(r"^\| [123] \| (\d) of 2 \| 0 of 0 \|$", printed, re.MULTILINE)]
    assert len(won) == 3
    assert sum(won) == 2
    room = re.search(r"^\| named, first \| (\d+) \| \d+ \| \d+ \|$", printed, re.MULTILINE)
    assert room is not None
    assert 0 <= int(room[1]) < state.board.cells.bit_count()
