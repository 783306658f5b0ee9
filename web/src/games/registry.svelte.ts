/** The games that can be shown: those with a part in this build, and those that the server tells of besides. */
import type { Component } from "svelte"
import catalogue from "$schema/catalogue.json"
import type { LessonStep } from "../learn/lesson.svelte"
import type { GameInfo } from "../net/types"
import { knowsWords, learnWords } from "../words/words.svelte"
import type { GameLink, GamePage, GameScreen } from "./contract"

export interface KnownGame {
  name: string
  /** Loads its part of the page, and its words. */
  load: () => Promise<GamePage>
}

const PAGES = import.meta.glob<GamePage>("$games/*/page/page.ts", { import: "page" })
const CARDS = import.meta.glob<Component>("$games/*/page/Card.svelte", { eager: true, import: "default" })
const LESSONS = import.meta.glob<() => LessonStep[]>("$games/*/page/lesson.ts", { import: "lesson" })
const SCREENS = import.meta.glob<{ screens: GameScreen[]; links: () => GameLink[] }>("$games/*/page/screens.ts", {
  eager: true,
})

/** Of all files of that kind the one in a game's folder, which has the game's id with underscores. */
function inFolder<T>(files: Record<string, T>, id: string): T | undefined {
  const folder = `/${id.replaceAll("-", "_")}/page/`
  return Object.entries(files).find(([path]) => path.includes(folder))?.[1]
}

const usual = () => import("./usual/page").then((module) => module.page)

function known(id: string, name: string, module?: string | null): KnownGame {
  const part = (): Promise<GamePage> => {
    const own = inFolder(PAGES, id)
    if (own) return own()
    return module ? import(/* @vite-ignore */ module).then((loaded: { page: GamePage }) => loaded.page) : usual()
  }
  return { name, load: () => Promise.all([part(), learnWords(id)]).then(([page]) => page) }
}

/** By id; it grows when the server tells of more. */
export const GAMES: Record<string, KnownGame> = $state(
  Object.fromEntries(Object.entries(catalogue).map(([id, { name }]) => [id, known(id, name)])),
)

/** What people call a game. */
export const gameName = (id: string): string => GAMES[id]?.name ?? id

/** Loads a game's part of the page. */
export const loadGame = (id: string): Promise<GamePage> => GAMES[id]?.load() ?? usual()

/** Takes in what the server tells. */
export function addGames(games: readonly GameInfo[]): void {
  for (const { id, name, page } of games) if (!(id in GAMES)) GAMES[id] = known(id, name, page)
}

/** A picture of the game's table, for the first screen. */
export const cardOf = (id: string): Component | undefined => inFolder(CARDS, id)

/** A lesson for a game, loaded when somebody wants to learn it. */
export const lessonOf = (id: string): (() => Promise<() => LessonStep[]>) | undefined => inFolder(LESSONS, id)

/** The games' own screens, each loaded with the words of its game. */
export const gameScreens = (): GameScreen[] =>
  Object.keys(GAMES).flatMap((id) =>
    (inFolder(SCREENS, id)?.screens ?? []).map(({ path, load }) => ({
      path,
      load: () => Promise.all([load(), learnWords(id)]).then(([screen]) => screen),
    })),
  )

/** Ways to a game's own screens, once its words are here. */
export function linksOf(id: string, at: GameLink["at"]): GameLink[] {
  const own = inFolder(SCREENS, id)
  if (!own) return []
  if (!knowsWords(id)) {
    void learnWords(id).catch(() => {})
    return []
  }
  return own.links().filter((link) => link.at === at)
}
