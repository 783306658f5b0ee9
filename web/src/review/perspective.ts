/** Over whose shoulder a finished game is watched. */
import type { GamePage } from "../games/contract"
import type { AnyView, Step } from "../net/types"

/** Whether the seats have something of their own to look at. */
export const hasOwnViews = (page: GamePage, view: AnyView): boolean => page.perspective?.(view, 0) != null

/** As much of a replay as a table needs to show a moment: the step that led here, and the one before, whose move it marks. */
export function momentOf(page: GamePage, steps: readonly Step[], at: number, seat: number | null): Step[] {
  const seenBy = (view: AnyView) => (seat === null ? view : (page.perspective?.(view, seat) ?? view))
  return steps.slice(Math.max(at - 1, 0), at + 1).map((step) => ({ ...step, views: step.views.map(seenBy) }))
}
