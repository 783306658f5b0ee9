import type { KnisterView } from "$page/net/types"
import { t } from "$page/words/words.svelte"
import type { GamePage } from "$page/games/contract"
import { isCounting } from "$page/games/counting.svelte"
import { keys } from "./keys"
import Move from "./Move.svelte"
import Projector from "./Projector.svelte"
import SeatNote from "./SeatNote.svelte"
import Table from "./Table.svelte"
import { haveToWrite, missed, news, tell } from "./telling"

export const page: GamePage = {
  Table,
  Projector,
  SeatNote,
  aim: () => t("knister.write-each-roll-into-a-cell"),
  Move,
  tell,
  news,
  together: true,
  task: (view) => haveToWrite((view as KnisterView).roll ?? 0),
  missed,
  keys,
  counted: () => !isCounting(),
  scores: (view) => {
    const { standings, options } = view as KnisterView
    if (standings.length < options.seats) return null // a crowd: only the leaders and one's neighbours are told
    const scores: number[] = []
    for (const { seat, points } of standings) scores[seat] = points
    return scores
  },
  ranking: (view) => {
    const seats = (view as KnisterView).standings.map((row) => row.seat)
    return isCounting() ? seats.sort((a, b) => a - b) : seats
  },
  perspective: (view, seat) => {
    const shown = view as KnisterView
    const row = shown.standings.find((row) => row.seat === seat)
    return row ? { ...shown, seat, sheet: row.sheet, lines: row.lines } : null
  },
}
