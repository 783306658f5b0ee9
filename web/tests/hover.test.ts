/** A colour for whoever hovers sticks on a touch screen after a tap, if it is not told that it is for devices that hover. */
import { expect, it } from "vitest"

const SOURCES: Record<string, string> = import.meta.glob(
  ["../src/**/*.css", "../src/**/*.svelte", "$games/*/page/**/*.css", "$games/*/page/**/*.svelte"],
  { eager: true, query: "?raw", import: "default" },
)

/** The selectors with `:hover` that are outside of `@media (hover: hover)`. */
function sticking(style: string): string[] {
  const found: string[] = []
  const around: string[] = []
  for (const [, head, sign] of style.replace(/\/\*.*?\*\//gs, "").matchAll(/([^{};]*)([{};])/g)) {
    if (sign === "}") around.pop()
    if (sign !== "{") continue
    if (/:hover\b/.test(head!) && !around.some((outer) => /^@media .*\(hover: hover\)/s.test(outer)))
      found.push(head!.trim())
    around.push(head!.trim())
  }
  return found
}

it("finds what would stick", () => {
  expect(sticking("a:hover { color: red; }")).toEqual(["a:hover"])
  expect(
    sticking("@media (hover: hover) { a:hover { color: red } } @media (min-width: 1px) { b,\n i:hover { } }"),
  ).toEqual(["b,\n i:hover"])
})

it("finds nothing on the page", () => {
  const styles = Object.entries(SOURCES).map(([path, source]) => ({
    path,
    style: path.endsWith(".css") ? source : source.slice(source.lastIndexOf("<style>")),
  }))
  expect(styles.filter(({ style }) => style.includes(":hover")).length).toBeGreaterThan(5)
  expect(styles.flatMap(({ path, style }) => sticking(style).map((selector) => `${path}: ${selector}`))).toEqual([])
})
