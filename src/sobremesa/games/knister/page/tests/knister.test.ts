/** Knister: the score table again (K3, K4, K7), and the dice. `tests/page/test_scoring.py` compares all lines with the library. */
import { describe, expect, it } from "vitest"
import { mixed, pair } from "../dice"
import { BLANK, CELLS, LINES, THROUGH } from "../paper"
import { missed, news } from "../telling"
import { combination, linesOf, nextRank, prospects, rank, scoreTable, sum } from "../scoring"
import type { KnisterView } from "$page/net/types"
import { step } from "$tests/rooms"

describe("combinations (K3, K4)", () => {
  it.each([
    [[4, 5, 6, 7, 5], "pair"],
    [[5, 6, 6, 10, 5], "two pairs"],
    [[7, 8, 7, 7, 4], "three of a kind"],
    [[3, 6, 6, 6, 6], "four of a kind"],
    [[4, 9, 4, 4, 9], "full house"],
    [[7, 10, 8, 6, 9], "straight with a 7"],
    [[8, 8, 8, 8, 8], "five of a kind"],
    [[3, 5, 6, 2, 4], "straight without a 7"],
    [[12, 8, 9, 10, 11], "straight without a 7"],
    [[2, 3, 4, 5, 7], null],
    [[2, 3, 4, 5], null],
    [[9, 9, 4], "pair"],
    [[], null],
  ])("%j: %s", (numbers, name) => expect(combination(numbers)).toBe(name))

  it("are printed with an example that is one", () => {
    for (const { example, name } of scoreTable()) expect(combination(example), name).not.toBeNull()
  })
})

describe("a sheet", () => {
  const sheet = BLANK.map((_, cell) => (LINES[0]!.cells.includes(cell) ? 6 : 0))

  it("counts full lines only", () => {
    expect(linesOf(BLANK)).toEqual(LINES.map(() => null))
    expect(linesOf(sheet)).toEqual(LINES.map((_, line) => (line === 0 ? 10 : null)))
    expect(sum(linesOf(sheet))).toBe(10)
  })

  it("counts diagonals twice", () => {
    const falling = LINES.findIndex(({ times }) => times === 2)
    const full = BLANK.map((_, cell) => (LINES[falling]!.cells.includes(cell) ? 9 : 0))
    expect(linesOf(full)[falling]).toBe(20)
  })

  it("tells what a number would bring to each line through its cell", () => {
    const last = LINES[0]!.cells[4]!
    const open = sheet.map((number, cell) => (cell === last ? 0 : number))
    expect(prospects(open, last, 6)).toContainEqual({
      line: 0,
      points: 10,
      gain: 4,
      full: true,
    })
    expect(prospects(open, last, 6).map(({ line }) => line)).toEqual(THROUGH[last])
  })

  it("has a cell with four lines in the middle only", () => {
    expect(CELLS.filter((_, cell) => THROUGH[cell]!.length === 4)).toEqual(["c3"])
  })
})

it("calls a total by its rank (K7)", () => {
  expect([50, 51, 80, 81, 100, 101].map((total) => rank(total).word)).toEqual([
    "",
    "good",
    "good",
    "great",
    "great",
    "spectacular",
  ])
  expect(nextRank(50)).toMatchObject({ missing: 1 })
  expect(nextRank(200)).toBeNull()
})

describe("dice", () => {
  const rounds = Array.from({ length: 400 }, (_, round) => round)
  const sums = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

  it("always make the roll, with faces that dice have", () => {
    for (const roll of sums)
      for (const round of rounds) {
        const [one, other] = pair(round, roll)
        expect(one + other).toBe(roll)
        expect(Math.min(one, other)).toBeGreaterThan(0)
        expect(Math.max(one, other)).toBeLessThan(7)
      }
  })

  it("show every pair of a roll", () => {
    for (const roll of sums) {
      const pairs = new Set(rounds.map((round) => pair(round, roll).join()))
      expect(pairs.size, `${roll}`).toBe(Math.min(roll - 1, 13 - roll))
    }
  })

  it("are the same on every screen", () => expect(mixed(7)).toBe(mixed(7)))
})

it("says in a crowd what a move has completed and which number comes next, of one step", () => {
  const sheet = BLANK.map((_, cell) => (LINES[0]!.cells.includes(cell) ? 6 : 0))
  const own = { game: "knister", seat: 30, sheet, lines: linesOf(sheet), roll: 8, over: false, options: { seats: 40 } }
  const cell = CELLS[LINES[0]!.cells[4]!]!
  const both = step(9, { seat: 30, move: cell, rolled: "31", views: [own as unknown as KnisterView] })
  expect(news(both, [], 30)).toMatch(/ is full: .*, 10 points\. You have an 8 to write\.$/)
})

describe("who was not in time", () => {
  const first = [
    { seat: 1, name: "Bo", move: "a5" },
    { seat: 2, name: "Guest", move: "b5" },
    { seat: 7, name: "Cy", move: "a5" },
  ]

  it("hears where the own number went, and by which rule", () => {
    expect(missed({ count: 3, first, rule: "K1" }, [2])).toBe(
      "Time was up, and everybody writes in every round (rule K1): your number went into the first free cell, row 1, column 2.",
    )
  })

  it("is named to everybody else: once for each cell, and how many more there are", () => {
    expect(missed({ count: 9, first, rule: "K1" }, [5])).toMatch(
      /^Not in time: Bo, Cy \(row 1, column 1\); Guest \(row 1, column 2\); 6 more\. .*\(rule K1\)/,
    )
    expect(missed({ count: 3, first, rule: "K1" }, [])).not.toContain("more")
  })
})
