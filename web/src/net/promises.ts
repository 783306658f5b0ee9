/** What this browser was told of fair chance before a game ended, and what it added itself: kept so that nobody can exchange any
 * of it later. */
import type { RoomState, Step, WordsDigest } from "./types"

const KEY = "sobremesa promises"
/** Those with the newest promises stay. */
const MAX_ROOMS = 50
const MAX_GAMES_PER_ROOM = 20

/** What this browser has sealed for a seat. */
export interface OwnSeal {
  nonce: string
  words: string
  seal: string
}

/** A promise as it was told before the game ended. */
export interface SeenPromise {
  /** The first that was told for this game, or the one after a call that became void before our eyes. */
  commitment: string
  /** Words that were said openly, by seat; a seat that is not here added nothing, or was not listed. */
  words: Record<string, string | WordsDigest>
  /** Whether all seats were listed: in a crowd only some are. */
  whole: boolean
  /** Whether the game was running: before it begins, words may still be added. */
  running: boolean
  /** Whether it was told before the game began. */
  before?: boolean
  /** What it is for; a promise of version 1 does not say. */
  context?: string
  /** The first call that was told. */
  call?: string
  /** Whether the call was told before the game began. */
  calledBefore?: boolean
  sealed?: Record<string, OwnSeal>
  opened?: Record<string, OwnSeal>
  /** The outcomes of chance that were told, by their number in the game. */
  outcomes?: Record<string, number>
  /** Whether the server has told two things that cannot both be. */
  contradicted?: boolean
}

interface SeenRoom {
  /** When the last promise was noted, in milliseconds since 1970. */
  at: number
  games: Record<string, SeenPromise>
}

/** Notes the promises of games that have not ended yet, and what chance has brought. */
export function notePromises(room: RoomState, steps: readonly Step[] = []): void {
  const games = { ...stored()[room.id]?.games }
  const before = JSON.stringify(games)
  for (const promise of room.promises) {
    const over = promise.secret !== null || (room.over && promise.game <= room.number)
    if (over) continue
    const running = room.playing && promise.game === room.number
    const whole = Object.keys(room.seats).length === room.seats_total
    games[promise.game] = noted(games[promise.game], promise, running, whole)
  }
  const game = games[room.number]
  if (game) games[room.number] = withOutcomes(game, steps)
  if (JSON.stringify(games) !== before) keep(room.id, games)
}

function noted(
  known: SeenPromise | undefined,
  { commitment, words, context, call }: RoomState["promises"][number],
  running: boolean,
  whole: boolean,
): SeenPromise {
  if (known && known.commitment !== commitment && !known.running && followsVoid(known, context)) known = undefined
  if (known?.running) return contradicts(known, call) ? { ...known, contradicted: true } : known
  const promise: SeenPromise = { ...known, commitment: known?.commitment ?? commitment, words, whole, running }
  if (!known) promise.before = !running
  if (context != null) promise.context ??= context
  if (call != null && known?.call === undefined) {
    promise.call = call
    promise.calledBefore = !running
  }
  if (contradicts(promise, call)) promise.contradicted = true
  return promise
}

const contradicts = (known: SeenPromise, call: string | null | undefined): boolean =>
  call != null && known.call !== undefined && known.call !== call

/** Whether another promise stands openly in the place of a void one. A server that tells another one otherwise breaks it. */
const followsVoid = ({ commitment, call }: SeenPromise, context: string | null | undefined): boolean =>
  (context ?? "").split("\n").some((line) => line.startsWith(`void ${commitment} ${call ?? ""}`))

function withOutcomes(game: SeenPromise, steps: readonly Step[]): SeenPromise {
  let { outcomes, contradicted } = game
  for (const { draw, rolled } of steps) {
    if (draw == null || rolled === null) continue
    const outcome = Number(rolled)
    if ((outcomes?.[draw] ?? outcome) !== outcome) contradicted = true
    else outcomes = { ...outcomes, [draw]: outcome }
  }
  return { ...game, ...(outcomes && { outcomes }), ...(contradicted && { contradicted }) }
}

/** Keeps what this browser has sealed, before anybody is told. */
export function keepSealed(room: string, game: number, seat: number, own: OwnSeal): void {
  change(room, game, (seen) => ({ ...seen, sealed: { ...seen.sealed, [seat]: own } }))
}

/** Keeps what this browser opens, before anybody is told. */
export function keepOpened(room: string, game: number, seat: number, own: OwnSeal): void {
  change(room, game, (seen) => ({ ...seen, opened: { ...seen.opened, [seat]: own } }))
}

function change(room: string, game: number, how: (seen: SeenPromise) => SeenPromise): void {
  const games = stored()[room]?.games
  if (games?.[game]) keep(room, { ...games, [game]: how(games[game]) })
}

/** What was promised before a game ended; null if this browser was not told. */
export function seenPromise(room: string, game: number): SeenPromise | null {
  return stored()[room]?.games[game] ?? null
}

const keep = (room: string, games: SeenRoom["games"]): void =>
  store({ ...stored(), [room]: { at: Date.now(), games: newest(games) } })

const newest = (games: SeenRoom["games"]): SeenRoom["games"] =>
  Object.fromEntries(
    Object.entries(games)
      .sort(([a], [b]) => Number(b) - Number(a))
      .slice(0, MAX_GAMES_PER_ROOM),
  )

/** For a browser that keeps nothing: what was sealed must be opened all the same. */
let unkept: Record<string, SeenRoom> | null = null

function stored(): Record<string, SeenRoom> {
  if (unkept) return unkept
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, SeenRoom>
  } catch {
    return {}
  }
}

function store(rooms: Record<string, SeenRoom>): void {
  const kept = Object.fromEntries(
    Object.entries(rooms)
      .sort(([, a], [, b]) => b.at - a.at)
      .slice(0, MAX_ROOMS),
  )
  try {
    localStorage.setItem(KEY, JSON.stringify(kept))
    unkept = null
  } catch {
    // It is lost with the page: then the check says that it has not seen the promise.
    unkept = kept
  }
}
