/** Where things lie on the stage: the board in the middle, the scoring track along both sides. */
import games from "$schema/games.json"

export const WIDTH = 544
export const HEIGHT = 498
export const CELL = 72
export const CELLS = 6
export const BOARD = { x: 56, y: 12, size: CELL * CELLS }
export const TRACK = {
  left: 8,
  right: 500,
  width: 36,
  top: 12,
  zero: 460,
  band: 30,
  most: games["isis-osiris"].track.most,
}

export const FIELD = (TRACK.zero - TRACK.top) / TRACK.most

/** The middle of a field: minus up the left side, plus up the right, zero below the board (I9). */
export function field(value: number): { x: number; y: number } {
  if (!value) return { x: WIDTH / 2, y: TRACK.zero + TRACK.band / 2 }
  const x = (value < 0 ? TRACK.left : TRACK.right) + TRACK.width / 2
  return { x, y: TRACK.zero - (Math.abs(value) - 0.5) * FIELD }
}

/** Part of the stage, for styles. */
export const across = (x: number): string => `${(100 * x) / WIDTH}%`
export const down = (y: number): string => `${(100 * y) / HEIGHT}%`
