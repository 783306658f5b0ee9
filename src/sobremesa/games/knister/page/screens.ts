import type { GameLink, GameScreen } from "$page/games/contract"
import { t } from "$page/words/words.svelte"

export const screens: GameScreen[] = [{ path: /^\/daily$/, load: () => import("./Daily.svelte") }]

export const links = (): GameLink[] => [{ href: "/daily", icon: "calendar", text: t("Today’s rolls"), at: "card" }]
