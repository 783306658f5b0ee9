/** Days and results of Daily Knister, in words. */
import type { DailyStatus } from "../../net/types"
import { date, t } from "../../words/words.svelte"
import { SIDE } from "./paper"
import { rank } from "./scoring"

/** A day at Greenwich, as people here write it. */
export function day(iso: string): string {
  return date(Date.parse(`${iso}T00:00Z`) / 1000, { dateStyle: "full", timeZone: "UTC" })
}

export function dayBefore(iso: string): string {
  return new Date(Date.parse(`${iso}T00:00Z`) - 86_400_000).toISOString().slice(0, 10)
}

/** How long until the next day's rolls, like 7:05:09; null when they are there. */
export function untilTomorrow(iso: string, now: number): string | null {
  const left = Math.ceil((Date.parse(`${iso}T00:00Z`) + 86_400_000 - now) / 1000)
  if (left <= 0) return null
  const two = (n: number) => String(n).padStart(2, "0")
  return `${Math.floor(left / 3600)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`
}

/** A result to send to friends: the points of the lines, none of the rolls. */
export function shareText(status: DailyStatus, lines: readonly (number | null)[]): string {
  const { word } = rank(status.points)
  const told = word
    ? t("{points} points: {word}!", { points: status.points, word })
    : t("{points} points", { points: status.points })
  const points = (from: number, to: number) => lines.slice(from, to).join(" ")
  return [
    `${t("Daily Knister")} ${status.date} 🎲 ${told}`,
    `→ ${points(0, SIDE)}`,
    `↓ ${points(SIDE, 2 * SIDE)}`,
    `↗ ${points(2 * SIDE, 2 * SIDE + 1)} ↘ ${points(2 * SIDE + 1, 2 * SIDE + 2)}`,
    `${location.origin}/daily`,
  ].join("\n")
}
