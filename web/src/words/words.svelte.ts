/** Every sentence on the page. English is the key; the other languages are catalogues that are fetched when needed. */
import type { Language } from "../net/types"

type Catalogue = Record<string, string>
type Values = Record<string, string | number>

const CATALOGUES: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: async () => ({ default: {} }),
  es: () => import("./es.json"),
  fr: () => import("./fr.json"),
  nl: () => import("./nl.json"),
}

export const LANGUAGES: Record<Language, string> = { en: "English", es: "Español", fr: "Français", nl: "Nederlands" }

let catalogue = $state.raw<Catalogue>({})
let spoken = $state<Language>("en")

/** The language that the page speaks now. */
export function language(): Language {
  return spoken
}

/** Changes the language, once its catalogue is here. */
export async function speak(wanted: Language): Promise<void> {
  catalogue = (await CATALOGUES[wanted]()).default
  spoken = wanted
  document.documentElement.lang = wanted
}

/** The language that the browser asks for, if the page speaks it. */
export function preferred(): Language {
  const known = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES)
  return (known ?? "en") as Language
}

/** A sentence in the language of the page, with its `{named}` gaps filled. */
export function t(text: string, values: Values = {}): string {
  return (catalogue[text] ?? text).replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole))
}

/** Marks a sentence that is written here and translated where it is shown: `t(PHRASES.hello)`. */
export const later = (text: string): string => text

/** “1 tile left” or “{count} tiles left”, as the language counts: French says “0 point”.
 *
 * The 1 stands for the number.
 */
export function count(n: number, one: string, many: string): string {
  const single = new Intl.PluralRules(spoken).select(n) === "one"
  return single ? t(one).replace("1", figure(n)) : t(many, { count: figure(n) })
}

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
