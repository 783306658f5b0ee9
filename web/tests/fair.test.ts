/** Fair chance: the vectors are those of the library, `tests/table/test_fair.py`. */
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { describe, expect, it } from "vitest"
import vectors from "../../tests/data/fair.json"
import { check, commitmentTo, recompute, Tickets, type FairRecord, type PlainProof } from "$page/fair"
import type { SeenPromise } from "$page/net/promises"

/** Of version 1. */
type PlainRecord = FairRecord & { fair: PlainProof }
const records = vectors.records as unknown as PlainRecord[]
const copy = (record: PlainRecord): PlainRecord => structuredClone(record)
/** The promise as a browser saw it that was there during the game. */
const seenIn = ({ fair }: PlainRecord): SeenPromise => ({
  commitment: fair.commitment,
  words: Object.fromEntries(fair.words.entries()),
  whole: true,
  running: true,
  before: true,
})
const rolls = (record: FairRecord) => record.events.filter((event) => event.startsWith("~"))

describe("tickets", () => {
  it.each(vectors.tickets)("are those of the library: $words", ({ secret, words, commitment, draws }) => {
    expect(commitmentTo(secret)).toBe(commitment)
    const tickets = Tickets.plain(secret, words)
    for (const { counter, total, ticket } of draws) expect(tickets.at(counter, total)).toBe(ticket)
  })

  it("past the last multiple of the total are drawn again", () => {
    const { secret, words, draws } = vectors.redrawn
    const tickets = Tickets.plain(secret, words)
    for (const { counter, total, ticket } of draws) expect(tickets.at(counter, Number(total))).toBe(Number(ticket))
  })

  it("cannot be shifted between seats", () => {
    const one = Tickets.plain("00".repeat(32), ["ab", "c"])
    const other = Tickets.plain("00".repeat(32), ["a", "bc"])
    const five = (tickets: Tickets) => [0, 1, 2, 3, 4].map((counter) => tickets.at(counter, 1000))
    expect(five(one)).not.toEqual(five(other))
  })
})

describe.each(records)("a record of $game, $options.seats seats", (record) => {
  const seen = seenIn(record)

  it("is fair, roll by roll", () => {
    const verdict = check(record, seen)
    expect(verdict.kind).toBe("fair")
    const draws = "draws" in verdict ? verdict.draws : []
    expect(draws.map(({ promised }) => promised)).toEqual(rolls(record).map((roll) => Number(roll.slice(1))))
  })

  it("is not called fair by a browser that did not see the promise", () => {
    expect(check(record, null).kind).toBe("unseen")
  })

  it("with two rolls exchanged is wrong at the first of them", () => {
    const forged = copy(record)
    const { events } = forged
    const at = events.findIndex((event) => event.startsWith("~"))
    const other = events.findIndex((event, index) => index > at && event.startsWith("~") && event !== events[at])
    ;[events[at], events[other]] = [events[other]!, events[at]!]
    for (const known of [seen, null]) {
      const verdict = check(forged, known)
      expect(verdict.kind).toBe("wrong")
      expect("draws" in verdict && verdict.draws.at(-1)).toMatchObject({ event: at + 1 })
    }
  })

  it("with other words is reworded, and wrong where nobody saw them", () => {
    const forged = copy(record)
    forged.fair.words[0] += "!"
    expect(check(forged, seen)).toEqual({ kind: "reworded" })
    expect(check(forged, null).kind).toBe("wrong")
    expect(check({ ...record, fair: { ...record.fair!, words: [] } }, seen)).toEqual({ kind: "reworded" })
  })

  it("stays fair when the author of words is forgotten, and their digest is left", () => {
    const forgotten = copy(record)
    const words = forgotten.fair.words[0] as string
    forgotten.fair.words[0] = { sha256: commitmentTo(bytesToHex(utf8ToBytes(words))) }
    expect(check(forgotten, seen).kind).toBe("fair")
    forgotten.fair.words[0] = { sha256: "00".repeat(32) }
    expect(check(forgotten, seen)).toEqual({ kind: "reworded" })
  })

  it("with a secret that was not promised is broken", () => {
    const forged = copy(record)
    forged.fair.secret = "11".repeat(32)
    expect(check(forged, null)).toEqual({ kind: "broken" })
  })

  it("that is true in itself, but made from another promise, is broken", () => {
    expect(check(record, { ...seen, commitment: commitmentTo("11".repeat(32)) })).toEqual({ kind: "broken" })
  })

  it("with a roll left out, or one too many, is malformed", () => {
    const at = record.events.findLastIndex((event) => event.startsWith("~"))
    const without = copy(record)
    without.events.splice(at, 1)
    expect(check(without, seen).kind).toBe("malformed")
    const twice = copy(record)
    twice.events.splice(at, 0, record.events[at]!)
    expect(check(twice, seen)).toEqual({ kind: "malformed", event: at + 2 })
  })

  it("that keeps its secret has nothing to check, and breaks the promise if there was one", () => {
    const open = copy(record)
    open.fair.secret = null
    for (const each of [open, { ...open, fair: null }] as FairRecord[]) {
      expect(check(each, null)).toEqual({ kind: "nothing" })
      expect(check(each, seen)).toEqual({ kind: "withheld" })
    }
  })
})

describe("a promise that was seen before the game began", () => {
  const record = records[0]!
  const early = { ...seenIn(record), running: false }

  it("is enough if no words came afterwards", () => expect(check(record, early).kind).toBe("fair"))

  it("does not tell whose words came afterwards", () => {
    expect(check(record, { ...early, words: {} }).kind).toBe("unseen")
  })
})

it("in a crowd only the words of seats that were listed are compared", () => {
  const record = records[0]!
  const crowd = { ...seenIn(record), words: { 1: record.fair.words[1]! }, whole: false }
  expect(check(record, crowd).kind).toBe("fair")
  expect(check(record, { ...crowd, whole: true })).toEqual({ kind: "reworded" })
  expect(check(record, { ...crowd, words: { 1: "other" } })).toEqual({ kind: "reworded" })
})

it("a game whose chance the page does not know is not called unfair, nor fair", () => {
  expect(
    recompute({ game: "chess", rules: 1, options: {}, events: ["~1"] }, Tickets.plain("00".repeat(32), [])),
  ).toEqual({ kind: "unable" })
})

it("what chance brought after a position is left to the rules to check, never called fair", () => {
  const from = { ...records[0]!, position: "knister seats=1" }
  expect(check(from, null)).toEqual({ kind: "position" })
  const other = { ...from, fair: { ...from.fair!, commitment: "0".repeat(64) } }
  expect(check(other, null)).toEqual({ kind: "broken" })
})
