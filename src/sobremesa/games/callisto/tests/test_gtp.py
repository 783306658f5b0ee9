"""Callisto over pipes: conversations to the letter, garbage, and a whole game between two programs."""

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from engines.networks import callisto_network
from gtp_match import Foul, Program, final_score, opening, play, summary
from sobremesa.cli import main
from sobremesa.games.callisto import CallistoState
from sobremesa.games.callisto.engine.engine_set import make_player
from sobremesa.games.callisto.engine.gtp import GTP_GAMES, Engine, Settings

CONVERSATIONS = sorted((ROOT / "tests/data/gtp").glob("*.txt"))
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


def test_a_champion_with_a_network_says_what_it_thinks(tmp_path: Path) -> None:
    weights = callisto_network(tmp_path / "callisto.onnx")
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
