import type { GameLink, GameScreen } from "$page/games/contract"
import { t } from "$page/words/words.svelte"

export const screens: GameScreen[] = [{ path: /^\/openings\/callisto$/, load: () => import("./Openings.svelte") }]

export const links = (): GameLink[] => [
  {
    href: "/openings/callisto",
    icon: "bulb",
    text: t("callisto.openings"),
    at: "rules",
  },
]
