/** Sentences in four languages, with gaps and plurals. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { GAMES } from "$page/games/registry.svelte"
import { figure, knowsWords, language, learnWords, preferred, speak, t } from "$page/words/words.svelte"

const FILES = import.meta.glob<Record<string, string>>("$games/*/locales/en.json", { eager: true, import: "default" })
/** English by game and id, as it stands in the files. */
const WORDS = Object.fromEntries(
  Object.keys(GAMES).map((id) => [
    id,
    Object.entries(FILES).find(([path]) => path.includes(`/${id.replaceAll("-", "_")}/`))![1],
  ]),
)

beforeEach(() => speak("en"))
afterEach(() => speak("en"))

describe("sentences", () => {
  it("have their gaps filled", () => {
    expect(t("page.name-move", { name: "Ana", move: "e9" })).toBe("Ana: e9")
    expect(t("page.points-points", { points: 0 })).toBe("0 points")
  })

  it("come in the language that is spoken, and as they are where there is none", async () => {
    await speak("es")
    expect(language()).toBe("es")
    expect(document.documentElement.lang).toBe("es")
    expect(t("page.your-turn")).toBe("Te toca")
    expect(t("Nobody has ever said this")).toBe("Nobody has ever said this")
  })
})

describe("a game’s words", () => {
  it("are there once they are asked for, and follow the language", async () => {
    const [game] = Object.keys(GAMES) as [string]
    await learnWords(game)
    expect(knowsWords(game)).toBe(true)
    const id = Object.keys(WORDS[game]!).find((id) => WORDS[game]![id] !== id && !WORDS[game]![id]!.includes("{"))!
    expect(t(id)).toBe(WORDS[game]![id])
    await speak("nl")
    expect(t(id)).not.toBe(WORDS[game]![id])
    expect(t(id)).not.toBe(id)
  })

  it("are none where the game is of another package", async () => {
    await learnWords("elsewhere")
    expect(knowsWords("elsewhere")).toBe(false)
  })
})

describe("plurals", () => {
  const points = (n: number) => t("page.points-counted", { count: n })

  it("in English: one is one, none and many are many", () => {
    expect([0, 1, 2, 1234].map(points)).toEqual(["0 points", "1 point", "2 points", "1,234 points"])
  })

  it("in French: none counts as one", async () => {
    await speak("fr")
    const [none, one, two] = [0, 1, 2].map(points)
    expect(none).toBe(one!.replace("1", "0"))
    expect(two).not.toContain(one!.slice(2) + " ")
    expect(two).toBe("2 points")
  })

  it("with a real minus sign", () => {
    expect(figure(-3)).toBe("−3")
    expect(figure(-1.25, 1)).toBe("−1.3")
    expect(figure(undefined)).toBe("")
    expect(points(-2)).toBe("−2 points")
  })
})

it("prefers what the browser asks for, if it is one of ours", () => {
  Object.defineProperty(navigator, "languages", { value: ["de-DE", "nl-BE", "en"], configurable: true })
  expect(preferred()).toBe("nl")
  Object.defineProperty(navigator, "languages", { value: ["de-DE"], configurable: true })
  expect(preferred()).toBe("en")
})
