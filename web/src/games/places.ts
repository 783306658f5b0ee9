/** Scores and places by seat once a game is over, whichever game it is. */
import type { AnyView } from "../net/types"

export function resultOf(view: AnyView): { scores: number[]; places: number[] } | null {
  if (view.game !== "knister") return view.scores && view.places ? { scores: view.scores, places: view.places } : null
  if (!view.over) return null
  const result = { scores: [] as number[], places: [] as number[] }
  for (const row of view.standings) {
    result.scores[row.seat] = row.points
    result.places[row.seat] = row.place
  }
  return result
}
