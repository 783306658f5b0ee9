/** What lines are worth (K3, K4), to show it before a number is written. The server counts by itself. */
import { knister } from "$schema/games.json"
import { t } from "$page/words/words.svelte"
import { LINES, SIDE, THROUGH } from "./paper"

const POINTS = new Map(knister.combinations.map(({ name, points }) => [name, points]))

/** Combinations by how many numbers are equal, the larger group first. */
const EQUAL: Record<string, string> = {
  "2": "pair",
  "22": "two pairs",
  "3": "three of a kind",
  "4": "four of a kind",
  "32": "full house",
  "5": "five of a kind",
}

/** The best combination of a line's numbers in any order, if they make one.
 *
 * With fewer than five numbers it is what the line has for certain: whatever comes makes it no worse. */
export function combination(numbers: readonly number[]): string | null {
  const times = new Map<number, number>()
  for (const number of numbers) times.set(number, (times.get(number) ?? 0) + 1)
  const groups = [...times.values()].filter((many) => many > 1).sort((a, b) => b - a)
  if (groups.length) return EQUAL[groups.join("")] ?? null
  // K4: five in a row, nothing less.
  if (numbers.length < SIDE || Math.max(...numbers) - Math.min(...numbers) !== SIDE - 1) return null
  return numbers.includes(7) ? "straight with a 7" : "straight without a 7"
}

const written = (sheet: readonly number[], line: number) =>
  LINES[line]!.cells.map((cell) => sheet[cell]!).filter((number) => number > 0)

function worth(numbers: readonly number[], line: number): number {
  return (POINTS.get(combination(numbers) ?? "") ?? 0) * LINES[line]!.times
}

/** The points of a sheet's lines; null for those that are not full yet. */
export function linesOf(sheet: readonly number[]): (number | null)[] {
  return LINES.map((_, line) => {
    const numbers = written(sheet, line)
    return numbers.length === SIDE ? worth(numbers, line) : null
  })
}

/** The lines through a cell that are full: those that its number has completed, if it is the newest one. */
export const fullThrough = (lines: readonly (number | null)[], cell: number): number[] =>
  (THROUGH[cell] ?? []).filter((line) => lines[line] !== null)

export const sum = (lines: readonly (number | null)[]) =>
  lines.reduce<number>((total, points) => total + (points ?? 0), 0)

/** What a line would be if a number were written into a cell of it. */
export interface Prospect {
  line: number
  /** What it would have: its points if it were full, what it had for certain otherwise. */
  points: number
  /** How much of it the number brings. */
  gain: number
  full: boolean
}

/** What writing a number into a free cell would do for the cell's lines. */
export function prospects(sheet: readonly number[], cell: number, number: number): Prospect[] {
  return THROUGH[cell]!.map((line) => {
    const before = written(sheet, line)
    const after = [...before, number]
    const points = worth(after, line)
    return {
      line,
      points,
      gain: points - worth(before, line),
      full: after.length === SIDE,
    }
  })
}

const NAMES: Record<string, () => string> = {
  pair: () => t("knister.a-pair"),
  "two pairs": () => t("knister.two-pairs"),
  "three of a kind": () => t("knister.three-of-a-kind"),
  "four of a kind": () => t("knister.four-of-a-kind"),
  "full house": () => t("knister.a-full-house"),
  "straight with a 7": () => t("knister.a-straight-with-a-7"),
  "five of a kind": () => t("knister.five-of-a-kind"),
  "straight without a 7": () => t("knister.a-straight-without-a-7"),
}

/** The score table as it is printed (K3), with an example of each. */
const EXAMPLES: Record<string, number[]> = {
  pair: [4, 5, 6, 7, 5],
  "two pairs": [5, 6, 6, 10, 5],
  "three of a kind": [7, 8, 7, 7, 4],
  "four of a kind": [3, 6, 6, 6, 6],
  "full house": [4, 9, 4, 4, 9],
  "straight with a 7": [7, 10, 8, 6, 9],
  "five of a kind": [8, 8, 8, 8, 8],
  "straight without a 7": [3, 5, 6, 2, 4],
}
export const scoreTable = () =>
  knister.combinations.map(({ name, points }) => ({
    name: NAMES[name]?.() ?? name,
    points,
    example: EXAMPLES[name] ?? [],
  }))

/** What a full line makes, in words. */
export function lineWords(sheet: readonly number[], line: number): string {
  return NAMES[combination(written(sheet, line)) ?? ""]?.() ?? t("knister.nothing")
}

const RANKS: Record<string, () => string> = {
  good: () => t("knister.good"),
  great: () => t("knister.great"),
  spectacular: () => t("knister.spectacular"),
}
export const STARS = knister.ranks.length

/** How the solitaire game calls a total (K7), and how many stars that is. */
export function rank(total: number): { word: string; stars: number } {
  const reached = knister.ranks.filter(({ least }) => total >= least)
  const best = reached.reduce<(typeof reached)[number] | null>((a, b) => (a && a.least > b.least ? a : b), null)
  return {
    word: best ? (RANKS[best.word]?.() ?? "") : "",
    stars: reached.length,
  }
}

/** What is missing to the next word for a total, if there is one. */
export function nextRank(total: number): { word: string; missing: number } | null {
  const ahead = knister.ranks.filter(({ least }) => total < least).sort((a, b) => a.least - b.least)[0]
  return ahead ? { word: RANKS[ahead.word]?.() ?? "", missing: ahead.least - total } : null
}
