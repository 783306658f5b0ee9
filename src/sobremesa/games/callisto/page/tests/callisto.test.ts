/** Callisto: the notation, the board, and the piece in the hand. */
import { describe, expect, it } from "vitest"
import {
  PILLAR,
  beside,
  groundOf,
  heldKey,
  nameOf,
  orientationsOf,
  placementOf,
  placesOf,
  read,
  shapeOf,
  sizeOf,
  squareOf,
  squaresOf,
  written,
  type Square,
} from "../box"
import { Hold, TAP_SNAP_DISTANCE } from "../hold.svelte"
import { wentOut } from "../words"
import { pinched } from "../zoom.svelte"
import type { CallistoView } from "$page/net/types"
import { step } from "$tests/rooms"
import { callisto } from "$schema/games.json"

const PIECES = Object.keys(callisto.shapes)
const view = (edition = "classic", seats = 2) => ({ options: { edition, seats, starter: 0 } }) as CallistoView

describe("notation", () => {
  it("names cells", () => {
    expect(nameOf({ x: 4, y: 8 })).toBe("e9")
    expect(squareOf("p16")).toEqual({ x: 15, y: 15 })
  })

  it.each(PIECES)("reads back what it writes: %s in every orientation", (piece) => {
    orientationsOf(piece).forEach((_, orientation) => {
      const placement = { piece, orientation, origin: { x: 6, y: 9 } }
      expect(read(written(placement))).toEqual(placement)
    })
  })

  it("reads cells in any order, and a pillar", () => {
    expect(read("f10,e9,e10")).toEqual(read("e9,e10,f10"))
    expect(read("e9")).toEqual({
      piece: PILLAR,
      orientation: 0,
      origin: { x: 4, y: 8 },
    })
  })

  it.each(["", "e9,g9", "e9,e9", "e", "9e", "e0", "e9,", "e9,e10,e11,e12", "T", "E9"])(
    "knows no piece on “%s”",
    (move) => expect(() => read(move)).toThrow(RangeError),
  )

  it("draws a piece where the server says that it lies", () => {
    for (const piece of PIECES)
      orientationsOf(piece).forEach((_, orientation) => {
        const placement = { piece, orientation, origin: { x: 3, y: 5 } }
        const [first] = squaresOf(placement)
        const placed = {
          move: written(placement),
          piece,
          orientation,
          cell: nameOf(first!),
        }
        expect(placementOf(placed)).toEqual(placement)
        expect(placed.move.split(",")[0]).toBe(placed.cell)
      })
  })

  it("gathers where pieces fit, by piece and orientation", () => {
    const places = placesOf(["e9", "f9", "e9,f9", "e9,e10"])
    expect(places.get(heldKey(PILLAR, 0))).toHaveLength(2)
    expect([...places.keys()].filter((key) => key.startsWith("2 "))).toHaveLength(2)
  })
})

describe("the board", () => {
  const ground = groundOf(view())

  it("is an octagon, and has its centre", () => {
    expect(ground.cells.every(ground.has)).toBe(true)
    expect(ground.has({ x: 0, y: 0 })).toBe(false)
    expect(ground.cells).toHaveLength(ground.rows.reduce((sum, wide) => sum + wide, 0))
    for (const cell of ground.centre) expect(ground.has(squareOf(cell))).toBe(true)
  })

  it("goes from cell to cell, to the nearest along a slanted edge, and never off it", () => {
    for (const cell of ground.cells)
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ] as const) {
        const next = beside(ground, cell, dx, dy)
        expect(ground.has(next)).toBe(true)
        expect(Math.abs(next.y - cell.y)).toBeLessThanOrEqual(Math.abs(dy))
      }
  })
})

describe("the piece in the hand", () => {
  const ground = groundOf(view())
  const L = "L"
  /** A hand that may lay the piece at these origins, however it is turned. */
  function hand(origins: Square[] = []): Hold {
    const places = new Map(orientationsOf(L).map((_, orientation) => [heldKey(L, orientation), origins]))
    const hold = new Hold(
      () => places,
      () => ground,
    )
    hold.take(L)
    return hold
  }
  /** Holds it so that the bottom left of its box is at a point. */
  const carry = (hold: Hold, x: number, y: number) => hold.over({ x: x + hold.grip.x, y: y + hold.grip.y })

  it("lies on the nearest cells where it fits nowhere near", () => {
    const hold = hand()
    carry(hold, 6.4, 7.6)
    expect(hold.origin).toEqual({ x: 6, y: 8 })
    expect(hold.move).toBe(written({ piece: L, orientation: 0, origin: { x: 6, y: 8 } }))
    expect(hold.onBoard).toBe(true)
  })

  it("snaps to a place where it fits, if that is near", () => {
    const hold = hand([{ x: 7, y: 7 }])
    carry(hold, 6.4, 7.3)
    expect(hold.origin).toEqual({ x: 7, y: 7 })
    carry(hold, 5.4, 7.3)
    expect(hold.origin).toEqual({ x: 5, y: 7 })
  })

  it("snaps to the nearest of two", () => {
    const hold = hand([
      { x: 6, y: 6 },
      { x: 6, y: 7 },
    ])
    carry(hold, 6, 6.6)
    expect(hold.origin).toEqual({ x: 6, y: 7 })
  })

  it("does not tremble with the hand", () => {
    const hold = hand()
    carry(hold, 6, 6)
    carry(hold, 6.55, 6)
    expect(hold.origin).toEqual({ x: 6, y: 6 })
    carry(hold, 6.65, 6)
    expect(hold.origin).toEqual({ x: 7, y: 6 })
  })

  it("is nowhere when the hand leaves the board", () => {
    const hold = hand()
    carry(hold, 6, 6)
    hold.over(null)
    expect([hold.origin, hold.move, hold.onBoard]).toEqual([null, null, false])
  })

  it("a fingertip is drawn in from further away than a tile in the air", () => {
    const hold = hand([{ x: 6, y: 6 }])
    hold.lay({ x: 6, y: 7 }, TAP_SNAP_DISTANCE)
    expect(hold.origin).toEqual({ x: 6, y: 6 })
    expect(hold.resting).toBe(true)
  })

  it("turned where a fingertip laid it, it looks for its place from there, as a fresh tap would", () => {
    const tapped = { x: 8, y: 8 }
    const around = [5, 6, 7, 8, 9].flatMap((x) => [6, 7, 8].map((y) => ({ x, y })))
    const hold = hand(around.filter(({ x, y }) => (x + y) % 3 === 0))
    hold.lay(tapped, TAP_SNAP_DISTANCE)
    for (let turn = 0; turn < 4; turn++) {
      hold.turn()
      const turned = hold.origin
      hold.lay(tapped, TAP_SNAP_DISTANCE)
      expect(hold.origin).toEqual(turned)
      const fresh = hand(around.filter(({ x, y }) => (x + y) % 3 === 0))
      fresh.orientations = { ...hold.orientations }
      fresh.lay(tapped, TAP_SNAP_DISTANCE)
      expect(turned).toEqual(fresh.origin)
    }
  })

  it("a tap on the same cell is no trembling hand", () => {
    const hold = hand([{ x: 6, y: 6 }])
    hold.lay({ x: 6, y: 7 })
    const exact = hold.origin
    hold.lay({ x: 6, y: 7 }, TAP_SNAP_DISTANCE)
    expect(hold.origin).toEqual({ x: 6, y: 6 })
    expect(hold.origin).not.toEqual(exact)
  })

  it("keys lay it exactly where they say", () => {
    const hold = hand([{ x: 6, y: 6 }])
    hold.lay({ x: 9, y: 9 })
    expect(hold.cell).toEqual({ x: 9, y: 9 })
    expect(hold.squares).toContainEqual({ x: 9, y: 9 })
  })

  it("turns around the grip: the square under the finger stays there", () => {
    const hold = hand()
    hold.lay({ x: 8, y: 8 })
    for (let turn = 0; turn < 4; turn++) {
      hold.turn()
      expect(hold.squares).toContainEqual({ x: 8, y: 8 })
      expect(hold.squares).toHaveLength(shapeOf(L, 0).length)
    }
    expect(hold.orientation).toBe(0)
    hold.flip()
    expect(hold.orientation).not.toBe(0)
    expect(hold.squares).toContainEqual({ x: 8, y: 8 })
    hold.flip()
    expect(hold.orientation).toBe(0)
  })

  it("is picked up by the square that was touched", () => {
    const hold = hand()
    const { width, height } = sizeOf(shapeOf(L, 0))
    for (const { x, y } of shapeOf(L, 0)) {
      hold.take(L, { x: x + 0.4, y: y + 0.6 })
      expect(hold.grip).toEqual({ x: x + 0.5, y: y + 0.5 })
    }
    expect(hold.grip.x).toBeLessThan(width)
    expect(hold.grip.y).toBeLessThan(height)
  })

  it("remembers how each piece was turned", () => {
    const hold = hand()
    hold.turn()
    const turned = hold.orientation
    hold.take(PILLAR)
    expect(hold.orientation).toBe(0)
    hold.take(L)
    expect(hold.orientation).toBe(turned)
    hold.putBack()
    expect([hold.piece, hold.move]).toEqual([null, null])
  })
})

describe("who can place nothing more (C8)", () => {
  const table = (version: number, ...out: boolean[]) =>
    step(version, { views: [{ ...view(), sides: out.map((each) => ({ out: each })) } as CallistoView] })

  it("is news with the steps that came, however many", () => {
    const steps = [table(1, false, false, true), table(2, false, false, true), table(3, true, false, true)]
    expect(wentOut(steps, steps.slice(2))).toEqual([0])
    expect(wentOut(steps, steps.slice(1))).toEqual([0])
    expect(wentOut(steps, [])).toEqual([])
  })

  it("is no news at a first look, and a new game starts afresh", () => {
    expect(wentOut([table(9, true, false)], [table(9, true, false)])).toEqual([])
    const game = [table(20, false, false), table(21, true, false)]
    expect(wentOut(game, game)).toEqual([])
    expect(wentOut(game, game.slice(1))).toEqual([0])
  })
})

describe("a closer look at the board", () => {
  const whole = { left: 0, top: 0, size: 1 }
  const spot = (x: number, y: number) => ({ x, y })

  it("keeps what was between the fingers there", () => {
    const near = pinched(whole, [spot(0.4, 0.5), spot(0.6, 0.5)], [spot(0.3, 0.5), spot(0.7, 0.5)])
    expect(near.size).toBeCloseTo(0.5)
    expect(near.left + 0.5 * near.size).toBeCloseTo(0.5)
    const moved = pinched(near, [spot(0.5, 0.5), spot(0.6, 0.5)], [spot(0.4, 0.4), spot(0.5, 0.4)])
    expect(moved.size).toBeCloseTo(near.size)
    expect(moved.left).toBeCloseTo(near.left + 0.05)
    expect(moved.top).toBeCloseTo(near.top + 0.05)
  })

  it("never shows what is beside the board, and comes no nearer than four times", () => {
    const near = pinched(whole, [spot(0.01, 0.01), spot(0.02, 0.01)], [spot(0.1, 0.1), spot(0.9, 0.9)])
    expect(near).toEqual({ left: 0, top: 0, size: 0.25 })
    expect(pinched(near, [spot(0.1, 0.1), spot(0.9, 0.9)], [spot(0.5, 0.5), spot(0.52, 0.5)])).toEqual(whole)
  })
})
