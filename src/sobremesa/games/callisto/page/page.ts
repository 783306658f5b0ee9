import type { CallistoView } from "$page/net/types"
import { count, t } from "$page/words/words.svelte"
import type { GamePage } from "$page/games/contract"
import { isCounting } from "$page/games/counting.svelte"
import Move from "./Move.svelte"
import SeatNote from "./SeatNote.svelte"
import Table from "./Table.svelte"
import { news, tell, tie } from "./words"

export const page: GamePage = {
  Table,
  SeatNote,
  Move,
  amount: (squares) => count(squares, "1 square", "{count} squares"),
  aim: () => t("Place as many of your tiles as you can: each square left over is a penalty point. Fewest wins."),
  tell,
  news,
  keys: () => [
    ["← ↑ ↓ →", t("move the tile, or the cell")],
    ["R", t("turn it; so does the mouse wheel")],
    ["F", t("flip it; so does the wheel with Shift")],
    ["Enter", t("place it")],
    ["N", t("the next place where it fits, if places are shown")],
    ["Esc", t("put it back")],
  ],
  counted: () => !isCounting(),
  tie,
  wishes: [{ key: "callisto-at-once", text: () => t("a dragged tile is placed at once") }],
  scores: (view) => (view as CallistoView).sides.map((side) => side.penalty),
}
