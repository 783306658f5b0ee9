/** The promises of fair chance that this browser was told before a game ended, kept so that nobody can exchange them later. */
import type { RoomState, WordsDigest } from "./types"

const KEY = "sobremesa promises"
/** Those with the newest promises stay. */
const MAX_ROOMS = 50
const MAX_GAMES_PER_ROOM = 20

/** A promise as it was told before the game ended. */
export interface SeenPromise {
  /** The first that was told for this game: a server that tells another one later has broken it. */
  commitment: string
  /** By seat; a seat that is not here added nothing, or was not listed. */
  words: Record<string, string | WordsDigest>
  /** Whether all seats were listed: in a crowd only some are. */
  whole: boolean
  /** Whether the game was running: before it begins, words may still be added. */
  running: boolean
}

interface SeenRoom {
  /** When the last promise was noted, in milliseconds since 1970. */
  at: number
  games: Record<string, SeenPromise>
}

/** Notes the promises of games that have not ended yet. */
export function notePromises(room: RoomState): void {
  const open = room.promises.filter(({ game, secret }) => secret === null && !(room.over && game <= room.number))
  if (!open.length) return
  const rooms = stored()
  const games = { ...rooms[room.id]?.games }
  let changed = false
  for (const { game, commitment, words } of open) {
    const known = games[game]
    if (known?.running) continue
    const running = room.playing && game === room.number
    const whole = Object.keys(room.seats).length === room.seats_total
    const noted = { commitment: known?.commitment ?? commitment, words, whole, running }
    if (JSON.stringify(noted) === JSON.stringify(known)) continue
    games[game] = noted
    changed = true
  }
  if (changed) store({ ...rooms, [room.id]: { at: Date.now(), games: newest(games) } })
}

/** What was promised before a game ended; null if this browser was not told. */
export function seenPromise(room: string, game: number): SeenPromise | null {
  return stored()[room]?.games[game] ?? null
}

const newest = (games: SeenRoom["games"]): SeenRoom["games"] =>
  Object.fromEntries(
    Object.entries(games)
      .sort(([a], [b]) => Number(b) - Number(a))
      .slice(0, MAX_GAMES_PER_ROOM),
  )

function stored(): Record<string, SeenRoom> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, SeenRoom>
  } catch {
    return {}
  }
}

function store(rooms: Record<string, SeenRoom>): void {
  const kept = Object.entries(rooms)
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, MAX_ROOMS)
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)))
  } catch {
    // A browser that keeps nothing: the check says that it has not seen the promise.
  }
}
