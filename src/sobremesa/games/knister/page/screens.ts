import type { GameLink, GameScreen } from "$page/games/contract"
import { t } from "$page/words/words.svelte"

export const screens: GameScreen[] = [
  { path: /^\/daily(?:\/(?<date>\d{4}-\d\d-\d\d))?$/, load: () => import("./Daily.svelte") },
  { path: /^\/daily\/archive$/, load: () => import("./DailyArchive.svelte") },
]

export const links = (): GameLink[] => [
  { href: "/daily", icon: "calendar", text: t("knister.today-rolls"), at: "card" },
]
