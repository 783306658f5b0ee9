/** Plays a whole game with the TypeScript client, as installed; the socket is closed once on the way. */
import { Guest, RefusedError } from "sobremesa-client"

const guest = await Guest.arrive(process.argv[2])
const room = await guest.openRoom({
  game: process.argv[3],
  seats: [{ kind: "me" }, { kind: "engine", player: "random" }],
})
const visit = guest.enter(room)
let moves = 0
for await (const update of visit) {
  if (update.room.over) {
    console.log(JSON.stringify({ moves, result: update.room.result }))
    break
  }
  for (const [seat, legal] of Object.entries(update.legal)) {
    if (moves === 0) {
      const no = await visit.move(Number(seat), "no such move").catch((error: unknown) => error)
      if (!(no instanceof RefusedError)) throw new Error("a move that is none was taken")
    }
    if (moves === 3) (visit as unknown as { socket: WebSocket }).socket.close()
    try {
      await visit.move(Number(seat), legal[0])
      moves += 1
    } catch (error) {
      if (!(error instanceof RefusedError) || !["stale", "illegal", "early"].includes(error.reason)) throw error
    }
  }
}
visit.leave()
