import type { CallistoView } from "$page/net/types"
import { t } from "$page/words/words.svelte"
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
  amount: (squares) => t("callisto.squares", { count: squares }),
  unit: () => t("callisto.left-over"),
  aim: () => t("callisto.place-as-many-of-your-tiles"),
  tell,
  news,
  keys: () => [
    ["← ↑ ↓ →", t("callisto.move-the-tile-or-the-cell")],
    ["R", t("callisto.turn-it")],
    ["F", t("callisto.flip-it")],
    ["Enter", t("callisto.place-it")],
    ["N", t("callisto.the-next-place-where-it-fits")],
    ["Esc", t("callisto.put-it-back")],
  ],
  counted: () => !isCounting(),
  tie,
  wishes: [{ key: "callisto-at-once", text: () => t("callisto.a-dragged-tile-is-placed-at") }],
  scores: (view) => (view as CallistoView).sides.map((side) => side.penalty),
}
