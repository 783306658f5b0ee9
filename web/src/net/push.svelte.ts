/** Messages to this device while its page is closed (Web Push): asked for, ended, and kept in step with the server. */
import type { Language } from "./types"
import { api } from "./api"

/** Whether this device is told: it may be, it is, its browser does not allow it, or does not know how. */
export type Standing = "off" | "on" | "denied" | "unsupported"

let standing = $state<Standing>("unsupported")
export const pushState = (): Standing => standing

const supported = (): boolean =>
  isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window

/** Phones of this kind know messages only for pages that lie on their home screen. */
export const wantsHomeScreen = (): boolean => /iPhone|iPad/.test(navigator.userAgent) && !("PushManager" in window)

const registered = async (): Promise<ServiceWorkerRegistration | undefined> =>
  supported() ? navigator.serviceWorker.getRegistration() : undefined

const subscribed = async (): Promise<PushSubscription | null> =>
  (await (await registered())?.pushManager.getSubscription()) ?? null

/** Looks how this device stands; one that is told says so to the server, in the language that it has now. */
export async function lookAtPush(language: Language): Promise<void> {
  if (!supported()) return
  const subscription = await subscribed().catch(() => null)
  standing = Notification.permission === "denied" ? "denied" : subscription ? "on" : "off"
  if (standing === "on" && subscription) await say(subscription, language).catch(() => {})
}

/** Asks the person, by way of the browser, and subscribes; says whether this device is told from now on. */
export async function startPush(language: Language): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") {
    standing = Notification.permission === "denied" ? "denied" : "off"
    return false
  }
  const { key } = await api.pushKey()
  const { pushManager } = await navigator.serviceWorker.ready
  const wanted = { userVisibleOnly: true, applicationServerKey: key }
  const subscription = await pushManager.subscribe(wanted).catch(async () => {
    // One for another key, from before the server was set up anew, is in the way.
    await (await pushManager.getSubscription())?.unsubscribe()
    return pushManager.subscribe(wanted)
  })
  await say(subscription, language)
  standing = "on"
  return true
}

/** Ends it, here and at the server. */
export async function stopPush(): Promise<void> {
  const subscription = await subscribed()
  standing = "off"
  if (!subscription) return
  await subscription.unsubscribe()
  await api.endPush(subscription.endpoint)
}

/** Has the server send a message to this device, to try; says whether it was sent. */
export async function tryPush(): Promise<boolean> {
  const subscription = await subscribed()
  return !!subscription && (await api.tryPush(subscription.endpoint)).outcome === "sent"
}

/** What was told of a table is seen once one is there. */
export async function clearNotices(path: string): Promise<void> {
  const tag = /^\/r\/([\w-]+)$/.exec(path)?.[1]
  if (!tag) return
  for (const notice of (await (await registered())?.getNotifications({ tag })) ?? []) notice.close()
}

async function say(subscription: PushSubscription, language: Language): Promise<void> {
  const { endpoint, keys } = subscription.toJSON()
  await api.addPush({ endpoint: endpoint!, p256dh: keys!["p256dh"]!, auth: keys!["auth"]!, language })
}
