/** The lines of a stone tile, in a space where a square is 32 units wide and rows count downwards. */
import { sizeOf, type Square } from "./box"

export const CELL = 32

type Corner = [number, number]

/** The corners around joined squares, clockwise, drawn in from the edges. Edges of two squares cancel where they meet. */
function corners(squares: Square[], inset: number): Corner[] {
  const edges = new Map<string, [Corner, Corner]>()
  for (const { x, y } of squares) {
    const round: Corner[] = [
      [x, y],
      [x + 1, y],
      [x + 1, y + 1],
      [x, y + 1],
    ]
    round.forEach((from, side) => {
      const to = round[(side + 1) % 4]!
      if (!edges.delete(`${to} ${from}`)) edges.set(`${from} ${to}`, [from, to])
    })
  }
  const after = new Map([...edges.values()].map(([from, to]) => [String(from), to]))
  const first = [...edges.values()].map(([from]) => from).reduce((a, b) => ((b[0] - a[0] || b[1] - a[1]) < 0 ? b : a))
  const found: Corner[] = []
  let [x, y] = first
  let before: Corner = [0, -1]
  do {
    const [nextX, nextY] = after.get(`${x},${y}`)!
    const ahead: Corner = [nextX - x, nextY - y]
    if (ahead[0] !== before[0] || ahead[1] !== before[1])
      found.push([x * CELL - (before[1] + ahead[1]) * inset, y * CELL + (before[0] + ahead[0]) * inset])
    before = ahead
    ;[x, y] = [nextX, nextY]
  } while (x !== first[0] || y !== first[1])
  return found
}

/** One closed line around joined squares, with round corners. */
export function outline(squares: Square[], inset: number, radius: number): string {
  const round = corners(squares, inset)
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
function bevel(squares: Square[], from: number, to: number): Record<"up" | "right" | "down" | "left", string> {
  const outer = corners(squares, from)
  const inner = corners(squares, to)
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

const QUARTERS = [8, 24].flatMap((x) => [8, 24].map((y): Corner => [x, y]))

/** Each seat's own mark within a square; the stripes run on through joined squares. */
const MARKS: ((x: number, y: number, reach: Reach) => string)[] = [
  () => "",
  (x, y) => QUARTERS.map(([dx, dy]) => `M${x + dx} ${y + dy}h0`).join(""),
  (x, y, { left, right, top, bottom }) =>
    [8, 24, 40, 56]
      .map((sum) => {
        const [from, to] = [Math.max(left, sum - bottom), Math.min(right, sum - top)]
        return from < to ? `M${x + from} ${y + sum - from}L${x + to} ${y + sum - to}` : ""
      })
      .join(""),
  (x, y) => QUARTERS.map(([dx, dy]) => `M${x + dx} ${y + dy - 3}v6M${x + dx - 3} ${y + dy}h6`).join(""),
]

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

/** A tile's shape, rows counted upwards, as lines to draw; the top left of its box is at 0, 0. */
export function stone(shape: Square[]): Stone {
  const key = shape.map(({ x, y }) => `${x},${y}`).join(" ")
  let found = stones.get(key)
  if (!found) {
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
      body: outline(squares, 1.2, 3.2),
      inner: outline(squares, 3, 2.4),
      edges: bevel(squares, 1.8, 4.6),
      marks: MARKS.map((mark) => squares.map(({ x, y }) => mark(x * CELL, y * CELL, reach(x, y))).join("")),
      dots: each((x, y) => `M${x + 16} ${y + 16}h0`),
      crosses: each((x, y) => `M${x + 11} ${y + 11}l10 10M${x + 21} ${y + 11}l-10 10`),
      ring: outline(squares, 0, 4),
    }
    stones.set(key, found)
  }
  return found
}
