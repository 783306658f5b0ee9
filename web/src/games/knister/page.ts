import type { KnisterView } from "../../net/types"
import { t } from "../../words/words.svelte"
import type { GamePage } from "../contract"
import { isCounting } from "../counting.svelte"
import SeatNote from "./SeatNote.svelte"
import Table from "./Table.svelte"
import { haveToWrite, missed, news, tell } from "./telling"

export const page: GamePage = {
  Table,
  SeatNote,
  aim: () => t("Write each roll into a cell: pairs, straights and the like in a line score. Most points win."),
  tell,
  news,
  together: true,
  task: (view) => haveToWrite((view as KnisterView).roll ?? 0),
  missed,
  keys: () => [
    ["← ↑ ↓ →", t("go to another cell")],
    ["Enter", t("write the number")],
    ["Esc", t("skip the counting at the end")],
  ],
  counted: () => !isCounting(),
  scores: (view) => {
    const { standings, options } = view as KnisterView
    if (standings.length < options.seats) return null // a crowd: only the leaders and one's neighbours are told
    const scores: number[] = []
    for (const { seat, points } of standings) scores[seat] = points
    return scores
  },
}
