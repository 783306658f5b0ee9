/** The sheet as it lies on the table: its cells, its lines, and where they are drawn. */
import { knister } from "$schema/games.json"
import { t } from "$page/words/words.svelte"

export const SIDE = knister.side
/** Names of the cells in the order of `sheet` in a view: from a1 at the bottom left. */
export const CELLS: readonly string[] = knister.cells
export const ROUNDS = CELLS.length
/** Rows from the top, columns from the left, and the diagonals: up to the right, down to the right. */
export const LINES: readonly {
  name: string
  cells: number[]
  times: number
}[] = knister.lines
/** The cells as one reads: row by row from the top. */
export const ROWS: readonly (readonly number[])[] = LINES.slice(0, SIDE).map((line) => line.cells)
/** The lines that run through each cell, by their index. */
export const THROUGH: readonly (readonly number[])[] = CELLS.map((_, cell) =>
  LINES.flatMap((line, index) => (line.cells.includes(cell) ? [index] : [])),
)
export const BLANK: readonly number[] = CELLS.map(() => 0)

export const rowOf = (cell: number) => SIDE - 1 - Math.floor(cell / SIDE)
export const columnOf = (cell: number) => cell % SIDE

/** Measures of the drawing. */
export const CELL = 100
export const BOX = 74
const GAP = 18
const EDGE = 26
export const GRID = { x: EDGE, y: EDGE + BOX + GAP, size: SIDE * CELL }
export const RIGHT = GRID.x + GRID.size + GAP
const LOW = GRID.y + GRID.size + GAP
export const WIDTH = RIGHT + BOX + EDGE
export const HEIGHT = LOW + BOX + EDGE

export const corner = (cell: number) => ({
  x: GRID.x + columnOf(cell) * CELL,
  y: GRID.y + rowOf(cell) * CELL,
})

/** Where a line's points are written: rows at the right, columns below, diagonals at the corners they run into. */
export function box(line: number): { x: number; y: number } {
  const inset = (CELL - BOX) / 2
  if (line < SIDE) return { x: RIGHT, y: GRID.y + line * CELL + inset }
  if (line < 2 * SIDE) return { x: GRID.x + (line - SIDE) * CELL + inset, y: LOW }
  return { x: RIGHT, y: line === 2 * SIDE ? GRID.y - GAP - BOX : LOW }
}

/** From which point to which a marker pen runs along a line, towards its box. */
export function stroke(line: number): {
  x1: number
  y1: number
  x2: number
  y2: number
} {
  const ends = [...LINES[line]!.cells].sort((a, b) => columnOf(a) - columnOf(b) || rowOf(a) - rowOf(b))
  const from = corner(ends[0]!)
  const to = corner(ends.at(-1)!)
  const half = CELL / 2
  const [dx, dy] = [Math.sign(to.x - from.x) * 26, Math.sign(to.y - from.y) * 26]
  return {
    x1: from.x + half - dx,
    y1: from.y + half - dy,
    x2: to.x + half + dx,
    y2: to.y + half + dy,
  }
}

/** How a line is called: “row 2”. */
export function lineName(line: number): string {
  if (line < SIDE) return t("page.row-row", { row: line + 1 })
  if (line < 2 * SIDE) return t("knister.column-column", { column: line - SIDE + 1 })
  return line === 2 * SIDE ? t("knister.the-diagonal-that-rises") : t("knister.the-diagonal-that-falls")
}

/** How a cell is called: “row 2, column 3”, counted from the top left as one reads. */
export function cellName(cell: number): string {
  return t("knister.row-column", {
    row: rowOf(cell) + 1,
    column: columnOf(cell) + 1,
  })
}

/** No two numbers are written alike: a little turn and shift, always the same for the same cell and number. */
export function hand(cell: number, number: number): { turn: number; dx: number; dy: number } {
  const whim = (cell * 37 + number * 101) % 97
  return { turn: (whim % 11) - 5, dx: (whim % 7) - 3, dy: (whim % 5) - 2 }
}
