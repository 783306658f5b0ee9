"""The page counts the lines of Knister as the library does (K3, K4), whatever the numbers."""

import json
import subprocess
from itertools import chain, combinations_with_replacement
from random import Random

import web
from sobremesa.games.knister.scoring import CELLS, LINES, SIDE, line_points

COUNT = """
import { createServer } from "vite"
const server = await createServer({ server: { middlewareMode: true, ws: false, watch: null }, logLevel: "error" })
const { LINES } = await server.ssrLoadModule("$games/knister/page/paper.ts")
const { linesOf } = await server.ssrLoadModule("$games/knister/page/scoring.ts")
let text = ""
for await (const part of process.stdin) text += part
const counted = JSON.parse(text).map((sheet) => linesOf(sheet).map((points, line) => [LINES[line].name, points]))
console.log(JSON.stringify(counted.map(Object.fromEntries)))
await server.close()
"""
"""Asks the page's own modules, as Vite hands them out."""


def test_every_line_is_worth_what_the_library_says() -> None:
    hands = [list(hand) for hand in combinations_with_replacement(range(2, 13), SIDE)]
    assert len(hands) == 3003
    random = Random(1)
    for hand in hands:
        random.shuffle(hand)
    rows = hands + hands[: -len(hands) % SIDE]
    sheets = [list(chain(*rows[at : at + SIDE])) for at in range(0, len(rows), SIDE)]
    sheets += [[number if random.random() < 0.8 else 0 for number in sheet] for sheet in sheets]
    found = web.find_node()
    assert found
    asked = subprocess.run(
        [found[0], "--input-type=module", "-e", COUNT],
        cwd=web.WEB,
        input=json.dumps(sheets),
        capture_output=True,
        text=True,
        check=True,
    )
    for sheet, told in zip(sheets, json.loads(asked.stdout), strict=True):
        assert len(sheet) == CELLS
        full = (all(sheet[line.cells]) for line in LINES)
        counted = zip(LINES, line_points(bytes(sheet)), full, strict=True)
        assert told == {line.name: points if whole else None for line, points, whole in counted}, sheet
