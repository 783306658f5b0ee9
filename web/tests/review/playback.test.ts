import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { Playback } from "$page/review/playback.svelte"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it("stays within the game, whatever the address says", () => {
  for (const [asked, at] of [
    [3, 3],
    [-1, 0],
    [99, 10],
    [2.6, 3],
    [NaN, 0],
    [Infinity, 0],
  ] as const)
    expect(new Playback(10, asked).at).toBe(at)
})

it("plays to the end, stops there, and begins again", () => {
  const playback = new Playback(3, 1)
  playback.play()
  expect(playback.at).toBe(1)
  vi.advanceTimersToNextTimer()
  expect([playback.at, playback.playing]).toEqual([2, true])
  vi.advanceTimersToNextTimer()
  expect([playback.at, playback.playing]).toEqual([3, false])
  expect(vi.getTimerCount()).toBe(0)
  playback.play()
  expect([playback.at, playback.playing]).toEqual([0, true])
})

it("pauses when somebody goes to another moment", () => {
  const playback = new Playback(5, 0)
  playback.play()
  playback.at = 4
  expect([playback.at, playback.playing, vi.getTimerCount()]).toEqual([4, false, 0])
})

it("has one clock, however often play is pressed", () => {
  const playback = new Playback(5, 0)
  playback.play()
  playback.play()
  expect(vi.getTimerCount()).toBe(1)
})
