/** The board of Isis & Osiris in plain terms: cells, pieces, sums, the track. */
import games from "$schema/games.json"
import type { IsisOsirisView, Step } from "$page/net/types"

export type View = IsisOsirisView

const box = games["isis-osiris"]
/** The eye on a tile’s back, on a sheet of 64x64. */
export const EYE = box.eye
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
  return {
    markers: sign * markers,
    field: total - sign * markers * box.track.most,
  }
}

/** What a step does to the table. */
export type Action =
  /** The game begins, or a tile is about to be turned over: nothing moves. */
  | { kind: "none" }
  /** Chance shows the tile that a seat has turned over. */
  | { kind: "turned"; seat: number; value: number }
  /** The turned tile is laid face down. */
  | { kind: "laid"; cell: number }
  | { kind: "stone"; cell: number; seat: number }

/** Reads a step: `Sc3` places a stone on c3, `T` turns a tile over, `Tc3` lays it there. */
export function actionOf({ seat, move, rolled }: Step, view: View): Action {
  if (rolled !== null && view.turned !== null && view.turn !== null)
    return { kind: "turned", seat: view.turn, value: view.turned }
  const cell = move === null ? -1 : boardOf(view).cells.indexOf(move.slice(1))
  if (cell < 0) return { kind: "none" }
  return move!.startsWith("S") && seat !== null ? { kind: "stone", cell, seat } : { kind: "laid", cell }
}
