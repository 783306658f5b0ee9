/** Isis & Osiris: every step is shown in its time, on a fake clock (I2, I3, I7). */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { actionOf, type View } from "../board"
import { Showing, type Shown } from "../showing.svelte"
import type { Step } from "$page/net/types"
import { isisView, step } from "$tests/rooms"

vi.mock("../../src/sound", () => ({ play: vi.fn() }))

const C3 = 14
const D3 = 15
const passing = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const shown = (each: Partial<Step>, view: View, version = 1): Shown => ({
  step: step(version, { ...each, views: [view] }),
  view,
})

const START = isisView()
const turning = shown({ seat: 1, move: "T" }, isisView({}, { turn: 1, turning: true, deciding: [] }))
const turned = shown({ rolled: "+3" }, isisView({}, { turn: 1, turned: 3, deciding: [1] }))
const laid = shown({ seat: 1, move: "Tc3" }, isisView({ c3: "?" }, { turn: 0, deciding: [0] }))
const stone = (cell: string, seat: number) =>
  shown({ seat, move: `S${cell}` }, isisView({ [cell]: "AB"[seat]! }, { turn: 1 - seat, deciding: [1 - seat] }))

let showing: Showing
let counted: [number, number][]
function begin(first: Shown = { step: step(0), view: START }): void {
  counted = []
  const fly = async (change: () => void) => change()
  showing = new Showing(first, fly, (_, seat, total) => void counted.push([seat, total]))
}

beforeEach(() => {
  vi.useFakeTimers()
  begin()
})
afterEach(() => {
  showing.close()
  vi.useRealTimers()
})

describe("what a step does", () => {
  it.each([
    [step(0), START, { kind: "none" }],
    [turning.step!, turning.view, { kind: "none" }],
    [turned.step!, turned.view, { kind: "turned", seat: 1, value: 3 }],
    [laid.step!, laid.view, { kind: "laid", cell: C3 }],
    [step(1, { seat: 0, move: "Sd3" }), START, { kind: "stone", seat: 0, cell: D3 }],
  ])("%#", (each, view, action) => expect(actionOf(each, view)).toEqual(action))
})

it("looks at first without a pause, and marks the last piece", () => {
  begin(stone("c3", 1))
  expect([showing.settled, showing.fresh, showing.tile]).toEqual([true, C3, null])
  begin(turned)
  expect(showing.tile).toEqual({ value: 3, seat: 1, place: "hand", up: true })
})

it("a tile that somebody else turns over lies large for two seconds, then at hand", async () => {
  showing.take([turning, turned])
  await passing(0)
  expect(showing.tile).toMatchObject({ value: 3, place: "large", up: true })
  expect(showing.looking).toBe(true)
  await passing(1_900)
  expect(showing.tile?.place).toBe("large")
  await passing(200)
  expect(showing.tile?.place).toBe("hand")
  expect(showing.settled).toBe(true)
})

it("a tile is shown before it is laid, however fast the moves come, and turns face down on its cell", async () => {
  showing.take([turning, turned, laid])
  await passing(1_900)
  expect(showing.tile?.place).toBe("large")
  expect(showing.view.cells[C3]).toBe(".")
  expect(showing.settled).toBe(false)
  await passing(200)
  expect(showing.tile).toMatchObject({ place: C3, up: true })
  expect(showing.view.cells[C3]).toBe("?")
  await passing(1_200)
  expect(showing.tile).toMatchObject({ place: C3, up: false })
  await passing(400)
  expect([showing.tile, showing.settled, showing.fresh]).toEqual([null, true, C3])
})

it("hurries when many steps wait", async () => {
  const many = Array.from({ length: 4 }, (_, index) => stone(`${"abcd"[index]}1`, index % 2))
  showing.take([turning, turned, laid, ...many])
  await passing(1_100)
  expect(showing.tile?.place).toBe(C3)
})

it("lets everybody look longer, until they go on", async () => {
  showing.take([turning, turned])
  await passing(500)
  showing.hold()
  await passing(60_000)
  expect([showing.held, showing.tile?.place]).toEqual([true, "large"])
  showing.goOn()
  await passing(100)
  expect([showing.held, showing.tile?.place]).toEqual([false, "hand"])
})

it("waits for who looks at another page", async () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true)
  showing.take([turning, turned])
  await passing(30_000)
  expect(showing.tile?.place).toBe("large")
  hidden.mockReturnValue(false)
  await passing(100)
  expect(showing.tile?.place).toBe("hand")
})

it("after steps that were missed no old tile flies to the new cell", async () => {
  showing.take([turning, turned])
  await passing(3_000)
  expect(showing.tile?.value).toBe(3)
  const other = shown({ seat: 0, move: "Td3" }, isisView({ c3: "?", d3: "?" }), 9)
  showing.take([{ ...other, missed: true }])
  await passing(0)
  expect([showing.tile, showing.fresh, showing.view.cells[C3]]).toEqual([null, D3, "?"])
})

it("shows the same table from another seat at once", async () => {
  showing.take([{ step: null, view: isisView({}, { seat: 1 }) }])
  await passing(0)
  expect([showing.view.seat, showing.settled, showing.fresh]).toEqual([1, true, null])
})

describe("the end", () => {
  const cells = { c3: "A", d3: "+3", e3: "B", c2: "-1" }
  const over = isisView(cells, {
    scores: [2, 3],
    places: [2, 1],
    turn: null,
    deciding: [],
  })
  const last = shown({ seat: 1, move: "Se3" }, over)

  it("lays the last piece before the tiles are shown, and counts stone by stone", async () => {
    showing.take([last])
    await passing(0)
    expect(showing.view.cells[D3]).toBe("?")
    expect([showing.view.scores, showing.count]).toEqual([null, null])
    await passing(400)
    expect(showing.view.cells[D3]).toBe("+3")
    expect(showing.counting).toBe(true)
    expect(showing.uncounted.scores).toBeNull()
    await passing(1_500)
    expect(showing.count?.stone).toEqual({ seat: 0, cell: C3, worth: 2 })
    await passing(10_000)
    expect(showing.count).toEqual({ totals: [2, 3], stone: null, done: true })
    expect(counted).toEqual([
      [0, 2],
      [1, 3],
    ])
    expect(showing.settled).toBe(true)
  })

  it("goes straight to the totals when asked, and counts again when asked", async () => {
    showing.take([last])
    await passing(600)
    showing.showResult()
    await passing(200)
    expect(showing.count).toMatchObject({ totals: [2, 3], done: true })
    showing.countAgain()
    await passing(100)
    expect(showing.counting).toBe(true)
  })

  it("is there at once for who comes later", () => {
    begin(last)
    expect(showing.count).toEqual({ totals: [2, 3], stone: null, done: true })
    expect(counted).toEqual([])
  })
})
