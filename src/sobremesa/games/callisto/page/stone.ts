/** The lines of a stone tile, in a space where a square is 32 units wide and rows count downwards. */
import marks from "$schema/marks.json"
import { cornersAround, shapeOf, sizeOf } from "./box"

export const CELL = 32

type Corner = [number, number]

/** The corners around a piece, clockwise, drawn in from its edges. */
const cornersOf = (around: number[][], inset: number): Corner[] =>
  around.map(([x = 0, y = 0, dx = 0, dy = 0]) => [x * CELL + dx * inset, y * CELL + dy * inset])

/** One closed line around joined squares, with round corners. */
function outline(around: number[][], inset: number, radius: number): string {
  const round = cornersOf(around, inset)
  const line = round.map(([x, y], index) => {
    const [fromX, fromY] = round.at(index - 1)!
    const [toX, toY] = round[(index + 1) % round.length]!
    const [backX, backY] = [Math.sign(fromX - x) * radius, Math.sign(fromY - y) * radius]
    const [onX, onY] = [Math.sign(toX - x) * radius, Math.sign(toY - y) * radius]
    return `${index ? "L" : "M"}${x + backX} ${y + backY}Q${x} ${y} ${x + onX} ${y + onY}`
  })
  return line.join("") + "z"
}

/** The slanted edges, by the side that they face: up and left are lit, down and right lie in shadow. */
function bevel(around: number[][], from: number, to: number): Record<"up" | "right" | "down" | "left", string> {
  const outer = cornersOf(around, from)
  const inner = cornersOf(around, to)
  const edges = { up: "", right: "", down: "", left: "" }
  outer.forEach(([x, y], index) => {
    const next = (index + 1) % outer.length
    const [nextX, nextY] = outer[next]!
    const side = nextX > x ? "up" : nextX < x ? "down" : nextY > y ? "right" : "left"
    edges[side] += `M${x} ${y}L${nextX} ${nextY}L${inner[next]!.join(" ")}L${inner[index]!.join(" ")}z`
  })
  return edges
}

/** How far lines run in a square: to its side where the tile goes on, else to the bevel. */
interface Reach {
  left: number
  right: number
  top: number
  bottom: number
}

const TILE = 16

/** Each seat's own mark within a square, from strokes on tiles of it; they run on through joined squares. */
const MARKS = marks.map((strokes) => (x: number, y: number, reach: Reach): string => {
  /** Drawn back to the bevel where the square ends. */
  const end = ([atX, atY]: Corner, [toX, toY]: Corner): string => {
    const back = Math.max(
      atX === 0 ? reach.left : atX === CELL ? CELL - reach.right : 0,
      atY === 0 ? reach.top : atY === CELL ? CELL - reach.bottom : 0,
    )
    return `${x + atX + Math.sign(toX - atX) * back} ${y + atY + Math.sign(toY - atY) * back}`
  }
  return [0, TILE]
    .flatMap((dx) => [0, TILE].map((dy): Corner => [dx, dy]))
    .flatMap(([dx, dy]) =>
      strokes.map(([x1 = 0, y1 = 0, x2 = 0, y2 = 0]) => {
        const [from, to]: [Corner, Corner] = [
          [x1 + dx, y1 + dy],
          [x2 + dx, y2 + dy],
        ]
        return `M${end(from, to)}L${end(to, from)}`
      }),
    )
    .join("")
})

export interface Stone {
  body: string
  /** A line just within the body. */
  inner: string
  edges: ReturnType<typeof bevel>
  /** By seat. */
  marks: string[]
  /** One dot for each square: what the tile costs at the end. */
  dots: string
  /** The same as crosses: it does not fit. */
  crosses: string
  ring: string
}

const stones = new Map<string, Stone>()

/** A piece, held in one of its orientations, as lines to draw; the top left of its box is at 0, 0. */
export function stone(piece: string, orientation: number): Stone {
  const key = `${piece} ${orientation}`
  let found = stones.get(key)
  if (!found) {
    const shape = shapeOf(piece, orientation)
    const around = cornersAround(piece, orientation)
    const { height } = sizeOf(shape)
    const squares = shape.map(({ x, y }) => ({ x, y: height - 1 - y }))
    const goesOn = (x: number, y: number) => squares.some((square) => square.x === x && square.y === y)
    const reach = (x: number, y: number): Reach => ({
      left: goesOn(x - 1, y) ? 0 : 3,
      right: goesOn(x + 1, y) ? CELL : CELL - 3,
      top: goesOn(x, y - 1) ? 0 : 3,
      bottom: goesOn(x, y + 1) ? CELL : CELL - 3,
    })
    const each = (line: (x: number, y: number) => string) =>
      squares.map(({ x, y }) => line(x * CELL, y * CELL)).join("")
    found = {
      body: outline(around, 1.2, 3.2),
      inner: outline(around, 3, 2.4),
      edges: bevel(around, 1.8, 4.6),
      marks: MARKS.map((mark) => squares.map(({ x, y }) => mark(x * CELL, y * CELL, reach(x, y))).join("")),
      dots: each((x, y) => `M${x + 16} ${y + 16}h0`),
      crosses: each((x, y) => `M${x + 11} ${y + 11}l10 10M${x + 21} ${y + 11}l-10 10`),
      ring: outline(around, 0, 4),
    }
    stones.set(key, found)
  }
  return found
}
