/** What happens at a table, one step after another: the same for live play, replays, lessons and reviews. */
import type { AnyView, Step } from "../net/types"

export interface SeatMove {
  seat: number
  move: string
}

/** Whether nothing moved: a game begins, or a crowd has come further and whose moves those were is not told. */
export const isQuiet = ({ seat, move, rolled }: Step): boolean => seat === null && move === null && rolled === null

/** The steps that still count: moves that were taken back later are left out. */
export function withoutTakenBack(steps: readonly Step[]): Step[] {
  const kept: Step[] = []
  for (const step of steps) {
    while (step.back !== null && kept.length && kept.at(-1)!.version > step.back) kept.pop()
    kept.push(step)
  }
  return kept
}

/** The table after a step as a seat sees it; as somebody else may see it where the seat has no view of its own. */
export function viewOf(step: Step, seat: number | null): AnyView {
  return step.views.find((view) => view.seat === seat) ?? step.views[0]!
}

/** The moves of a step, by seat: one, several where seats decided together, or none. */
export function movesOf({ seat, move }: Step): SeatMove[] {
  if (move === null) return []
  if (seat !== null) return [{ seat, move }]
  return move.split(" ").flatMap((each, index) => (each === "-" ? [] : [{ seat: index, move: each }]))
}

/** The newest moves that are known, as a table marks them: those of the last step that has any. */
export function lastMoves(steps: readonly Step[]): SeatMove[] {
  const last = steps.findLast(({ move }) => move !== null)
  return last ? movesOf(last) : []
}

/** What a table marks: what the others did since a seat's own last move, else the newest move that is known.
 *
 * `last` has the last move of each seat, oldest first; where it is not told, as in a replay, the steps have to do.
 */
export function markedMoves(last: readonly SeatMove[], steps: readonly Step[], seat: number | null): SeatMove[] {
  const since = last.slice(last.findLastIndex((move) => move.seat === seat) + 1)
  if (since.length) return since
  return last.length ? last.slice(-1) : lastMoves(steps)
}

/** The steps after a version, oldest first.
 *
 * `missed`: others came in between and were not told, since the connection was down. Then there is at most one.
 */
export function stepsAfter(steps: readonly Step[], version: number): { steps: Step[]; missed: boolean } {
  const known = steps.findLastIndex((step) => step.version <= version)
  return { steps: steps.slice(known + 1), missed: known < 0 }
}

/** Steps and what follows them, with versions that go up: positions and lessons are in no room that counts. */
export function numbered(before: readonly Step[], next: readonly Step[]): Step[] {
  const first = (before.at(-1)?.version ?? -1) + 1
  return [...before, ...next.map((step, index) => ({ ...step, version: first + index }))]
}
