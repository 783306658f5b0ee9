/** Daily Knister: days, and promises that are remembered until the secret is told. */
import { beforeEach, describe, expect, it } from "vitest"
import { dayBefore, noteDailyPromises, seenDailyPromise, sharedGrid, shareText, untilTomorrow } from "../daily"
import { linesOf } from "../scoring"
import type { DailyStatus } from "$page/net/types"

const status = (date: string, commitment: string, tomorrow: string) => ({ date, commitment, tomorrow }) as DailyStatus

beforeEach(() => localStorage.clear())

it("knows the day before, also across months and leap days", () => {
  expect(dayBefore("2026-11-18")).toBe("2026-11-17")
  expect(dayBefore("2028-03-01")).toBe("2028-02-29")
  expect(dayBefore("2027-01-01")).toBe("2026-12-31")
})

it("counts down to the next rolls", () => {
  const at = (time: string) => untilTomorrow("2026-11-18", Date.parse(`2026-11-18T${time}Z`))
  expect(at("00:00:00")).toBe("24:00:00")
  expect(at("16:54:51")).toBe("7:05:09")
  expect(untilTomorrow("2026-11-18", Date.parse("2026-11-19T00:00:00Z"))).toBeNull()
})

describe("promises", () => {
  it("of today and tomorrow are noted", () => {
    noteDailyPromises(status("2026-11-30", "a", "b"))
    expect(seenDailyPromise("2026-11-30")?.commitment).toBe("a")
    expect(seenDailyPromise("2026-12-01")?.commitment).toBe("b")
    expect(seenDailyPromise("2026-11-29")).toBeNull()
  })

  it("stay as they were told first", () => {
    noteDailyPromises(status("2026-11-30", "a", "b"))
    noteDailyPromises(status("2026-12-01", "other", "c"))
    expect(seenDailyPromise("2026-12-01")?.commitment).toBe("b")
  })

  it("are kept for a week", () => {
    for (let day = 10; day < 20; day++) noteDailyPromises(status(`2026-11-${day}`, `c${day}`, `c${day + 1}`))
    expect(seenDailyPromise("2026-11-13")).toBeNull()
    expect(seenDailyPromise("2026-11-14")?.commitment).toBe("c14")
  })
})

describe("what is shared", () => {
  const numbers = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 2, 3, 4]
  const day = (more: Partial<DailyStatus> = {}) =>
    ({
      date: "2026-11-18",
      points: 21,
      streak: 1,
      league: "ranked",
      finished: true,
      sheet: numbers,
      ...more,
    }) as DailyStatus
  const lines = linesOf(numbers)

  it("tells how much lines are worth, by colour", () => {
    expect(sharedGrid(lines)).toMatch(/^([🟩🟨🟧⬜]{5}\n){4}[🟩🟨🟧⬜]{5}$/u)
    const row = Array<number | null>(12).fill(0)
    expect(sharedGrid(row)).toBe(Array(5).fill("⬜⬜⬜⬜⬜").join("\n"))
    row[0] = 8
    row[1] = 3
    row[2] = 1
    expect(sharedGrid(row).split("\n").sort()).toEqual(
      ["🟩🟩🟩🟩🟩", "🟨🟨🟨🟨🟨", "🟧🟧🟧🟧🟧", "⬜⬜⬜⬜⬜", "⬜⬜⬜⬜⬜"].sort(),
    )
  })

  it("has no number of any cell: only date, points, days and address", () => {
    const text = shareText(day({ streak: 3 }), lines)
    expect(text).toContain("2026-11-18")
    const left = text.replace("2026-11-18", "").replace("21", "").replace("🔥 3", "").replace(location.origin, "")
    expect(left).not.toMatch(/\d/)
    expect(left).toContain("/daily")
  })

  it("is the same for any two sheets whose lines are worth the same", () => {
    const shifted = numbers.map((number) => (number === 12 ? 2 : number + 1))
    expect(shareText(day({ sheet: shifted }), lines)).toBe(shareText(day(), lines))
  })

  it("tells of days in a row from the second on, and never of a day that was played later", () => {
    expect(shareText(day(), lines)).not.toContain("🔥")
    expect(shareText(day({ streak: 2 }), lines)).toContain("🔥 2")
    expect(shareText(day({ streak: 9, league: "late" }), lines)).not.toContain("🔥")
  })
})
