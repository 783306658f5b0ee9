/** The table shows things in their time; what stands beside it keeps to that, and does not run ahead. */
import type { View } from "./board"

let live = $state.raw<{ table: object; view: View } | null>(null)

/** A table tells what it shows now. */
export function tellShown(table: object, view: View): void {
  live = { table, view }
}

/** A table is gone. */
export function forget(table: object): void {
  if (live?.table === table) live = null
}

/** What the table shows while a view is the latest news. */
export const shownFor = (view: View): View => live?.view ?? view
