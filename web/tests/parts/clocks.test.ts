/** How much time is left, roughly. */
import { expect, it } from "vitest"
import { timeLeft } from "$page/parts/clocks"

it.each([
  [3 * 86400 + 20, "3 days left"],
  [2.4 * 86400, "2 days left"],
  [30 * 3600, "30 hours left"],
  [91 * 60, "2 hours left"],
  [90 * 60, "90 minutes left"],
  [-5, "1 minute left"],
])("%d seconds are %s", (seconds, text) => {
  expect(timeLeft(1000 + seconds, 1000)).toBe(text)
})
