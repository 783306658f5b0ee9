/** What a person likes, kept in this browser. */
import type { Language } from "./net/types"
import { preferred, speak } from "./words/words.svelte"

export interface Settings {
  name: string
  language: Language
  theme: "auto" | "light" | "dark" | "contrast"
  palette: "safe" | "box"
  sound: boolean
  motion: "auto" | "off"
  /** Computer player chosen last, by game. */
  opponents: Record<string, string>
  /** Show where pieces fit, or what cells would bring, without being asked. */
  help: Record<string, boolean>
  /** The games that one has made a move in, or closed the welcome of. */
  met: Record<string, boolean>
  /** What games let one choose (`GamePage.wishes`), by key. */
  wishes: Record<string, boolean>
}

const KEY = "sobremesa"

function stored(): Settings {
  const phone = matchMedia("(pointer: coarse)").matches
  const standard: Settings = {
    name: "",
    language: preferred(),
    theme: "auto",
    palette: "safe",
    sound: !phone,
    motion: "auto",
    opponents: {},
    help: {},
    met: {},
    wishes: {},
  }
  try {
    return { ...standard, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") }
  } catch {
    return standard
  }
}

export const settings: Settings = $state(stored())

const dark = matchMedia("(prefers-color-scheme: dark)")
const still = matchMedia("(prefers-reduced-motion: reduce)")

/** Whether things may move. */
export function moving(): boolean {
  return settings.motion === "auto" && !still.matches
}

/** Shows the settings on the page, and keeps them. Called in an effect, so that changes count at once. */
export function applySettings(): void {
  const root = document.documentElement
  root.dataset.theme = settings.theme === "auto" ? (dark.matches ? "dark" : "light") : settings.theme
  root.dataset.palette = settings.palette
  root.dataset.motion = moving() ? "on" : "off"
  void speak(settings.language)
  try {
    localStorage.setItem(KEY, JSON.stringify(settings))
  } catch {
    // A browser that keeps nothing: the settings last as long as the page.
  }
}

for (const media of [dark, still]) media.addEventListener("change", applySettings)
