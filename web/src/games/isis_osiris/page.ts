import type { AnyView } from "../../net/types"
import { t } from "../../words/words.svelte"
import type { GamePage } from "../contract"
import { between, signed, type View } from "./board"
import "./cloth.css"
import Mark from "./Mark.svelte"
import SeatNote from "./SeatNote.svelte"
import { shownFor } from "./shown.svelte"
import Table from "./Table.svelte"

/** `Sc3` a stone on c3, `T` a tile is turned over, `Tc3` it is laid there. */
function tell(move: string): string {
  if (move === "T") return t("a tile turned over")
  const cell = move.slice(1)
  return move.startsWith("S") ? t("a stone on {cell}", { cell }) : t("the tile face down on {cell}", { cell })
}

function news(before: AnyView | null, after: AnyView): string {
  const old = before as View | null
  const now = after as View
  if (now.turned === null) return ""
  const step = old && between(old, now)
  return !step || step.kind === "turned" || step.kind === "jump"
    ? t("It shows {value}.", { value: signed(now.turned) })
    : ""
}

export const page: GamePage = {
  Table,
  SeatNote,
  Mark,
  tell,
  news,
  scores: (view) => shownFor(view as View).scores,
  counted: (view) => (view as View).scores === null || shownFor(view as View).scores !== null,
}
