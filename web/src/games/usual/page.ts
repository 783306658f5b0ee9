/** The table of a game that has no part of the page: the picture that its rules draw, to be tapped. */
import type { GamePage } from "../contract"
import SeatNote from "./SeatNote.svelte"
import Table from "./Table.svelte"

export const page: GamePage = {
  Table,
  SeatNote,
  tell: (move) => move,
  news: () => "",
  scores: () => null,
}
