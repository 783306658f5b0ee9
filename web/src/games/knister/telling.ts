/** Knister in words, for ears. */
import type { KnisterView } from "../../net/types"
import { count, t } from "../../words/words.svelte"
import { CELLS, LINES, cellName, lineName } from "./paper"
import { lineWords, rank, sum } from "./scoring"

/** English says “an” before eight and eleven. */
export function haveToWrite(roll: number): string {
  return roll === 8 || roll === 11
    ? t("You have an {roll} to write.", { roll })
    : t("You have a {roll} to write.", { roll })
}

export function tell(move: string): string {
  const cell = CELLS.indexOf(move)
  return cell < 0 ? move : cellName(cell)
}

type Place = Pick<KnisterView, "sheet" | "lines" | "roll" | "rounds" | "over">

/** Lines that are full now and were not, and the number to write. */
export function news(before: Place | null, after: Place & Partial<Pick<KnisterView, "seat" | "options">>): string {
  const said: string[] = []
  const { sheet, lines } = after
  if (sheet && lines && before?.lines)
    for (const line of LINES.keys())
      if (lines[line] !== null && before.lines[line] === null)
        said.push(
          t("{line} is full: {combination}, {points}.", {
            line: lineName(line),
            combination: lineWords(sheet, line),
            points: count(lines[line] ?? 0, "1 point", "{count} points"),
          }),
        )
  if (after.over && !before?.over && lines) {
    const total = sum(lines)
    const word = after.options?.seats === 1 ? rank(total).word : ""
    said.push(
      word
        ? t("Your sheet has {points} points: {word}!", { points: total, word })
        : t("Your sheet has {points} points.", { points: total }),
    )
  } else if (after.roll !== null && (before?.roll !== after.roll || before.rounds !== after.rounds))
    said.push(sheet ? haveToWrite(after.roll) : t("The dice make {roll}.", { roll: after.roll }))
  return said.map((text) => text.charAt(0).toUpperCase() + text.slice(1)).join(" ")
}
