import type { CallistoView } from "$page/net/types"
import type { GamePage } from "$page/games/contract"
import SeatNote from "./SeatNote.svelte"
import Table from "./Table.svelte"
import { news, tell } from "./words"

export const page: GamePage = {
  Table,
  SeatNote,
  tell,
  news,
  scores: (view) => (view as CallistoView).sides.map((side) => side.penalty),
}
