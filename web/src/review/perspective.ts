/** Over whose shoulder a finished game is watched. */
import type { LastMove } from "../games/contract"
import type { AnyView, ReplayStep } from "../net/types"

/** Whether the seats have sheets of their own to look at. */
export const hasSheets = (view: AnyView): boolean => view.game === "knister" && view.standings.length > 0

/** The table as a seat has it before itself; for everybody, or where all see the same, as it is. */
export function seenBy(view: AnyView, seat: number | null): AnyView {
  if (view.game !== "knister" || seat === null) return view
  const row = view.standings.find((row) => row.seat === seat)
  return row ? { ...view, seat, sheet: row.sheet, lines: row.lines } : view
}

/** The moves of a moment, by seat. */
export function movesOf(step: ReplayStep): LastMove[] {
  if (step.move === null) return []
  if (step.seat !== null) return [{ seat: step.seat, move: step.move }]
  return step.move.split(" ").flatMap((move, seat) => (move === "-" ? [] : [{ seat, move }]))
}

/** The move that led to a moment, as the table marks it: of the seat that is watched, or the only one there is. */
export function lastOf(steps: ReplayStep[], at: number, seat: number | null): LastMove | null {
  for (const step of [steps[at], steps[at - 1]]) {
    const moves = step ? movesOf(step) : []
    if (moves.length) return moves.find((last) => last.seat === seat) ?? (moves.length === 1 ? moves[0]! : null)
  }
  return null
}
