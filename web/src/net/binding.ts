/** This browser's part in fair chance, which nobody has to ask it for: it seals random words for each of one's own seats, and
 * opens them once the game is called. What it draws is kept, so that it can still be opened after a reload. */
import { Refusal } from "./api"
import { keepOpened, keepSealed, seenPromise } from "./promises"
import type { Command, RoomState } from "./types"

type Send = (command: Command) => Promise<unknown>

/** What has been sent and not been answered yet: an update may come meanwhile. */
const underway = new Set<string>()

async function once(key: string, send: () => Promise<unknown>): Promise<void> {
  if (underway.has(key)) return
  underway.add(key)
  try {
    await send()
  } catch (error) {
    // The promise or the call is another one now, and an update tells which.
    if (!(error instanceof Refusal)) throw error
  } finally {
    underway.delete(key)
  }
}

const ownSeats = ({ seats }: RoomState): number[] =>
  Object.keys(seats)
    .map(Number)
    .filter((seat) => seats[seat]!.yours)

/** Does what is to be done now. */
export async function takePart(room: RoomState, send: Send): Promise<void> {
  const promise = room.promises.find(({ game }) => game === room.number + 1)
  const own = ownSeats(room)
  if (room.playing || !promise?.context || !own.length) return
  await Promise.all(own.map((seat) => (promise.call ? open(room, seat, send) : seal(room, seat, send))))
}

/** Seals words of one's own for the next game, in place of what was sealed before. */
export async function sealWords(room: RoomState, seat: number, words: string, send: Send): Promise<void> {
  const fair = await import("../fair")
  const promise = room.promises.find(({ game }) => game === room.number + 1)
  if (!promise?.context) return
  const opening = fair.drawOpening(words)
  const own = { ...opening, seal: fair.sealOf(promise.context, promise.commitment, seat, opening) }
  keepSealed(room.id, promise.game, seat, own)
  await send({ type: "seal", seat, promise: promise.commitment, seal: own.seal })
}

async function seal(room: RoomState, seat: number, send: Send): Promise<void> {
  const { game, commitment, context, seals } = room.promises.find(({ game }) => game === room.number + 1)!
  if (seals[seat]) return // done, or another device of this person does it
  const fair = await import("../fair")
  const seen = seenPromise(room.id, game)
  // Nothing is sealed for a promise that is not what it should be: the check afterwards says so.
  if (seen?.commitment !== commitment || !fair.isContextOf(context!, room, game)) return
  let own = seen.sealed?.[seat]
  if (!own) {
    const opening = fair.drawOpening("")
    own = { ...opening, seal: fair.sealOf(context!, commitment, seat, opening) }
    keepSealed(room.id, game, seat, own)
  }
  const { seal } = own
  await once(seal, () => send({ type: "seal", seat, promise: commitment, seal }))
}

async function open(room: RoomState, seat: number, send: Send): Promise<void> {
  const { game, commitment, call, seals } = room.promises.find(({ game }) => game === room.number + 1)!
  const seen = seenPromise(room.id, game)
  const own = seen?.sealed?.[seat]
  // A promise is opened for one call only, the one that will be compared with the record.
  if (!own || !call || seen?.commitment !== commitment || seen.call !== call || seals[seat] !== own.seal) return
  if (!room.drawing?.waiting.includes(seat)) return
  keepOpened(room.id, game, seat, own)
  await once(`${call} ${seat}`, () => send({ type: "open", seat, call, nonce: own.nonce, words: own.words }))
}
