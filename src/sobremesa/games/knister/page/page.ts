import type { KnisterView } from "$page/net/types"
import type { GamePage } from "$page/games/contract"
import Projector from "./Projector.svelte"
import SeatNote from "./SeatNote.svelte"
import Table from "./Table.svelte"
import { news, tell } from "./telling"

export const page: GamePage = {
  Table,
  Projector,
  SeatNote,
  tell,
  news,
  scores: (view) => {
    const { standings, options } = view as KnisterView
    if (standings.length < options.seats) return null // a crowd: only the leaders and one's neighbours are told
    const scores: number[] = []
    for (const { seat, points } of standings) scores[seat] = points
    return scores
  },
  perspective: (view, seat) => {
    const shown = view as KnisterView
    const row = shown.standings.find((row) => row.seat === seat)
    return row ? { ...shown, seat, sheet: row.sheet, lines: row.lines } : null
  },
}
