/** Fair chance, checked in the browser as `sobremesa verify` does: a commitment scheme. docs/formats.md has the algebra of both
 * versions of the proof. */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import catalogue from "$schema/catalogue.json"
import type { SeenPromise } from "./net/promises"
import type { UrnInfo, WordsDigest } from "./net/types"

/** What a seat added; of somebody who was forgotten there is the digest alone, and the same rolls follow from it. */
export type Words = string | WordsDigest

/** What a seat sealed, and opens. */
export interface Opening {
  nonce: string
  words: Words
}

/** Version 1: words that were said openly after the promise. */
export interface PlainProof {
  commitment: string
  words: Words[]
  secret: string | null
}

interface SealedSeat {
  seal: string
  place?: number
  nonce?: string
  words?: Words
}

interface Void {
  commitment: string
  call: string
  missing: number[]
}

/** Version 2: seats seal and open. */
export interface BoundProof {
  version: 2
  room: string
  number: number
  crowd: boolean
  void: Void[]
  commitment: string
  words: Record<string, Words>
  seals: Record<string, SealedSeat>
  call: string
  secret: string | null
}

/** As much of a record as the check needs. */
export interface FairRecord {
  game: string
  rules: number
  options: Record<string, unknown>
  events: string[]
  /** Where the game began, if not with the laid table. */
  position?: string | null
  fair?: PlainProof | BoundProof | null
}

/** One outcome of chance: what the record tells, and what the promise gives. */
export interface Draw {
  /** The record's event, counted from 1. */
  event: number
  recorded: number
  promised: number
}

/** What a proof that holds shows. */
export interface Shown {
  draws: Draw[]
  version: 1 | 2
  /** The seats that took part: against any of them nobody could choose. */
  bound: number[]
  /** How many promises for this game became void before, because somebody who was called did not open. */
  voids: number
  /** How many of a crowd were called and did not open. */
  unopened: number
}

export type Verdict =
  /** Every outcome is the promised one, and everything agrees with what this browser saw, from before the game on. */
  | ({ kind: "fair" } & Shown)
  /** It agrees with what this browser saw, but it saw the promise only when the game had begun. */
  | ({ kind: "late" } & Shown)
  /** Every outcome follows from the secret, but this browser was not shown the promise before the game ended. */
  | ({ kind: "unseen" } & Shown)
  /** The record has an outcome that was not promised; `draws` ends with the first such outcome. */
  | { kind: "wrong"; draws: Draw[] }
  /** The record tells another outcome than this browser was shown. */
  | { kind: "altered"; event: number; recorded: number; seen: number }
  /** The secret is not the one whose commitment was shown before the game. */
  | { kind: "broken" }
  /** The promise is for another room, game or table. */
  | { kind: "misplaced" }
  /** The words are not those that were shown during the game. */
  | { kind: "reworded" }
  /** Seats, seals or words are not those that the game was called with. */
  | { kind: "recalled" }
  /** A seat opened something else than it had sealed, or did not open although it had to. */
  | { kind: "unsealed"; seat: number }
  /** A promise was shown before the game ended, but the record has no secret to compare with it. */
  | { kind: "withheld" }
  /** Chance was asked where it had nothing to say, or not where it had. */
  | { kind: "malformed"; event: number }
  /** The proof is not in the form that it has to have. */
  | { kind: "garbled" }
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

const hash = (...lines: (string | number)[]): string => bytesToHex(sha256(utf8ToBytes(lines.join("\n"))))

const digestOf = (words: Words): string =>
  typeof words === "string" ? bytesToHex(sha256(utf8ToBytes(words))) : words.sha256

/** The numbers of a game, in order; each depends on the key, and on how many came before. */
export class Tickets {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** Of version 1. */
  static plain(secret: string, words: Words[]): Tickets {
    const digests = words.map((each) => hexToBytes(digestOf(each)))
    return new Tickets(hmac(sha256, hexToBytes(secret), concatBytes(...digests)))
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

/** What is shown before the game in version 1, so that the secret cannot be changed afterwards. */
export function commitmentTo(secret: string): string {
  return bytesToHex(sha256(hexToBytes(secret)))
}

/** A room's id as proofs have it. */
export const markOf = (room: string): string => hash("sobremesa room 2", room)

/** A seat's commitment to what it will open, for one promise. */
export const sealOf = (context: string, commitment: string, seat: number, { nonce, words }: Opening): string =>
  hash("sobremesa seal 2", hash(context), commitment, seat, nonce, digestOf(words))

/** A new thing to seal. */
export function drawOpening(words: string): Opening & { words: string } {
  return { nonce: bytesToHex(crypto.getRandomValues(new Uint8Array(16))), words }
}

/** Whether a promise's context is what this page knows of the table. */
export function isContextOf(
  context: string,
  room: { id: string; game: string; crowd: boolean; options: Record<string, unknown> },
  number: number,
): boolean {
  const lines = context.split("\n")
  const expected = [
    "sobremesa context 2",
    `room ${markOf(room.id)}`,
    `number ${number}`,
    `game ${room.game}`,
    lines[4]?.startsWith("rules ") ? lines[4] : "",
    `crowd ${room.crowd}`,
  ]
  const agreed = Object.entries(room.options).filter(([name]) => !NOT_AGREED_BEFORE.includes(name))
  return (
    expected.every((line, index) => lines[index] === line) &&
    agreed.every(([name, value]) => lines.includes(`option ${name} ${String(value)}`))
  )
}

const NOT_AGREED_BEFORE = ["seats", "starter"]

/** What a promise is for, as lines of text. */
function contextOf({ game, rules, options, position }: FairRecord, proof: BoundProof): string {
  const agreed = Object.keys(options).filter((name) => !NOT_AGREED_BEFORE.includes(name))
  return [
    "sobremesa context 2",
    `room ${proof.room}`,
    `number ${proof.number}`,
    `game ${game}`,
    `rules ${rules}`,
    `crowd ${proof.crowd}`,
    ...(position == null ? [] : [`position ${position}`]),
    ...agreed.sort().map((name) => `option ${name} ${String(options[name])}`),
    ...proof.void.map(({ commitment, call, missing }) => `void ${commitment} ${call} ${missing.join(",")}`),
  ].join("\n")
}

const bySeat = <T>(of: Record<string, T>): [number, T][] =>
  Object.entries(of)
    .map(([seat, what]): [number, T] => [Number(seat), what])
    .sort(([one], [other]) => one - other)

const HEX = /^[0-9a-f]{64}$/
const isHex = (value: unknown): value is string => typeof value === "string" && HEX.test(value)
const isSecret = (value: unknown): value is string | null => value === null || isHex(value)
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const hasOnly = (value: object, names: string[]) => Object.keys(value).every((name) => names.includes(name))
const isWords = (value: unknown): value is Words =>
  (typeof value === "string" && [...value].length <= 200) ||
  (isPlain(value) && hasOnly(value, ["sha256"]) && isHex(value.sha256))
const rises = (numbers: number[]) => numbers.every((number, index) => !index || numbers[index - 1]! < number)

function isSealed(value: unknown): value is SealedSeat {
  if (!isPlain(value) || !hasOnly(value, ["seal", "place", "nonce", "words"]) || !isHex(value.seal)) return false
  if ("place" in value && !isCount(value.place)) return false
  if (!("nonce" in value)) return !("words" in value)
  if (typeof value.nonce !== "string" || !/^[0-9a-f]{32}$/.test(value.nonce)) return false
  return !("words" in value) || (isWords(value.words) && value.words !== "")
}

const isVoid = (value: unknown): value is Void =>
  isPlain(value) &&
  hasOnly(value, ["commitment", "call", "missing"]) &&
  isHex(value.commitment) &&
  isHex(value.call) &&
  Array.isArray(value.missing) &&
  value.missing.length > 0 &&
  value.missing.every(isCount) &&
  rises(value.missing)

const PROOF = ["version", "room", "number", "crowd", "void", "commitment", "words", "seals", "call", "secret"]

/** A proof in the one form that it has; null for anything else. */
function readProof(fair: unknown, seats: number): PlainProof | BoundProof | null {
  if (!isPlain(fair) || !isHex(fair.commitment)) return null
  if (!("version" in fair)) {
    const { words, secret } = fair
    const whole = Array.isArray(words) && (words.length === seats || !words.length) && words.every(isWords)
    return whole && isSecret(secret) && hasOnly(fair, ["commitment", "words", "secret"])
      ? (fair as unknown as PlainProof)
      : null
  }
  const { version, room, number, crowd, void: voids, words, seals, call, secret } = fair
  const inRange = (of: Record<string, unknown>) =>
    Object.keys(of).every((key) => /^(0|[1-9][0-9]{0,8})$/.test(key) && Number(key) < seats)
  const good =
    version === 2 &&
    PROOF.every((name) => name in fair) &&
    hasOnly(fair, PROOF) &&
    isHex(room) &&
    isHex(call) &&
    isCount(number) &&
    number > 0 &&
    typeof crowd === "boolean" &&
    Array.isArray(voids) &&
    voids.every(isVoid) &&
    isPlain(words) &&
    inRange(words) &&
    Object.values(words).every((said) => isWords(said) && said !== "") &&
    isPlain(seals) &&
    inRange(seals) &&
    Object.values(seals).every(isSealed) &&
    isSecret(secret)
  if (!good) return null
  const proof = fair as unknown as BoundProof
  const sealed = bySeat(proof.seals)
  const placed = sealed.every(([seat, { place }]) => place === undefined || (crowd === true && place !== seat))
  return placed && rises(sealed.map(([seat, { place }]) => place ?? seat)) ? proof : null
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

/** What is recomputed of a record alone: the key of its chance, or what is wrong. */
function keyOf(record: FairRecord, proof: PlainProof | BoundProof): Tickets | Verdict {
  const secret = proof.secret!
  if (!("version" in proof)) {
    if (commitmentTo(secret) !== proof.commitment) return { kind: "broken" }
    return Tickets.plain(secret, proof.words)
  }
  const context = contextOf(record, proof)
  const bound = hash(context)
  if (hash("sobremesa promise 2", bound, secret) !== proof.commitment) return { kind: "broken" }
  const sealed = bySeat(proof.seals)
  for (const [seat, { seal, place, nonce, words }] of sealed) {
    const opens =
      nonce === undefined
        ? proof.crowd
        : sealOf(context, proof.commitment, place ?? seat, { nonce, words: words ?? "" }) === seal
    if (!opens) return { kind: "unsealed", seat }
  }
  const call = hash(
    "sobremesa call 2",
    bound,
    proof.commitment,
    `seats ${String(record.options.seats)}`,
    `starter ${String(record.options.starter)}`,
    ...bySeat(proof.words).map(([seat, said]) => `words ${seat} ${digestOf(said)}`),
    ...sealed.map(([seat, { seal, place }]) => `seal ${seat} ${place ?? seat} ${seal}`),
  )
  if (call !== proof.call) return { kind: "recalled" }
  const openings = sealed.flatMap(([seat, { nonce, words }]) =>
    nonce === undefined ? [] : [`open ${seat} ${nonce} ${digestOf(words ?? "")}`],
  )
  return new Tickets(hmac(sha256, hexToBytes(secret), utf8ToBytes(["sobremesa key 2", call, ...openings].join("\n"))))
}

/** Recomputes all that chance brought, and compares everything with what this browser saw. */
export function check(
  record: FairRecord,
  seen: SeenPromise | null,
  where?: { room: string; number: number } | null,
  urns?: readonly UrnInfo[],
): Verdict {
  if (!record.fair) return { kind: seen ? "withheld" : "nothing" }
  const proof = readProof(record.fair, Number(record.options.seats))
  if (!proof) return { kind: "garbled" }
  if (proof.secret === null) return { kind: seen ? "withheld" : "nothing" }
  if (seen && seen.commitment !== proof.commitment) return { kind: "broken" }
  const bound = "version" in proof ? proof : null
  if (bound && where && (bound.room !== markOf(where.room) || bound.number !== where.number))
    return { kind: "misplaced" }
  const tickets = keyOf(record, proof)
  if (!(tickets instanceof Tickets)) return tickets
  const known = seen !== null && sameSeen(record, proof, seen)
  if (seen && typeof known === "object") return known
  if (record.position) return { kind: "position" }
  const verdict = recompute(record, tickets, urns)
  if (verdict.kind !== "fair") return verdict
  for (const [index, outcome] of Object.entries(seen?.outcomes ?? {})) {
    const draw = verdict.draws[Number(index)]
    if (draw?.recorded !== outcome)
      return {
        kind: "altered",
        event: draw?.event ?? record.events.length,
        recorded: draw?.recorded ?? NaN,
        seen: outcome,
      }
  }
  const opened = bound ? bySeat(bound.seals).filter(([, { nonce }]) => nonce !== undefined) : []
  const shown: Shown = {
    draws: verdict.draws,
    version: bound ? 2 : 1,
    bound: opened.map(([seat]) => seat),
    voids: bound?.void.length ?? 0,
    unopened: bound ? Object.keys(bound.seals).length - opened.length : 0,
  }
  return { kind: known ? (seen?.before ? "fair" : "late") : "unseen", ...shown }
}

/** Whether a proof agrees with what this browser saw, and that was enough; a verdict if something differs. */
function sameSeen(record: FairRecord, proof: PlainProof | BoundProof, seen: SeenPromise): boolean | Verdict {
  if (seen.contradicted) return { kind: "broken" }
  if (!("version" in proof)) {
    const known = sameWords(proof.words, seen)
    return seen.running && !known ? { kind: "reworded" } : known
  }
  if (seen.context !== undefined && seen.context !== contextOf(record, proof)) return { kind: "misplaced" }
  if (seen.call !== undefined && seen.call !== proof.call) return { kind: "recalled" }
  for (const [seat, { nonce, words }] of Object.entries(seen.opened ?? {})) {
    const theirs = proof.seals[seat]
    if (theirs?.nonce !== nonce || digestOf(theirs.words ?? "") !== digestOf(words))
      return { kind: "unsealed", seat: Number(seat) }
  }
  return seen.call !== undefined
}

/** Whether all that chance brought follows from a key. `urns` are of a game that is not built in. */
export function recompute(
  record: FairRecord,
  tickets: Tickets,
  urns?: readonly UrnInfo[],
): Extract<Verdict, { kind: "wrong" | "malformed" | "unable" }> | { kind: "fair"; draws: Draw[] } {
  const urn = urnOf(record, urns)
  if (!urn) return { kind: "unable" }
  const weights: Weights = new Map(urn.weights)
  const asked = new RegExp(urn.after)
  const draws: Draw[] = []
  for (const [index, event] of record.events.entries()) {
    const chance = event.startsWith("~")
    if (chance !== asked.test(record.events[index - 1] ?? "")) return { kind: "malformed", event: index + 1 }
    if (!chance) continue
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
    if (!total || !/^~(0|-?[1-9][0-9]{0,3})$/.test(event)) return { kind: "malformed", event: index + 1 }
    const recorded = Number(event.slice(1))
    const promised = drawn(weights, tickets.at(draws.length, total))
    draws.push({ event: index + 1, recorded, promised })
    if (recorded !== promised) return { kind: "wrong", draws }
    if (!urn.replaced) weights.set(recorded, weights.get(recorded)! - 1)
  }
  return { kind: "fair", draws }
}
