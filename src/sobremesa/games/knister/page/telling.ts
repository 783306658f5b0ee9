/** Knister in words, for ears. */
import type { KnisterView, MissedMoves, Step } from "$page/net/types"
import { personName } from "$page/parts/seating"
import { t } from "$page/words/words.svelte"
import { viewOf } from "$page/games/steps"
import { CELLS, cellName, lineName } from "./paper"
import { fullThrough, lineWords, rank, sum } from "./scoring"

/** English says “an” before eight and eleven. */
export function haveToWrite(roll: number): string {
  return roll === 8 || roll === 11
    ? t("knister.you-have-an-to-write", { roll })
    : t("knister.you-have-a-to-write", { roll })
}

export function tell(move: string): string {
  const cell = CELLS.indexOf(move)
  return cell < 0 ? move : cellName(cell)
}

/** The lines that a number has completed. */
export function linesCompleted(sheet: readonly number[], lines: readonly (number | null)[], cell: number): string[] {
  return fullThrough(lines, cell).map((line) => {
    const text = t("knister.is-full", {
      line: lineName(line),
      combination: lineWords(sheet, line),
      points: t("page.points-counted", { count: lines[line] ?? 0 }),
    })
    return text.charAt(0).toUpperCase() + text.slice(1)
  })
}

/** What a full sheet has; alone, a total has a name (K7). */
export function sheetTotal(lines: readonly (number | null)[], alone: boolean): string {
  const total = sum(lines)
  const word = alone ? rank(total).word : ""
  return word
    ? t("knister.your-sheet-has-points-call", { points: total, word })
    : t("knister.your-sheet-has-points", { points: total })
}

/** Lines that a move of one's own has completed, the number to write, and the end. */
export function news(step: Step, _names: string[], seat: number | null): string {
  const { sheet, lines, roll, over, options } = viewOf(step, seat) as KnisterView
  const mover = step.views.find((view): view is KnisterView => view.seat !== null && view.seat === step.seat)
  const sentences =
    mover?.sheet && mover.lines && step.move !== null
      ? linesCompleted(mover.sheet, mover.lines, CELLS.indexOf(step.move))
      : []
  if (over && lines) sentences.push(sheetTotal(lines, options.seats === 1))
  else if (step.rolled !== null && roll !== null)
    sentences.push(sheet ? haveToWrite(roll) : t("knister.the-dice-make", { roll }))
  return sentences.join(" ")
}

/** Who was not in time, and the cells: those whose numbers went into the same cell are named together. */
export function missed({ count, first, rule }: MissedMoves, seats: readonly number[]): string {
  const own = first.find(({ seat }) => seats.includes(seat))
  if (own) return t("knister.time-was-up", { cell: tell(own.move), rule: rule ?? "" })
  const cells = new Map<string, string[]>()
  for (const { name, move } of first) cells.set(move, [...(cells.get(move) ?? []), personName(name)])
  const names = [...cells].map(([move, names]) =>
    t("knister.names-in-cell", { names: names.join(", "), cell: tell(move) }),
  )
  if (count > first.length) names.push(t("page.count-more", { count: count - first.length }))
  return t("knister.not-in-time", { names: names.join("; "), rule: rule ?? "" })
}
