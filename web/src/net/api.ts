/** HTTP: everything that is not said on a room's socket. */
import { language } from "../words/words.svelte"
import type * as s from "./types"

/** A refusal in words for people; `reason` is for programs. */
export class Refusal extends Error {
  constructor(
    /** The server's reason; the page's own ones are a server out of reach, and a move that a lesson is not about. */
    readonly reason: s.Reason | "unreachable" | "lesson",
    text: string,
    readonly rule: string | null = null,
    /** Seconds after which another try may be worth it. */
    readonly retryAfter: number | null = null,
  ) {
    super(text)
  }

  static from({ reason, text, rule, retry_after }: s.Refused): Refusal {
    return new Refusal(reason, text, rule, retry_after)
  }
}

/** Nobody answered. */
export class Unreachable extends Refusal {
  constructor() {
    super("unreachable", "")
  }
}

export async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  let answer: Response
  try {
    answer = await fetch(path, {
      method,
      headers: {
        "Accept-Language": language(),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
  } catch {
    throw new Unreachable()
  }
  if (answer.status === 204) return undefined as T
  const parsed = await answer.json().catch(() => null)
  if (answer.ok && parsed !== null) return parsed as T
  throw parsed?.type === "refused" ? Refusal.from(parsed as s.Refused) : new Unreachable()
}

/** An idempotency key. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Opens a room. If the answer is lost it is asked for once more: with the same id it is the same room. */
async function openRoom(setup: s.NewRoom): Promise<s.Created> {
  const asked = { seals: true, ...setup, id: newId() } satisfies s.CreateRoom
  try {
    return await request<s.Created>("POST", "/api/rooms", asked)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    return await request<s.Created>("POST", "/api/rooms", asked)
  }
}

const room = (id: string) => `/api/rooms/${encodeURIComponent(id)}`

export const api = {
  games: () => request<s.GameInfo[]>("GET", `/api/games?language=${language()}`),
  me: () => request<s.Me>("GET", "/api/me"),
  rename: (name: string) => request<s.Me>("PUT", "/api/me", { name } satisfies s.NewName),
  forget: () => request<void>("DELETE", "/api/me"),
  renew: (everywhere: boolean) => request<void>("POST", "/api/me/renew", { everywhere } satisfies s.RenewToken),
  addDevice: () => request<s.Device>("POST", "/api/me/devices"),
  claimDevice: (code: string) => request<void>("POST", "/api/me/devices/claim", { code } satisfies s.ClaimDevice),
  levels: () => request<s.LevelMatch[]>("GET", "/api/me/levels"),
  pushKey: () => request<s.PushKey>("GET", "/api/me/devices/push"),
  addPush: (device: s.PushDevice) => request<void>("PUT", "/api/me/devices/push", device),
  endPush: (endpoint: string) =>
    request<void>("POST", "/api/me/devices/push/end", { endpoint } satisfies s.PushAddress),
  tryPush: (endpoint: string) =>
    request<s.PushTried>("POST", "/api/me/devices/push/try", { endpoint } satisfies s.PushAddress),
  lobby: () => request<s.LobbyRoom[]>("GET", "/api/rooms"),
  open: openRoom,
  look: (id: string) => request<s.Update>("GET", room(id)),
  command: (id: string, command: object) =>
    request<s.Accepted | s.Checked | s.Hinted>("POST", `${room(id)}/commands`, command),
  updates: (id: string, version: number | null) =>
    request<s.Update>("GET", `${room(id)}/updates${version === null ? "" : `?version=${version}`}`),
  position: (asked: s.AskPosition) => request<s.Position>("POST", "/api/positions", asked),
  checkPosition: (asked: s.AskPosition) => request<s.Checked>("POST", "/api/positions/check", asked),
  replay: (id: string, number: number, memory: boolean) =>
    request<s.Replay>("GET", `${room(id)}/games/${number}/replay?memory=${memory}`),
  review: (id: string, number: number) =>
    request<s.Review | s.ReviewProgress>("GET", `${room(id)}/games/${number}/review`),
  leaderboard: (game: string) => request<s.Leaderboard>("GET", `/api/leaderboard/${game}`),
}

/** The rules of a game, as Markdown. */
export const rulesPath = (game: string) => `/api/games/${game}/rules?language=${language()}`
/** How the table of a game looks at the start. */
export const picturePath = (game: string) => `/api/games/${game}/picture.svg`
/** The picture of the invitation to a room. */
export const qr = (id: string) => `${room(id)}/qr.svg`
/** The record of a finished game. */
export const recordPath = (id: string, number: number) => `${room(id)}/games/${number}/record`

/** What an error says to a person. */
export function messageOf(error: unknown, otherwise: string): string {
  if (!(error instanceof Refusal) || !error.message) return otherwise
  const { message } = error
  return message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?…]$/.test(message) ? "" : ".")
}
