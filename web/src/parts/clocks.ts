/** How long a decision may take, in words. */
import { t } from "../words/words.svelte"

export const CLOCKS = [0, 10, 30, 60, 180, 86400, 259200, 604800] as const

export function clockName(seconds: number): string {
  if (!seconds) return t("page.no-clock")
  if (seconds < 60) return t("page.count-seconds", { count: seconds })
  if (seconds === 60) return t("page.1-minute")
  if (seconds < 86400) return t("page.count-minutes", { count: Math.round(seconds / 60) })
  return seconds === 86400 ? t("page.1-day") : t("page.count-days", { count: Math.round(seconds / 86400) })
}

/** How much time is left until then, roughly: nobody counts the minutes of three days. */
export function timeLeft(deadline: number, now = Date.now() / 1000): string {
  const minutes = Math.max(1, Math.ceil((deadline - now) / 60))
  const hours = Math.round(minutes / 60)
  if (hours >= 36) return t("page.days-left", { count: Math.round(hours / 24) })
  return minutes > 90 ? t("page.hours-left", { count: hours }) : t("page.minutes-left", { count: minutes })
}
