/** From taps on a picture to a move. Elements of the picture may carry a whole move, or a cell that is part of one. */

/** The parts of a move that cells can name: what stands between commas, hyphens, spaces and the like. */
export const partsOf = (move: string): string[] => move.split(/[^A-Za-z0-9+]+/).filter(Boolean)

/** The legal moves that have all chosen cells among their parts, in the order in which they were chosen. */
export function matching(legal: readonly string[], cells: readonly string[]): string[] {
  return legal.filter((move) => {
    let at = 0
    for (const part of partsOf(move)) if (part === cells[at]) at++
    return at === cells.length
  })
}

/** The cells that were chosen after one more tap: it goes on, begins anew, or, on the last one again, takes it back. */
export function tapped(legal: readonly string[], cells: readonly string[], cell: string): string[] {
  if (cells.at(-1) === cell) return cells.slice(0, -1)
  if (matching(legal, [...cells, cell]).length) return [...cells, cell]
  return matching(legal, [cell]).length ? [cell] : []
}

/** The one move that is meant, if the cells leave no other: a move of one part is meant by its cell alone. */
export function meant(legal: readonly string[], cells: readonly string[]): string | null {
  if (!cells.length) return null
  const found = matching(legal, cells)
  const exact = found.filter((move) => partsOf(move).length === cells.length)
  if (exact.length === 1) return exact[0]!
  return found.length === 1 ? found[0]! : null
}
