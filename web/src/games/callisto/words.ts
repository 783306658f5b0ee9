/** Callisto in words, for eyes and ears. */
import type { CallistoView } from "../../net/types"
import { count, t } from "../../words/words.svelte"
import { PILLAR, read } from "./box"

const NAMES: Record<string, () => string> = {
  [PILLAR]: () => t("Pillar"),
  "2": () => t("Domino"),
  I: () => t("Straight three"),
  V: () => t("Corner"),
  O: () => t("Square"),
  L: () => t("Tile L"),
  T4: () => t("Short T"),
  Z: () => t("Tile Z"),
  U: () => t("Tile U"),
  T5: () => t("Long T"),
  W: () => t("Staircase"),
  X: () => t("Plus"),
}

/** What people call a piece. */
export const called = (piece: string): string => NAMES[piece]?.() ?? piece

const spelled = (move: string): string => move.replaceAll(",", ", ")

/** “Corner on e9, e10, f10”. */
export function tell(move: string): string {
  return t("{tile} on {cells}", { tile: called(read(move).piece), cells: spelled(move) })
}

/** Who can place nothing more, and how it ended. */
export function news(before: CallistoView | null, after: CallistoView, names: string[]): string {
  if (!before) return ""
  const said = after.sides.flatMap((side, seat) =>
    side.out && !before.sides[seat]?.out ? [t("{name} can place nothing more.", { name: names[seat] ?? "" })] : [],
  )
  if (after.scores && !before.scores)
    after.scores.forEach((left, seat) =>
      said.push(t("{name}: {left}.", { name: names[seat] ?? "", left: squaresLeft(left) })),
    )
  return said.join(" ")
}

export const squaresLeft = (left: number): string => count(left, "1 square left", "{count} squares left")

/** The server names the rule first, for programs and experts; beside the board the sentence is enough. */
export function sentence(text: string): string {
  const plain = text.replace(/^[A-Z]\d+: /, "")
  return plain.charAt(0).toUpperCase() + plain.slice(1) + (/[.!?]$/.test(plain) ? "" : ".")
}
