/** What is in the box, and the names of cells: columns are letters from the left, rows numbers from the bottom. */
import { callisto } from "$schema/games.json"
import type { CallistoBox, CallistoOrientation, CallistoPiece, CallistoView } from "$page/net/types"

export interface Square {
  x: number
  y: number
}

/** A piece in one of its orientations, and where the bottom left of its bounding box is. */
export interface Placement {
  piece: string
  orientation: number
  origin: Square
}

export interface Ground {
  width: number
  height: number
  /** How many cells each row has, from the top; each row is centred. */
  rows: number[]
  /** All cells, from the top left. */
  cells: Square[]
  centre: Set<string>
  has: (square: Square) => boolean
  framed: boolean
}

export const PILLAR = "P"

const box: CallistoBox = callisto
const ONE: CallistoOrientation = {
  letter: "",
  offsets: [[0, 0]],
  corners: [
    [0, 0, 1, 1],
    [1, 0, -1, 1],
    [1, 1, -1, -1],
    [0, 1, 1, -1],
  ],
  turned: 0,
  flipped: 0,
}

export const nameOf = ({ x, y }: Square): string => String.fromCharCode(97 + x) + (y + 1)
export const squareOf = (name: string): Square => ({
  x: name.charCodeAt(0) - 97,
  y: Number(name.slice(1)) - 1,
})
export const same = (a: Square | null, b: Square | null): boolean => a?.x === b?.x && a?.y === b?.y

/** All orientations of a piece. */
export const orientationsOf = (piece: string): CallistoOrientation[] => box.shapes[piece]?.orientations ?? [ONE]

/** The squares of a piece, counted from the bottom left of its bounding box. */
export function shapeOf(piece: string, orientation: number): Square[] {
  return (orientationsOf(piece)[orientation] ?? ONE).offsets.map(([x = 0, y = 0]) => ({ x, y }))
}

/** The corners around a piece, clockwise from the top left; with each, where inwards is. */
export const cornersAround = (piece: string, orientation: number): number[][] =>
  (orientationsOf(piece)[orientation] ?? ONE).corners

export function sizeOf(shape: Square[]): { width: number; height: number } {
  return {
    width: Math.max(...shape.map(({ x }) => x)) + 1,
    height: Math.max(...shape.map(({ y }) => y)) + 1,
  }
}

/** What a tile costs at the end (C9); a pillar costs nothing. */
export const costOf = (piece: string): number => box.shapes[piece]?.squares ?? 0

/** The pieces that a seat begins with, tile by tile. */
export function tilesOf(view: CallistoView): [string, number][] {
  return Object.entries(box.editions[view.options.edition]!.tiles)
}

export function squaresOf({ piece, orientation, origin }: Placement): Square[] {
  return shapeOf(piece, orientation).map(({ x, y }) => ({
    x: origin.x + x,
    y: origin.y + y,
  }))
}

/** A move in the notation: its cells. */
export const written = (placement: Placement): string => squaresOf(placement).map(nameOf).join(",")

/** Where a piece lies that the server tells of: the first square of its orientation is on `cell`. */
export function placementOf({ piece, orientation, cell }: CallistoPiece): Placement {
  const { x, y } = squareOf(cell)
  const first = shapeOf(piece, orientation)[0]!
  return { piece, orientation, origin: { x: x - first.x, y: y - first.y } }
}

const CELL_NAME = /^[a-z][1-9]\d?$/
const keyOf = (squares: Square[]) => squares.map(({ x, y }) => `${x}${y}`).join()
const KNOWN = new Map<string, { piece: string; orientation: number }>([["00", { piece: PILLAR, orientation: 0 }]])
for (const piece of Object.keys(box.shapes))
  orientationsOf(piece).forEach((_, orientation) =>
    KNOWN.set(keyOf(shapeOf(piece, orientation)), { piece, orientation }),
  )

/** Reads a move in the notation; throws if no piece has this shape. */
export function read(move: string): Placement {
  const cells = move.split(",")
  const squares = cells.map(squareOf)
  const origin = {
    x: Math.min(...squares.map(({ x }) => x)),
    y: Math.min(...squares.map(({ y }) => y)),
  }
  const shape = squares.map(({ x, y }) => ({ x: x - origin.x, y: y - origin.y })).sort((a, b) => a.y - b.y || a.x - b.x)
  const known = cells.every((cell) => CELL_NAME.test(cell)) && KNOWN.get(keyOf(shape))
  if (!known) throw new RangeError(`no piece covers exactly ${move}`)
  return { ...known, origin }
}

const grounds = new Map<string, Ground>()

/** The board that a view lies on. */
export function groundOf({ options: { edition, seats } }: CallistoView): Ground {
  const key = `${edition} ${seats}`
  let ground = grounds.get(key)
  if (!ground) {
    const { width, height, rows, centre } = box.editions[edition]!.boards[seats]!
    const has = ({ x, y }: Square) => {
      const wide = rows[height - 1 - y] ?? 0
      return x >= (width - wide) / 2 && x < (width + wide) / 2
    }
    const all = rows.flatMap((_, row) => Array.from({ length: width }, (_, x) => ({ x, y: height - 1 - row })))
    const framed = rows.every((wide) => wide === width)
    ground = {
      width,
      height,
      rows,
      cells: all.filter(has),
      centre: new Set(centre),
      has,
      framed,
    }
    grounds.set(key, ground)
  }
  return ground
}

/** A piece and how it is held, as the key of a map. */
export const heldKey = (piece: string | null, orientation: number): string => `${piece} ${orientation}`

/** Where each piece fits in each orientation: origins by `heldKey`. */
export function placesOf(legal: string[]): Map<string, Square[]> {
  const found = new Map<string, Square[]>()
  for (const move of legal) {
    const { piece, orientation, origin } = read(move)
    const key = heldKey(piece, orientation)
    const known = found.get(key)
    if (known) known.push(origin)
    else found.set(key, [origin])
  }
  return found
}

/** The next cell in a direction; along the slanted edges the nearest one of the next row. */
export function beside(ground: Ground, { x, y }: Square, dx: number, dy: number): Square {
  const [wantX, wantY] = [x + dx, y + dy]
  const line = ground.cells.filter((cell) => cell.y === wantY && (dy !== 0 || cell.x === wantX))
  const away = (cell: Square) => Math.abs(cell.x - wantX)
  return line.length ? line.reduce((best, cell) => (away(cell) < away(best) ? cell : best)) : { x, y }
}
