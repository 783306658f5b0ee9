/** Every sentence on the page, by its id. The page has a catalogue for each language, and so has each game, in its folder:
 * the terminal reads the same. They are fetched when needed, compiled by the build from messages of ICU MessageFormat. */
import type { Language } from "../net/types"

type Values = Record<string, string | number>
type Catalogue = Record<string, (values: Values) => string>
type Fetch = () => Promise<Catalogue>

const HOUSE = import.meta.glob<Catalogue>("./*.json", { query: "?words", import: "default" })
const GAMES = import.meta.glob<Catalogue>("$games/*/locales/*.json", { query: "?words", import: "default" })

export const LANGUAGES: Record<Language, string> = { en: "English", es: "Español", fr: "Français", nl: "Nederlands" }

let catalogue = $state.raw<Catalogue>({})
let spoken = $state<Language>("en")

/** The language that the page speaks now. */
export function language(): Language {
  return spoken
}

/** The games whose words are needed. */
const games = new Set<string>()

/** Changes the language, once its catalogues are here. */
export async function speak(wanted: Language): Promise<void> {
  const fetched = await Promise.all(
    [HOUSE[`./${wanted}.json`]!, ...[...games].map((id) => ofGame(id, wanted))].map((fetch) => fetch()),
  )
  catalogue = Object.assign({}, ...fetched)
  spoken = wanted
  document.documentElement.lang = wanted
}

/** Fetches a game's words; to be waited for before anything of its part of the page is shown. */
export async function learnWords(game: string): Promise<void> {
  games.add(game)
  let asked: Language
  let words: Catalogue
  do {
    asked = spoken
    words = await ofGame(game, asked)()
  } while (asked !== spoken)
  // Whoever shows words looks again when they change, and may ask for them anew: those that are here change nothing.
  if (Object.keys(words).some((id) => catalogue[id] !== words[id])) catalogue = { ...catalogue, ...words }
}

/** Whether a game's words are here. */
export const knowsWords = (game: string): boolean => Object.keys(catalogue).some((id) => id.startsWith(`${game}.`))

/** The words of a game: in its folder, which has the game's id with underscores. A game in another package has none here. */
function ofGame(id: string, code: Language): Fetch {
  const file = `/${id.replaceAll("-", "_")}/locales/${code}.json`
  return Object.entries(GAMES).find(([path]) => path.endsWith(file))?.[1] ?? (async () => ({}))
}

/** The language that the browser asks for, if the page speaks it. */
export function preferred(): Language {
  const known = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES)
  return (known ?? "en") as Language
}

/** The sentence with this id in the language of the page, with its gaps filled. What is no id is said as it is. */
export function t(id: string, values: Values = {}): string {
  return catalogue[id]?.(values) ?? id
}

/** Marks an id that is written here and said elsewhere: `t(PHRASES.hello)`. */
export const later = (id: string): string => id

/** A number with a real minus sign. */
export const figure = (n: number | undefined, digits = 0): string => (n?.toFixed(digits) ?? "").replace("-", "−")

/** The language of the page as it is spoken where the browser is: dates differ between Britain and America. */
export function locale(): string {
  const near = navigator.languages.find((tag) => tag.toLowerCase().startsWith(spoken))
  return near ?? (spoken === "en" ? "en-GB" : spoken)
}

/** A date or time as people here write it. */
export function date(seconds: number, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale(), options).format(seconds * 1000)
}
