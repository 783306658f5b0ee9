/** Sentences in four languages, with gaps and plurals. */
import { afterEach, describe, expect, it } from "vitest"
import { count, figure, language, preferred, speak, t } from "$page/words/words.svelte"

afterEach(() => speak("en"))

describe("sentences", () => {
  it("have their gaps filled, and keep those for which there is nothing", () => {
    expect(t("{name}: {move}", { name: "Ana", move: "e9" })).toBe("Ana: e9")
    expect(t("{name}: {move}", { name: "Ana" })).toBe("Ana: {move}")
    expect(t("{points} points", { points: 0 })).toBe("0 points")
  })

  it("come in the language that is spoken, and in English where there is none", async () => {
    await speak("es")
    expect(language()).toBe("es")
    expect(document.documentElement.lang).toBe("es")
    expect(t("Your turn")).toBe("Te toca")
    expect(t("Nobody has ever said this")).toBe("Nobody has ever said this")
  })
})

describe("plurals", () => {
  const left = (n: number) => count(n, "1 tile left", "{count} tiles left")

  it("in English: one is one, none and many are many", () => {
    expect([0, 1, 2, 21].map(left)).toEqual(["0 tiles left", "1 tile left", "2 tiles left", "21 tiles left"])
  })

  it("in French: none counts as one", async () => {
    await speak("fr")
    const [none, one, two] = [0, 1, 2].map(left)
    expect(none).toBe(one!.replace("1", "0"))
    expect(two).not.toContain(one!.slice(2))
  })

  it("with a real minus sign", () => {
    expect(figure(-3)).toBe("−3")
    expect(figure(-1.25, 1)).toBe("−1.3")
    expect(figure(undefined)).toBe("")
    expect(count(-2, "1 point", "{count} points")).toBe("−2 points")
  })
})

it("prefers what the browser asks for, if it is one of ours", () => {
  Object.defineProperty(navigator, "languages", { value: ["de-DE", "nl-BE", "en"], configurable: true })
  expect(preferred()).toBe("nl")
  Object.defineProperty(navigator, "languages", { value: ["de-DE"], configurable: true })
  expect(preferred()).toBe("en")
})
