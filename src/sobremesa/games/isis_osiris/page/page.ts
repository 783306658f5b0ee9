import type { Step } from "$page/net/types"
import { t } from "$page/words/words.svelte"
import type { GamePage } from "$page/games/contract"
import { viewOf } from "$page/games/steps"
import { actionOf, signed, type View } from "./board"
import "./cloth.css"
import Mark from "./Mark.svelte"
import Move from "./Move.svelte"
import SeatNote from "./SeatNote.svelte"
import { shownFor } from "./shown.svelte"
import Table from "./Table.svelte"
import { tell } from "./telling"

function news(step: Step, _names: string[], seat: number | null): string {
  const action = actionOf(step, viewOf(step, seat) as View)
  return action.kind === "turned" ? t("isis-osiris.it-shows", { value: signed(action.value) }) : ""
}

export const page: GamePage = {
  Table,
  SeatNote,
  Mark,
  aim: () => t("isis-osiris.your-stones-score-the-tiles-beside"),
  Move,
  tell,
  news,
  scores: (view) => shownFor(view as View).scores,
  keys: () => [
    ["← ↑ ↓ →", t("page.go-to-another-cell")],
    ["Enter", t("isis-osiris.choose-it")],
    ["S", t("isis-osiris.place-a-stone-inside")],
    ["T", t("isis-osiris.turn-over-a-tile-inside")],
    [t("isis-osiris.space"), t("isis-osiris.keep-looking-at-a-tile")],
    ["Esc", t("isis-osiris.choose-again")],
  ],
  counted: (view) => (view as View).scores === null || shownFor(view as View).scores !== null,
}
