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
  return action.kind === "turned" ? t("It shows {value}.", { value: signed(action.value) }) : ""
}

export const page: GamePage = {
  Table,
  SeatNote,
  Mark,
  aim: () =>
    t("Your stones score the tiles beside them. Tiles lie face down: remember the good ones. Most points win."),
  Move,
  tell,
  news,
  scores: (view) => shownFor(view as View).scores,
  keys: () => [
    ["← ↑ ↓ →", t("go to another cell")],
    ["Enter", t("choose it")],
    ["S", t("place a stone")],
    ["T", t("turn over a tile")],
    [t("Space"), t("keep looking at a tile")],
    ["Esc", t("choose again")],
  ],
  counted: (view) => (view as View).scores === null || shownFor(view as View).scores !== null,
}
