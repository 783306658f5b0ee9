import type { CallistoView } from "../../net/types"
import type { GamePage } from "../contract"
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
