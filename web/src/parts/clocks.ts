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
