import { expect, it } from "vitest"
import type { GamePage } from "../../src/games/contract"
import type { ReviewedMove } from "../../src/net/types"
import { pointsLost, reasonFor } from "../../src/review/telling"

const page = {} as GamePage
const move = (points_lost: number | null): ReviewedMove => ({
  event: 3,
  seat: 0,
  move: "c3",
  value: 0.4,
  lost: 0.3,
  points_lost,
  best: [],
  exact: false,
})

it("says how many points a move gave away, in the game's own word", () => {
  expect(pointsLost(page, move(1.2))).toBe("1 point")
  expect(pointsLost(page, move(3.6))).toBe("4 points")
  expect(pointsLost({ ...page, amount: (n) => `${n} squares` }, move(3.6))).toBe("4 squares")
})

it("says nothing where that is not known, or less than half a point", () => {
  expect(pointsLost(page, move(null))).toBe("")
  expect(pointsLost(page, move(0.4))).toBe("")
})

it("says why a hint is good: what its move is worth, and what the next best is", () => {
  const of = (measure: "chance" | "points", ...values: number[]) =>
    reasonFor({ measure, moves: values.map((value) => ({ move: "c3", value, visits: 1 })) })
  expect(of("chance", 0.612, 0.54)).toBe("61% to win; next best: 54%")
  expect(of("points", 71.52)).toBe("about 71.5 points at the end")
  expect(of("points")).toBe("")
})
