/** The table of a game without a part of the page: all of it by keyboard, and all of it said. */
import { flushSync, mount, unmount } from "svelte"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { announcements } from "$page/announce.svelte"
import { learnGames } from "$page/games/info.svelte"
import { GAMES } from "$page/games/registry.svelte"
import { page } from "$page/games/usual/page"
import Table from "$page/games/usual/Table.svelte"
import { api } from "$page/net/api"
import type { AnyView, GameInfo } from "$page/net/types"
import { step } from "../rooms"

const HEAPS = Array.from({ length: 150 }, (_, index) => `m${index}`)
const SVG = `<svg role="img"><title>Heap</title><desc>one
two</desc><rect data-move="m0"/></svg>`
const view = (changes: object = {}) =>
  ({ game: "heap", seat: 0, options: { seats: 2 }, deciding: [0], svg: SVG, ...changes }) as unknown as AnyView

const play = vi.fn(async () => {})
let table: Record<string, unknown> | null = null
const target = document.createElement("div")

function lay(legal: string[], more: object = {}): void {
  const props = { steps: [step(1, { views: [view()] })], seat: 0, legal, names: ["Ana", "Bo"], play, ...more }
  table = mount(Table, { target, props })
  flushSync()
}
const buttons = () => [...target.querySelectorAll<HTMLButtonElement>("li button")]
const focused = () => document.activeElement?.textContent
function press(key: string): void {
  document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
  flushSync()
}

beforeEach(() => {
  document.body.append(target)
  play.mockClear()
})
afterEach(() => {
  if (table) void unmount(table)
  table = null
  target.remove()
})

it("the picture is no blank to who cannot see it: its own words are read, and stand below it", () => {
  lay(["m0"])
  expect(target.querySelector('[role="img"]')!.tagName).toBe("svg")
  expect(target.querySelector("svg")!.parentElement!.closest('[role="img"], [aria-hidden]')).toBeNull()
  expect(target.querySelector("pre")!.textContent).toBe("one\ntwo")
})

it("every legal move is reached by keyboard, however many there are", async () => {
  lay(HEAPS)
  buttons()[0]!.focus()
  for (let more = buttons().length; more < HEAPS.length; more = buttons().length) {
    const on = [...target.querySelectorAll<HTMLButtonElement>(".moves > button")]
    on[0]!.click()
    // The first that was not there before.
    await vi.waitFor(() => expect(focused()).toBe(HEAPS[more]))
  }
  expect(buttons().map((button) => button.textContent)).toEqual(HEAPS)
  press("End")
  expect(focused()).toBe("m149")
  press("ArrowLeft")
  expect(focused()).toBe("m148")
  press("Home")
  expect(focused()).toBe("m0")
  expect(buttons().filter((button) => button.tabIndex === 0).length, "Tab leads on").toBe(1)
})

it("a move among many is found by how it begins, and played by Enter and Enter", async () => {
  lay(HEAPS)
  const field = target.querySelector<HTMLInputElement>(".moves input")!
  field.focus()
  field.value = "M14"
  field.dispatchEvent(new Event("input", { bubbles: true }))
  flushSync()
  expect(buttons().map((button) => button.textContent)).toEqual(["m14", ...HEAPS.slice(140)])
  press("Enter")
  expect(buttons()[0]!.getAttribute("aria-pressed")).toBe("true")
  expect(play).not.toHaveBeenCalled()
  press("Enter")
  expect(play).toHaveBeenCalledExactlyOnceWith("m14")
})

it("Escape lets go of what is chosen, and after a move the keyboard is still at the table", async () => {
  lay(["m0", "m1"])
  buttons()[1]!.focus()
  buttons()[1]!.click()
  flushSync()
  press("Escape")
  expect(buttons()[1]!.getAttribute("aria-pressed")).toBe("false")
  buttons()[1]!.click()
  flushSync()
  buttons()[1]!.click()
  expect(play).toHaveBeenCalledExactlyOnceWith("m1")
  expect(document.activeElement!.tagName).toBe("SUMMARY")
  await vi.waitFor(() => expect(announcements.all.at(-1)?.text).toBe("You played m1."))
})

it("chance is told in the game's words, and who has decided where the move is hidden", async () => {
  const heap = { id: "heap", name: "Heap", players: [], options: [], outcomes: { 4: "The die shows 4." } }
  vi.spyOn(api, "games").mockResolvedValue([heap as unknown as GameInfo])
  await learnGames()
  delete GAMES["heap"] // the other tests have the house's own games alone
  const names = ["Ana", "Bo"]
  expect(page.news(step(1, { rolled: "4", views: [view()] }), names, 0)).toBe("The die shows 4.")
  expect(page.news(step(2, { rolled: "5", views: [view()] }), names, 0)).toBe("Chance brings 5.")
  expect(page.news(step(3, { seat: 1, views: [view()] }), names, 0)).toBe("Bo has decided.")
  // Open moves are told by their names.
  expect(page.news(step(4, { seat: 1, move: "m3", views: [view()] }), names, 0)).toBe("")
  expect(page.tell("m3")).toBe("m3")
  expect(page.scores(view({ points: [3, 5] }))).toEqual([3, 5])
})
