/** The table of a game that has no part of the page: the picture that its rules draw, to be tapped. */
import { t } from "../../words/words.svelte"
import type { GamePage } from "../contract"
import { outcomeName } from "../info.svelte"
import { viewOf } from "../steps"
import Table from "./Table.svelte"

export const page: GamePage = {
  Table,
  tell: (move) => move,
  news: (step, names, seat) => {
    const { rolled, move } = step
    if (rolled !== null)
      return outcomeName(viewOf(step, seat).game, rolled) ?? t("page.chance-brings", { outcome: rolled })
    // Where moves are hidden, one hears at least who has made theirs.
    if (step.seat !== null && move === null) return t("page.name-has-decided", { name: names[step.seat] ?? "" })
    return ""
  },
  task: () => t("page.tap-the-picture-or-choose-from"),
  keys: () => [
    ["← ↑ ↓ →", t("page.go-to-another-move")],
    ["Enter", t("page.choose-it-and-play-it")],
    ["Esc", t("page.choose-again")],
  ],
  scores: (view) => (view as { points?: number[] | null }).points ?? null,
}
