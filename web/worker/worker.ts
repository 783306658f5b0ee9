/** Keeps the page for when there is no connection: its files, and what was last seen of your games. */
export {}

declare const self: ServiceWorkerGlobalScope
/** The page's own addresses, written in when it is built, and what tells this build from others. */
declare const FILES: string[]
declare const BUILD: string

const SHELL = `page-${BUILD}`
const SEEN = "seen"
const MAX_ROOMS_KEPT = 20
/** Longer than a server takes to answer, shorter than anybody waits. */
const NETWORK_TIMEOUT_MS = 4000

self.addEventListener("install", (event) => {
  event.waitUntil(fill().then(() => self.skipWaiting()))
})

self.addEventListener("activate", (event) => {
  event.waitUntil(tidy().then(() => self.clients.claim()))
})

self.addEventListener("fetch", (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.method === "DELETE" && pathname === "/api/me") event.respondWith(forgotten(request))
  if (request.method !== "GET") return
  if (request.mode === "navigate" && !pathname.startsWith("/api/")) event.respondWith(navigated(request))
  else if (pathname.startsWith("/assets/")) event.respondWith(kept(request))
  else if (FILES.includes(pathname)) event.respondWith(fresh(request))
  else if (worthKeeping(pathname)) event.respondWith(seen(event, request))
})

/**
 * One file after the other, so that the page's own questions need not wait. Names of files in /assets/ change with what
 * is in them: those that are here already need not come again.
 */
async function fill(): Promise<void> {
  const shell = await caches.open(SHELL)
  for (const path of FILES) {
    const known = path.startsWith("/assets/") ? await caches.match(path, { ignoreVary: true }) : undefined
    await (known ? shell.put(path, known) : shell.add(new Request(path, { cache: "no-cache" })))
  }
}

/** The build before this one stays: a page that is still open may ask for a part of it that no server has any more. */
async function tidy(): Promise<void> {
  const builds = (await caches.keys()).filter((name) => name.startsWith("page-"))
  await Promise.all(builds.slice(0, -2).map((name) => caches.delete(name)))
}

async function navigated(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(NETWORK_TIMEOUT_MS) })
    if (answer.status < 500) return answer
  } catch {
    // Nobody there, or too slow: the page tells, once it is up.
  }
  return (await lastBuild("/")) ?? Response.error()
}

async function kept(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request)
}

async function fresh(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch {
    return (await lastBuild(new URL(request.url).pathname)) ?? Response.error()
  }
}

async function lastBuild(path: string): Promise<Response | undefined> {
  return (await caches.open(SHELL)).match(path, { ignoreVary: true })
}

/** Who you are with your rooms, what there is to play, and rooms; not what waits for news, which an old answer would not be. */
function worthKeeping(path: string): boolean {
  return path === "/api/me" || path === "/api/games" || /^\/api\/rooms\/[\w-]+$/.test(path)
}

async function seen(event: FetchEvent, request: Request): Promise<Response> {
  try {
    const answer = await fetch(request)
    if (answer.ok) event.waitUntil(keep(request, answer.clone()))
    return answer
  } catch (error) {
    const last = await (await caches.open(SEEN)).match(request, { ignoreVary: true })
    if (last) return last
    throw error
  }
}

async function keep(request: Request, answer: Response): Promise<void> {
  const cache = await caches.open(SEEN)
  await cache.delete(request, { ignoreVary: true })
  await cache.put(request, answer)
  const rooms = (await cache.keys()).filter(({ url }) => url.includes("/api/rooms/"))
  await Promise.all(rooms.slice(0, -MAX_ROOMS_KEPT).map((room) => cache.delete(room, { ignoreVary: true })))
}

/** Who wants to be forgotten is forgotten here, too. */
async function forgotten(request: Request): Promise<Response> {
  const answer = await fetch(request)
  if (answer.ok) await caches.delete(SEEN)
  return answer
}
