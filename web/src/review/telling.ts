/** A finished game in words, and what a review says about it in numbers. */
import { amountOf } from "../games/amount"
import type { GamePage } from "../games/contract"
import { playerName } from "../games/info.svelte"
import { movesOf } from "../games/steps"
import type { Hinted, Replay, Review, ReviewedMove, Step } from "../net/types"
import { personName } from "../parts/seating"
import { language, t } from "../words/words.svelte"

/** What happened at a moment: a line for each seat that moved, or one for chance. */
export function tellStep(page: GamePage, step: Step, names: string[]): string[] {
  const moves = movesOf(step)
  if (moves.length)
    return moves.map(({ seat, move }) => t("page.name-move", { name: names[seat] ?? "", move: page.tell(move) }))
  if (step.rolled !== null) return [page.news(step, names, null) || step.rolled]
  return [step.version === 0 ? t("page.the-start") : t("page.everybody-has-decided")]
}

/** The seats' names; equal ones are numbered. */
export function namesIn({ game, names }: Replay): string[] {
  const times = new Map<string, number>()
  return names.map((id) => {
    const name = personName(playerName(game, id))
    const before = times.get(name) ?? 0
    times.set(name, before + 1)
    return before ? `${name} ${before + 1}` : name
  })
}

export type Measure = Review["measure"]

/** A chance or a score: “43%”, “61.5”. */
export function valued(value: number, measure: Measure): string {
  return measure === "chance"
    ? new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: 0 }).format(value)
    : new Intl.NumberFormat(language(), { maximumFractionDigits: 1 }).format(value)
}

/** What a move gave away: “12% of the win”, “3.4 points”. */
export function givenAway(lost: number, measure: Measure): string {
  const amount = valued(lost, measure)
  return measure === "chance" ? amount : t("page.amount-points", { amount })
}

/** Why a hint is good: what its move is worth, and the next best. */
export function reasonFor({ measure, moves: [best, next] }: Pick<Hinted, "measure" | "moves">): string {
  if (!best) return ""
  const value = valued(best.value, measure)
  const worth =
    measure === "chance" ? t("page.chance-to-win", { chance: value }) : t("page.points-expected", { points: value })
  return next ? `${worth}; ${t("page.next-best", { value: valued(next.value, measure) })}` : worth
}

/** What a move gave away at the end of the game, as far as that is known and worth a word: “3 squares”. */
export function pointsLost(page: GamePage, move: ReviewedMove): string {
  const points = Math.round(move.points_lost ?? 0)
  if (points < 1) return ""
  return amountOf(page, points)
}

/** How grave a mistake is: none, a slip, a mistake, a bad one. */
export type Gravity = 0 | 1 | 2 | 3

/** From how much on a mistake is how grave. */
const GRAVITY: Record<Measure, [number, number, number]> = { chance: [0.02, 0.1, 0.25], points: [0.5, 2, 5] }

export const gravityOf = (lost: number, measure: Measure): Gravity =>
  GRAVITY[measure].filter((least) => lost > least).length as Gravity

export function graveName(gravity: Gravity): string {
  return [t("page.as-good-as-it-gets"), t("page.a-slip"), t("page.a-mistake"), t("page.a-bad-mistake")][gravity]!
}

/** Less than this is noise, not a mistake. */
export const NOISE_THRESHOLD: Record<Measure, number> = { chance: GRAVITY.chance[0], points: GRAVITY.points[0] }
