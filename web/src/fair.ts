/** Fair chance, checked in the browser as `sobremesa verify` does: docs/formats.md tells how a roll follows from the promise. */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import games from "$schema/games.json"

/** As much of a record as the check needs. */
export interface FairRecord {
  game: string
  options: Record<string, unknown>
  events: string[]
  fair?: { commitment: string; words: string[]; secret: string | null } | null
}

/** One outcome of chance: what the record tells, and what the promise gives. */
export interface Draw {
  /** The record's event, counted from 1. */
  event: number
  told: number
  promised: number
}

export type Verdict =
  /** Every outcome is the promised one. */
  | { kind: "fair"; draws: Draw[] }
  /** The record tells something that was not promised; `draws` ends with the first such outcome. */
  | { kind: "wrong"; draws: Draw[] }
  /** The secret is not the one whose commitment was shown before the game. */
  | { kind: "broken" }
  /** Chance was asked where it had nothing to say, or not where it had. */
  | { kind: "malformed"; event: number }
  /** There is no promise, the secret is not told yet, or the game has no chance in it. */
  | { kind: "nothing" }

type Weights = Map<number, number>

interface Urn {
  /** The outcomes that are possible at first, with their weights. */
  full: (options: Record<string, unknown>) => Weights
  /** Whether what was drawn is gone. */
  keeps: boolean
  /** Whether chance decides right after this event; `null` is the start of the game. */
  after: (event: string | null) => boolean
}

const URNS: Record<string, Urn> = {
  knister: {
    full: () => new Map(games.knister.rolls.map(({ roll, ways }) => [roll, ways])),
    keeps: false,
    after: (event) => event === null || !event.startsWith("~"),
  },
  "isis-osiris": {
    full: ({ edition }) => {
      const editions: Record<string, { tiles: { value: number; count: number }[] }> = games["isis-osiris"].editions
      return new Map(editions[String(edition)]?.tiles.map(({ value, count }) => [value, count]))
    },
    keeps: true,
    after: (event) => event?.toUpperCase() === "T",
  },
}

/** The numbers of a game, in order; each depends on the secret, on everybody's words, and on how many came before. */
export class Tickets {
  readonly #key: Uint8Array

  constructor(secret: string, words: string[]) {
    const said = words.map((word) => sha256(utf8ToBytes(word)))
    this.#key = hmac(sha256, hexToBytes(secret), concatBytes(...said))
  }

  /** The counter-th number, uniform below `total`: numbers past the last multiple of it are drawn again. */
  at(counter: number, total: number): number {
    const fair = (1n << 256n) - ((1n << 256n) % BigInt(total))
    for (let attempt = 0; ; attempt++) {
      const digest = hmac(sha256, this.#key, utf8ToBytes(`${counter}.${attempt}`))
      const number = BigInt(`0x${bytesToHex(digest)}`)
      if (number < fair) return Number(number % BigInt(total))
    }
  }
}

/** What is shown before the game, so that the secret cannot be changed afterwards. */
export function commitmentTo(secret: string): string {
  return bytesToHex(sha256(hexToBytes(secret)))
}

/** The outcome in whose share of the weights a ticket falls; outcomes count in ascending order. */
function won(weights: Weights, ticket: number): number {
  for (const [outcome, weight] of [...weights].sort(([a], [b]) => a - b)) {
    if (ticket < weight) return outcome
    ticket -= weight
  }
  throw new RangeError("a ticket is a number below the total weight")
}

/** Recomputes all that chance brought. */
export function check(record: FairRecord): Verdict {
  const urn = URNS[record.game]
  const proof = record.fair
  if (!urn || !proof?.secret) return { kind: "nothing" }
  if (commitmentTo(proof.secret) !== proof.commitment) return { kind: "broken" }
  const tickets = new Tickets(proof.secret, proof.words)
  const weights = urn.full(record.options)
  const draws: Draw[] = []
  for (const [index, event] of record.events.entries()) {
    const chance = event.startsWith("~")
    if (chance !== urn.after(record.events[index - 1] ?? null)) return { kind: "malformed", event: index + 1 }
    if (!chance) continue
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
    if (!total) return { kind: "malformed", event: index + 1 }
    const told = Number(event.slice(1))
    const promised = won(weights, tickets.at(draws.length, total))
    draws.push({ event: index + 1, told, promised })
    if (told !== promised) return { kind: "wrong", draws }
    if (urn.keeps) weights.set(told, weights.get(told)! - 1)
  }
  return { kind: "fair", draws }
}
