/** Days and results of Daily Knister, in words. */
import type { SeenPromise } from "$page/net/promises"
import type { DailyStatus } from "$page/net/types"
import { date, t } from "$page/words/words.svelte"
import { ROWS, THROUGH } from "./paper"
import { rank } from "./scoring"

/** A day at Greenwich, as people here write it. */
export function day(iso: string): string {
  return date(Date.parse(`${iso}T00:00Z`) / 1000, {
    dateStyle: "full",
    timeZone: "UTC",
  })
}

const shifted = (iso: string, days: number): string =>
  new Date(Date.parse(`${iso}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

export const dayBefore = (iso: string): string => shifted(iso, -1)

const KEY = "sobremesa daily promises"
const MAX_DAYS_KEPT = 7

function storedPromises(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, string>
  } catch {
    return {}
  }
}

/** Notes the promises of today and tomorrow: a server that tells others later has broken them. */
export function noteDailyPromises({ date, commitment, tomorrow }: DailyStatus): void {
  const noted = {
    [date]: commitment,
    ...(tomorrow === null ? {} : { [shifted(date, 1)]: tomorrow }),
    ...storedPromises(),
  }
  const newest = Object.entries(noted)
    .sort(([a], [b]) => b.localeCompare(a))
    .slice(0, MAX_DAYS_KEPT)
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(newest)))
  } catch {
    // A browser that keeps nothing: the check says that it has not seen the promise.
  }
}

/** What was promised for a day before its secret was told; null if this browser was not here. */
export function seenDailyPromise(iso: string): SeenPromise | null {
  const commitment = storedPromises()[iso]
  return commitment === undefined ? null : { commitment, words: {}, whole: true, running: true, before: true }
}

/** How long until the next day's rolls, like 7:05:09; null when they are there. */
export function untilTomorrow(iso: string, now: number): string | null {
  const left = Math.ceil((Date.parse(`${iso}T00:00Z`) + 86_400_000 - now) / 1000)
  if (left <= 0) return null
  const two = (n: number) => String(n).padStart(2, "0")
  return `${Math.floor(left / 3600)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`
}

/** How much the best line through each cell is worth, from the top row down: it tells nothing of any roll. */
export function sharedGrid(lines: readonly (number | null)[]): string {
  const best = (cell: number) => Math.max(0, ...THROUGH[cell]!.map((line) => lines[line] ?? 0))
  const square = (points: number) => (points >= 8 ? "🟩" : points >= 3 ? "🟨" : points ? "🟧" : "⬜")
  return ROWS.map((row) => row.map((cell) => square(best(cell))).join("")).join("\n")
}

/** A result to send to friends: how well, on how many days in a row, and none of the rolls. */
export function shareText(status: DailyStatus, lines: readonly (number | null)[]): string {
  const { word } = rank(status.points)
  const result = word
    ? t("knister.points-points", { points: status.points, word })
    : t("page.points-points", { points: status.points })
  return [
    `${t("knister.daily-knister")} ${status.date} 🎲 ${result}`,
    sharedGrid(lines),
    ...(status.league !== "late" && status.streak > 1 ? [`🔥 ${daysInARow(status.streak)}`] : []),
    `${location.origin}/daily`,
  ].join("\n")
}

export const daysInARow = (days: number): string => t("knister.days-in-a-row", { count: days })
