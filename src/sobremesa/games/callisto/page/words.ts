/** Callisto in words, for eyes and ears. */
import type { AnyView, CallistoView, Step } from "$page/net/types"
import { t } from "$page/words/words.svelte"
import { viewOf } from "$page/games/steps"
import { PILLAR, read } from "./box"

const NAMES: Record<string, () => string> = {
  [PILLAR]: () => t("callisto.pillar"),
  "2": () => t("callisto.domino"),
  I: () => t("callisto.straight-three"),
  V: () => t("callisto.corner"),
  O: () => t("callisto.square"),
  L: () => t("callisto.tile-l"),
  T4: () => t("callisto.short-t"),
  Z: () => t("callisto.tile-z"),
  U: () => t("callisto.tile-u"),
  T5: () => t("callisto.long-t"),
  W: () => t("callisto.staircase"),
  X: () => t("callisto.plus"),
}

/** What people call a piece. */
export const called = (piece: string): string => NAMES[piece]?.() ?? piece

const spelled = (move: string): string => move.replaceAll(",", ", ")

/** “Corner on e9, e10, f10”. */
export function tell(move: string): string {
  return t("callisto.tile-on-cells", {
    tile: called(read(move).piece),
    cells: spelled(move),
  })
}

/** How it ended. The table itself says who can place nothing more. */
export function news(step: Step, names: string[], seat: number | null): string {
  const { scores } = viewOf(step, seat) as CallistoView
  return (scores ?? [])
    .map((left, each) =>
      t("callisto.name-left", {
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

export const squaresLeft = (left: number): string => t("callisto.squares-left-counted", { count: left })

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
  return t("callisto.each-whoever-started-later", {
    names: among.map((seat) => names[seat] ?? "").join(", "),
    points: best,
  })
}
