/** Over whose shoulder a finished game is watched. */
import type { AnyView, Step } from "../net/types"

/** Whether the seats have sheets of their own to look at. */
export const hasSheets = (view: AnyView): boolean => view.game === "knister" && view.standings.length > 0

/** The table as a seat has it before itself; for everybody, or where all see the same, as it is. */
function seenBy(view: AnyView, seat: number | null): AnyView {
  if (view.game !== "knister" || seat === null) return view
  const row = view.standings.find((row) => row.seat === seat)
  return row ? { ...view, seat, sheet: row.sheet, lines: row.lines } : view
}

/** As much of a replay as a table needs to show a moment: the step that led here, and the one before, whose move it marks. */
export function momentOf(steps: readonly Step[], at: number, seat: number | null): Step[] {
  return steps
    .slice(Math.max(at - 1, 0), at + 1)
    .map((step) => ({ ...step, views: step.views.map((view) => seenBy(view, seat)) }))
}
