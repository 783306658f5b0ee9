/** What was last seen of a room, kept for when there is no connection. The service worker keeps the rest, and tidies up. */
import type * as s from "./types"

const CACHE = "seen"
const address = (room: string) => `/api/rooms/${encodeURIComponent(room)}`

/** Keeps it if the browser does: some do not, and none over an open network without encryption. */
export async function keepSeen(room: string, update: s.Update): Promise<void> {
  try {
    const cache = await caches.open(CACHE)
    await cache.delete(address(room))
    await cache.put(address(room), new Response(JSON.stringify(update)))
  } catch {
    // It is lost with the connection, that is all.
  }
}

/** An older page may have kept it in another form: that is as good as nothing. */
export async function lastSeen(room: string): Promise<s.Update | null> {
  try {
    const kept = await caches.match(address(room), { cacheName: CACHE, ignoreVary: true })
    const update = kept ? ((await kept.json()) as Partial<s.Update>) : null
    return update?.room && update.steps && update.talk ? (update as s.Update) : null
  } catch {
    return null
  }
}
