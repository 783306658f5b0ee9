/** Moves in words. */
import { t } from "$page/words/words.svelte"

/** `Sc3` a stone on c3, `T` a tile is turned over, `Tc3` it is laid there. */
export function tell(move: string): string {
  if (move === "T") return t("isis-osiris.a-tile-turned-over")
  const cell = move.slice(1)
  return move.startsWith("S")
    ? t("isis-osiris.a-stone-on-inside", { cell })
    : t("isis-osiris.the-tile-face-down-on", { cell })
}
