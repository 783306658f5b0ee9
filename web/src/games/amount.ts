import { t } from "../words/words.svelte"
import type { GamePage } from "./contract"

/** So many points in the game's own word: “3 squares”. */
export const amountOf = (game: GamePage, points: number): string =>
  game.amount?.(points) ?? t("page.points-counted", { count: points })
