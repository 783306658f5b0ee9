/** Fair chance, checked in the browser as `sobremesa verify` does: a commitment scheme. docs/formats.md tells how a roll
 * follows from the promise. */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import catalogue from "$schema/catalogue.json"
import type { SeenPromise } from "./net/promises"
import type { UrnInfo, WordsDigest } from "./net/types"

/** What a seat added; of somebody who was forgotten there is the digest alone, and the same rolls follow from it. */
export type Words = string | WordsDigest

/** As much of a record as the check needs. */
export interface FairRecord {
  game: string
  options: Record<string, unknown>
  events: string[]
  /** Where the game began, if not with the laid table. */
  position?: string | null
  fair?: { commitment: string; words: Words[]; secret: string | null } | null
}

/** One outcome of chance: what the record tells, and what the promise gives. */
export interface Draw {
  /** The record's event, counted from 1. */
  event: number
  recorded: number
  promised: number
}

export type Verdict =
  /** Every outcome is the promised one, and this browser knew the promise before the game ended. */
  | { kind: "fair"; draws: Draw[] }
  /** Every outcome follows from the secret, but this browser was not shown the promise before the game ended. */
  | { kind: "unseen"; draws: Draw[] }
  /** The record has an outcome that was not promised; `draws` ends with the first such outcome. */
  | { kind: "wrong"; draws: Draw[] }
  /** The secret is not the one whose commitment was shown before the game. */
  | { kind: "broken" }
  /** The words are not those that were shown during the game. */
  | { kind: "reworded" }
  /** A promise was shown before the game ended, but the record has no secret to compare with it. */
  | { kind: "withheld" }
  /** Chance was asked where it had nothing to say, or not where it had. */
  | { kind: "malformed"; event: number }
  /** There is a proof, but this page does not know how the game draws. */
  | { kind: "unable" }
  /** There is a proof, but the game began from a position: what chance could bring there only the rules know. */
  | { kind: "position" }
  /** There is no promise, the secret is not told yet, or the game has no chance in it. */
  | { kind: "nothing" }

type Weights = Map<number, number>

/** What chance draws from at such a table, as the game declares it; the house's own games' are built in. */
function urnOf(record: FairRecord, urns?: readonly UrnInfo[]): UrnInfo | undefined {
  const own: Record<string, { urns: unknown }> = catalogue
  const known = (own[record.game]?.urns ?? urns ?? []) as readonly UrnInfo[]
  return known.find(({ options }) => Object.entries(options).every(([name, value]) => record.options[name] === value))
}

/** The numbers of a game, in order; each depends on the secret, on everybody's words, and on how many came before. */
export class Tickets {
  readonly #key: Uint8Array

  constructor(secret: string, words: Words[]) {
    const digests = words.map((each) => hexToBytes(digestOf(each)))
    this.#key = hmac(sha256, hexToBytes(secret), concatBytes(...digests))
  }

  /** The counter-th number, uniform below `total`. Rejection sampling: numbers past its last multiple are drawn again. */
  at(counter: number, total: number): number {
    const fair = (1n << 256n) - ((1n << 256n) % BigInt(total))
    for (let attempt = 0; ; attempt++) {
      const digest = hmac(sha256, this.#key, utf8ToBytes(`${counter}.${attempt}`))
      const number = BigInt(`0x${bytesToHex(digest)}`)
      if (number < fair) return Number(number % BigInt(total))
    }
  }
}

const digestOf = (words: Words): string =>
  typeof words === "string" ? bytesToHex(sha256(utf8ToBytes(words))) : words.sha256

/** What is shown before the game, so that the secret cannot be changed afterwards. */
export function commitmentTo(secret: string): string {
  return bytesToHex(sha256(hexToBytes(secret)))
}

/** The outcome in whose share of the weights a ticket falls; outcomes count in ascending order. */
function drawn(weights: Weights, ticket: number): number {
  for (const [outcome, weight] of [...weights].sort(([a], [b]) => a - b)) {
    if (ticket < weight) return outcome
    ticket -= weight
  }
  throw new RangeError("a ticket is a number below the total weight")
}

/** Whether a record's words are those that this browser was shown, as far as it was shown any. */
function sameWords(words: Words[], seen: SeenPromise): boolean {
  const same = (one: Words, other: Words) => digestOf(one) === digestOf(other)
  return (
    words.every((each, seat) => same(seen.words[seat] ?? (seen.whole ? "" : each), each)) &&
    Object.entries(seen.words).every(([seat, each]) => same(each, words[Number(seat)] ?? ""))
  )
}

/** Recomputes all that chance brought, and compares the promise with the one that this browser saw before. */
export function check(record: FairRecord, seen: SeenPromise | null, urns?: readonly UrnInfo[]): Verdict {
  const proof = record.fair
  if (!proof?.secret) return { kind: seen ? "withheld" : "nothing" }
  if (commitmentTo(proof.secret) !== proof.commitment) return { kind: "broken" }
  if (seen && seen.commitment !== proof.commitment) return { kind: "broken" }
  const known = seen && sameWords(proof.words, seen)
  if (seen?.running && !known) return { kind: "reworded" }
  if (record.position) return { kind: "position" }
  const verdict = recompute(record, proof.secret, proof.words, urns)
  return verdict.kind === "fair" && !known ? { ...verdict, kind: "unseen" } : verdict
}

/** Whether all that chance brought follows from a secret and words. `urns` are of a game that is not built in. */
export function recompute(record: FairRecord, secret: string, words: Words[], urns?: readonly UrnInfo[]): Verdict {
  const urn = urnOf(record, urns)
  if (!urn) return { kind: "unable" }
  const tickets = new Tickets(secret, words)
  const weights: Weights = new Map(urn.weights)
  const asked = new RegExp(urn.after)
  const draws: Draw[] = []
  for (const [index, event] of record.events.entries()) {
    const chance = event.startsWith("~")
    if (chance !== asked.test(record.events[index - 1] ?? "")) return { kind: "malformed", event: index + 1 }
    if (!chance) continue
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
    if (!total) return { kind: "malformed", event: index + 1 }
    const recorded = Number(event.slice(1))
    const promised = drawn(weights, tickets.at(draws.length, total))
    draws.push({ event: index + 1, recorded, promised })
    if (recorded !== promised) return { kind: "wrong", draws }
    if (!urn.replaced) weights.set(recorded, weights.get(recorded)! - 1)
  }
  return { kind: "fair", draws }
}
