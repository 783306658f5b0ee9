/** Callisto in words, for eyes and ears. */
import type { AnyView, CallistoView, Step } from "$page/net/types"
import { count, t } from "$page/words/words.svelte"
import { viewOf } from "$page/games/steps"
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
  return t("{tile} on {cells}", {
    tile: called(read(move).piece),
    cells: spelled(move),
  })
}

/** How it ended. The table itself says who can place nothing more. */
export function news(step: Step, names: string[], seat: number | null): string {
  const { scores } = viewOf(step, seat) as CallistoView
  return (scores ?? [])
    .map((left, each) =>
      t("{name}: {left}.", {
        name: names[each] ?? "",
        left: squaresLeft(left),
      }),
    )
    .join(" ")
}

/** The seats that can place nothing more (C8) since the newest steps came; at a first look nobody is news. */
export function wentOut(steps: readonly Step[], come: readonly Step[]): number[] {
  const before = steps[steps.length - come.length - 1]
  if (!before || !come.length) return []
  const known = sidesOut(before)
  return sidesOut(come.at(-1)!).filter((seat) => !known.includes(seat))
}

function sidesOut(step: Step): number[] {
  return (viewOf(step, null) as CallistoView).sides.flatMap((side, seat) => (side.out ? [seat] : []))
}

export const squaresLeft = (left: number): string => count(left, "1 square left", "{count} squares left")

/** The server names the rule first, for programs and experts; beside the board the sentence is enough. */
export function sentence(text: string): string {
  const plain = text.replace(/^[A-Z]\d+: /, "")
  return plain.charAt(0).toUpperCase() + plain.slice(1) + (/[.!?]$/.test(plain) ? "" : ".")
}

/** Equal penalties: who started later ranks higher, for every place (C10). */
export function tie(view: AnyView, names: string[]): string | null {
  const { sides, places } = view as CallistoView
  const penalties = sides.map(({ penalty }) => penalty)
  const equal = penalties.flatMap((penalty, seat) => (penalties.indexOf(penalty) < seat ? [penalty] : []))
  if (!places || !equal.length) return null
  const best = Math.min(...equal)
  const among = penalties
    .flatMap((penalty, seat) => (penalty === best ? [seat] : []))
    .sort((a, b) => places[a]! - places[b]!)
  return t("{names}, {points} each: whoever started later ranks higher (rule C10).", {
    names: among.map((seat) => names[seat] ?? "").join(", "),
    points: best,
  })
}
