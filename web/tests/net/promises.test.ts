/** Promises that were told before a game ended are remembered, and no later word changes them. */
import { beforeEach, expect, it, vi } from "vitest"
import { notePromises, seenPromise } from "$page/net/promises"
import type { Promise as FairPromise } from "$page/net/types"
import { roomState } from "../rooms"

const promise = (game: number, changes: Partial<FairPromise> = {}): FairPromise => ({
  game,
  commitment: `c${game}`,
  words: { 0: "fortuna" },
  secret: null,
  context: null,
  seals: {},
  call: null,
  openings: {},
  ...changes,
})

beforeEach(() => localStorage.clear())

it("notes the promise of the next game, and its words until it runs", () => {
  notePromises(roomState({ number: 0, playing: false, promises: [promise(1, { words: {} })] }))
  expect(seenPromise("r1", 1)).toEqual({ commitment: "c1", words: {}, whole: true, running: false, before: true })
  notePromises(roomState({ number: 1, promises: [promise(1)] }))
  expect(seenPromise("r1", 1)).toEqual({
    commitment: "c1",
    words: { 0: "fortuna" },
    whole: true,
    running: true,
    before: true,
  })
})

it("keeps what was told during the game, whatever is told later", () => {
  notePromises(roomState({ promises: [promise(1)] }))
  notePromises(roomState({ promises: [promise(1, { commitment: "other", words: { 0: "other" } })] }))
  expect(seenPromise("r1", 1)).toMatchObject({ commitment: "c1", words: { 0: "fortuna" } })
})

it("keeps the first commitment even before the game", () => {
  const before = { number: 0, playing: false }
  notePromises(roomState({ ...before, promises: [promise(1)] }))
  notePromises(roomState({ ...before, promises: [promise(1, { commitment: "other" })] }))
  expect(seenPromise("r1", 1)).toMatchObject({ commitment: "c1" })
})

it("does not learn from a game that is over", () => {
  const over = { playing: false, over: true }
  notePromises(roomState({ ...over, promises: [promise(1, { secret: "s" }), promise(2)] }))
  expect(seenPromise("r1", 1)).toBeNull()
  expect(seenPromise("r1", 2)).toMatchObject({ commitment: "c2", running: false })
  notePromises(roomState({ ...over, promises: [promise(1)] }))
  expect(seenPromise("r1", 1)).toBeNull()
})

it("knows that a crowd lists some seats only", () => {
  notePromises(roomState({ seats_total: 2000, promises: [promise(1)] }))
  expect(seenPromise("r1", 1)).toMatchObject({ whole: false })
})

it("keeps the newest fifty rooms", () => {
  vi.useFakeTimers()
  for (let number = 0; number < 60; number++) {
    vi.setSystemTime(number * 1000)
    notePromises(roomState({ id: `room${number}`, promises: [promise(1)] }))
  }
  vi.useRealTimers()
  expect(seenPromise("room9", 1)).toBeNull()
  expect(seenPromise("room10", 1)).not.toBeNull()
  expect(seenPromise("room59", 1)).not.toBeNull()
})

it("keeps the newest twenty games of a room", () => {
  for (let number = 1; number <= 25; number++) notePromises(roomState({ number, promises: [promise(number)] }))
  expect([5, 6, 25].map((game) => seenPromise("r1", game) !== null)).toEqual([false, true, true])
})

it("writes only what has changed", () => {
  const write = vi.fn((key: string, text: string) => kept.set(key, text))
  const kept = new Map<string, string>()
  vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: write })
  for (let again = 0; again < 3; again++) notePromises(roomState({ promises: [promise(1)] }))
  expect(write).toHaveBeenCalledTimes(1)
})

it("bears a browser that keeps nothing, and what others have left there", () => {
  localStorage.setItem("sobremesa promises", "{")
  expect(seenPromise("r1", 1)).toBeNull()
  const full = () => {
    throw new Error("full")
  }
  vi.stubGlobal("localStorage", { getItem: full, setItem: full })
  notePromises(roomState({ promises: [promise(1)] }))
  expect(seenPromise("r1", 1)).toMatchObject({ commitment: "c1" })
})
