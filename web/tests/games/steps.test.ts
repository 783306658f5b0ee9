import { describe, expect, it } from "vitest"
import {
  isQuiet,
  lastMoves,
  markedMoves,
  movesOf,
  numbered,
  stepsAfter,
  viewOf,
  withoutTakenBack,
} from "$page/games/steps"
import { isisView, step } from "../rooms"

it("a game begins with a step in which nothing moves", () => {
  expect(isQuiet(step(0))).toBe(true)
  expect(isQuiet(step(1, { rolled: "7" }))).toBe(false)
  // Somebody wrote, and where is hidden.
  expect(isQuiet(step(1, { seat: 1 }))).toBe(false)
})

it("has a view for each of one's seats, or one for everybody", () => {
  const [ana, tom] = [isisView({}, { seat: 0 }), isisView({}, { seat: 1 })]
  expect(viewOf(step(1, { views: [ana, tom] }), 1)).toBe(tom)
  expect(viewOf(step(1, { views: [isisView({}, { seat: null })] }), 1).seat).toBeNull()
})

it("has the moves of all who decided together", () => {
  expect(movesOf(step(1, { seat: 1, move: "c3" }))).toEqual([{ seat: 1, move: "c3" }])
  expect(movesOf(step(1, { move: "c3 - e5" }))).toEqual([
    { seat: 0, move: "c3" },
    { seat: 2, move: "e5" },
  ])
  expect(movesOf(step(1, { seat: 1 }))).toEqual([])
})

it("marks the last move, also when chance has spoken since", () => {
  expect(lastMoves([step(0), step(1, { seat: 0, move: "T" }), step(2, { rolled: "+3" })])).toEqual([
    { seat: 0, move: "T" },
  ])
  expect(lastMoves([step(0)])).toEqual([])
})

it("marks what the others did since one's own last move, else the newest", () => {
  const steps = [step(0), step(1, { seat: 2, move: "Sc3" })]
  const last = ["Sa1", "Sb1", "Sc1"].map((move, seat) => ({ seat, move }))
  expect(markedMoves(last, steps, 0)).toEqual(last.slice(1))
  expect(markedMoves(last, steps, 2)).toEqual(last.slice(2))
  expect(markedMoves(last, steps, null)).toEqual(last)
  expect(markedMoves([], steps, 0)).toEqual([{ seat: 2, move: "Sc3" }])
})

describe("new steps", () => {
  const steps = [step(3), step(5), step(9)]
  const after = (version: number) => stepsAfter(steps, version).steps.map((each) => each.version)

  it("are those after a version", () => {
    expect(after(3)).toEqual([5, 9])
    expect(after(9)).toEqual([])
  })

  it("follow on if the one that was taken last, or one before it, is still known", () => {
    expect(stepsAfter(steps, 5).missed).toBe(false)
    expect(stepsAfter(steps, 7).missed).toBe(false)
    expect(stepsAfter([step(9)], 5)).toMatchObject({ missed: true })
  })
})

it("numbers steps that are in no room", () => {
  const first = numbered([], [step(0)])
  const all = numbered(first, [step(0), step(0)])
  expect(all.map(({ version }) => version)).toEqual([0, 1, 2])
  expect(all[0]).toBe(first[0])
})

it("forgets the moves that were taken back, and what was told before stays", () => {
  const steps = [step(3), step(4, { seat: 0, move: "Sc3" }), step(5, { seat: 1, move: "Sd3" }), step(7, { back: 3 })]
  expect(withoutTakenBack(steps).map(({ version }) => version)).toEqual([3, 7])
  expect(lastMoves(withoutTakenBack(steps))).toEqual([])
  expect(withoutTakenBack([step(9, { back: 3 })])).toHaveLength(1)
})
