"""A program as somebody would write it, for type checkers in strict mode: ``test_typing.py`` asks two of them."""

from collections.abc import Sequence
from random import Random
from typing import assert_type

import sobremesa as sm
from sobremesa.engines.contest import Contest
from sobremesa.engines.player import DEFAULT_BUDGET, Stop
from sobremesa.games.callisto import CallistoState, Placement
from sobremesa.games.isis_osiris import IsisOsirisState
from sobremesa.games.knister import KnisterState, Write


class First(sm.Player):
    """Plays the first move that there is."""

    def think(
        self,
        view: sm.View[sm.Move],
        past: Sequence[sm.View[sm.Move]] = (),
        budget: sm.Budget = DEFAULT_BUDGET,
        stop: Stop = lambda: False,
    ) -> sm.Thought:
        return sm.Thought(view.decisions()[0])


def main() -> None:
    state = sm.callisto.start(edition="pocket", seats=2)
    assert_type(state, CallistoState)
    assert_type(state.legal_moves(), list[Placement])
    assert_type(state.play("a5"), CallistoState)
    assert_type(state.play(state.legal_moves()[0]), CallistoState)
    assert_type(sm.isis_osiris.start(), IsisOsirisState)
    knister = sm.knister.parse_position("knister seats=1 starter=0 roll=8 sheets=.........................")
    assert_type(knister, KnisterState)
    assert_type(sm.playout(state, Random(1)), CallistoState)
    thought = sm.analyse(knister, seconds=0.1, player="greedy")
    assert_type(thought.move, Write)
    chance = sm.knister.start().chance
    if chance is not None:
        for outcome, probability in chance:
            print(outcome + 1, probability.numerator)
    record: sm.Record = sm.load("game.json")
    assert_type(sm.analyse(record, player="greedy"), sm.Review)
    sm.save(record, "again.json")
    print(sm.verify(record).fair, record.result and record.result.winners)
    assert_type(sm.arena("knister", {"first": First, "club": "club"}, games=2), Contest)
    for game in sm.GAMES.values():
        position: str = game.start().position()
        print(position)


if __name__ == "__main__":
    main()
