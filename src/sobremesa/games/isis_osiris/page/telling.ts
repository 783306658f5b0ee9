/** Moves in words. */
import { t } from "$page/words/words.svelte"

/** `Sc3` a stone on c3, `T` a tile is turned over, `Tc3` it is laid there. */
export function tell(move: string): string {
  if (move === "T") return t("a tile turned over")
  const cell = move.slice(1)
  return move.startsWith("S") ? t("a stone on {cell}", { cell }) : t("the tile face down on {cell}", { cell })
}
