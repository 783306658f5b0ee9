/** Keeps the page for when there is no connection: its files, and what was last seen of your games. */
export {}

declare const self: ServiceWorkerGlobalScope
/** The page's own addresses, written in when it is built, and what tells this build from others. */
declare const FILES: string[]
declare const BUILD: string

const SHELL = `page-${BUILD}`
const SEEN = "seen"
const PUSH = "/api/me/devices/push"
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

self.addEventListener("push", (event) => event.waitUntil(tell(event.data)))

self.addEventListener("notificationclick", (event) => {
  event.notification.close()
  event.waitUntil(show((event.notification.data as { path: string }).path))
})

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribedAnew(event)))

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

/** What the server tells this device. */
interface Message {
  title: string
  body: string
  path: string
  tag: string
  language: string
}

/** Shows what was told, in place of what was told of the same table before; who has it before their eyes sees it. */
async function tell(data: PushMessageData | null): Promise<void> {
  const { title, body, path, tag, language } = data?.json() as Message
  const windows = await self.clients.matchAll({ type: "window" })
  if (windows.some(({ url, visibilityState }) => visibilityState === "visible" && new URL(url).pathname === path))
    return
  const options = { body, tag, renotify: true, lang: language, icon: "/icon-192.png", data: { path } }
  await self.registration.showNotification(title, options)
}

/** The table: in the window that shows it, or in any of ours, or in a new one. */
async function show(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true })
  const there = windows.find(({ url }) => new URL(url).pathname === path)
  if (there) await there.focus()
  else if (windows[0]) await ((await windows[0].navigate(path).catch(() => null)) ?? windows[0]).focus()
  else await self.clients.openWindow(path)
}

/** The push service has given this device another address. */
async function subscribedAnew(event: Event): Promise<void> {
  const { oldSubscription, newSubscription } = event as Event & {
    oldSubscription?: PushSubscription
    newSubscription?: PushSubscription
  }
  const answer = await fetch(PUSH)
  const { key } = (await answer.json()) as { key: string }
  const subscription =
    newSubscription ??
    (await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }))
  const { endpoint, keys } = subscription.toJSON()
  const spoken = navigator.language.slice(0, 2)
  const language = ["es", "fr", "nl"].includes(spoken) ? spoken : "en"
  await send("PUT", PUSH, { endpoint, p256dh: keys?.["p256dh"], auth: keys?.["auth"], language })
  if (oldSubscription) await send("POST", `${PUSH}/end`, { endpoint: oldSubscription.endpoint })
}

const send = (method: string, path: string, body: object): Promise<Response> =>
  fetch(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
