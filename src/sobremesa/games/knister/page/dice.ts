/** Faces for a roll. The game knows the sum only: the same pair stands for it on every screen, every pair alike often. */

export type Face = 1 | 2 | 3 | 4 | 5 | 6

export function pair(round: number, roll: number): [Face, Face] {
  const least = Math.max(1, roll - 6)
  const most = Math.min(6, roll - 1)
  const first = least + (mixed(round * 13 + roll) % (most - least + 1))
  return [first as Face, (roll - first) as Face]
}

/** A number that looks like chance but is always the same. */
export function mixed(seed: number): number {
  let bits = Math.imul(seed + 0x9e3779b9, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** Which faces are seen above and at the right of the one in front, on a die as it is made: opposite ones make 7. */
export const ADJACENT_FACES: Record<Face, { above: Face; right: Face }> = {
  1: { above: 3, right: 2 },
  2: { above: 1, right: 3 },
  3: { above: 2, right: 1 },
  4: { above: 1, right: 2 },
  5: { above: 3, right: 1 },
  6: { above: 2, right: 3 },
}

/** Where the pips are, in thirds from the middle. */
const MIDDLE = [[0, 0]]
const TWO = [
  [-1, 1],
  [1, -1],
]
const FOUR = [[-1, -1], [1, 1], ...TWO]
export const PIPS: Record<Face, number[][]> = {
  1: MIDDLE,
  2: TWO,
  3: [...MIDDLE, ...TWO],
  4: FOUR,
  5: [...MIDDLE, ...FOUR],
  6: [...FOUR, [-1, 0], [1, 0]],
}
