/** The board of Isis & Osiris in plain terms: cells, pieces, sums, the track. */
import games from "$schema/games.json"
import type { IsisOsirisView } from "../../net/types"

export type View = IsisOsirisView

const box = games["isis-osiris"]
const editions: Record<string, (typeof box.editions)["standard"]> = box.editions

export const boardOf = (view: View) => editions[view.options.edition] ?? box.editions.standard

/** The seat whose stone lies there; null if there is none. */
export function stoneAt(mark: string | undefined): number | null {
  const seat = mark ? "ABCD".indexOf(mark) : -1
  return seat < 0 ? null : seat
}

export const isTile = (mark: string | undefined): boolean => mark !== undefined && /^[?+-]/.test(mark)

/** The value that can be read there; null for a free cell, a stone, or a tile face down. */
export const valueAt = (mark: string | undefined): number | null => (mark && /^[+-]/.test(mark) ? Number(mark) : null)

/** With a real minus sign, as wide as a plus. */
export const signed = (value: number): string => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0")

/** The values beside a cell, as far as they can be read. */
export function beside(view: View, cell: number): { cell: number; value: number }[] {
  return (boardOf(view).neighbours[cell] ?? []).flatMap((near) => {
    const value = valueAt(view.cells[near])
    return value === null ? [] : [{ cell: near, value }]
  })
}

/** What the stone on a cell scores once all tiles are shown (I7). */
export const worth = (view: View, cell: number): number => beside(view, cell).reduce((sum, { value }) => sum + value, 0)

/** How many 20-markers a total takes, negative ones for minus, and the field for the remainder (I9). */
export function onTrack(total: number): { markers: number; field: number } {
  const sign = total < 0 ? -1 : 1
  const markers = Math.floor(Math.max(Math.abs(total) - 1, 0) / box.track.most)
  return { markers: sign * markers, field: total - sign * markers * box.track.most }
}

/** What happened from one view to the next, as far as it can be told. */
export type Step =
  | { kind: "same" }
  | { kind: "jump" }
  | { kind: "turned"; seat: number; value: number }
  | { kind: "laid"; cell: number }
  | { kind: "stone"; cell: number; seat: number }

export function between(before: View, after: View): Step {
  const { options: a } = before
  const { options: b } = after
  if (a.seats !== b.seats || a.starter !== b.starter || a.variant !== b.variant) return { kind: "jump" }
  const filled: number[] = []
  for (const [cell, mark] of after.cells.entries()) {
    const old = before.cells[cell]
    if (old === mark) continue
    if (old === ".") filled.push(cell)
    else if (!(isTile(old) && isTile(mark))) return { kind: "jump" }
  }
  if (filled.length > 1) return { kind: "jump" }
  const cell = filled[0]
  if (cell === undefined) {
    if (after.turned !== null && before.turned === null && after.turn !== null)
      return { kind: "turned", seat: after.turn, value: after.turned }
    return before.turned === after.turned ? { kind: "same" } : { kind: "jump" }
  }
  const seat = stoneAt(after.cells[cell])
  if (seat !== null) return before.turned === null ? { kind: "stone", cell, seat } : { kind: "jump" }
  // A tile that was turned and laid while nobody told us: it lies there, and stays unknown (I3).
  return after.turned === null ? { kind: "laid", cell } : { kind: "jump" }
}
