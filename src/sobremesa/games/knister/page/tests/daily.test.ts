/** Daily Knister: days, and promises that are remembered until the secret is told. */
import { beforeEach, describe, expect, it } from "vitest"
import { dayBefore, noteDailyPromises, seenDailyPromise, untilTomorrow } from "../daily"
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
