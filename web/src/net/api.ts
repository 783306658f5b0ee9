/** HTTP: everything that is not said on a room's socket. */
import { language } from "../words/words.svelte"
import type * as s from "./types"

/** A refusal in words for people; `reason` is for programs. */
export class Refusal extends Error {
  constructor(
    readonly reason: string,
    text: string,
    readonly rule: string | null = null,
  ) {
    super(text)
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
  const told = await answer.json().catch(() => null)
  if (answer.ok && told !== null) return told as T
  throw told?.type === "refused" ? new Refusal(told.reason, told.text, told.rule) : new Unreachable()
}

const room = (id: string) => `/api/rooms/${encodeURIComponent(id)}`

export const api = {
  games: () => request<s.GameInfo[]>("GET", `/api/games?language=${language()}`),
  me: () => request<s.Me>("GET", "/api/me"),
  rename: (name: string) => request<s.Me>("PUT", "/api/me", { name } satisfies s.NewName),
  forget: () => request<void>("DELETE", "/api/me"),
  lobby: () => request<s.LobbyRoom[]>("GET", "/api/rooms"),
  open: (setup: s.NewRoom) => request<s.Created>("POST", "/api/rooms", setup),
  command: (id: string, command: object) => request<s.Accepted>("POST", `${room(id)}/commands`, command),
  updates: (id: string, version: number | null) =>
    request<s.Update>("GET", `${room(id)}/updates${version === null ? "" : `?version=${version}`}`),
  judge: (id: string, seat: number, move: string) => request<s.Judgement>("POST", `${room(id)}/judge`, { seat, move }),
  hurry: (id: string) => request<void>("POST", `${room(id)}/hurry`),
  hint: (id: string, seat: number) => request<s.Hint>("POST", `${room(id)}/hint`, { seat }),
  position: (asked: s.AskPosition) => request<s.Position>("POST", "/api/positions", asked),
  judgePosition: (asked: s.AskPosition) => request<s.Judgement>("POST", "/api/positions/judge", asked),
  replay: (id: string, number: number, memory: boolean) =>
    request<s.Replay>("GET", `${room(id)}/games/${number}/replay?memory=${memory}`),
  review: (id: string, number: number) =>
    request<s.Review | s.ReviewProgress>("GET", `${room(id)}/games/${number}/review`),
  leaderboard: (game: string) => request<s.Leaderboard>("GET", `/api/leaderboard/${game}`),
  daily: () => request<s.DailyStatus>("GET", "/api/daily"),
  writeDaily: (write: s.WriteDaily) => request<s.DailyStatus>("POST", "/api/daily", write),
  dailyRanking: (date: string) => request<s.DailyRanking>("GET", `/api/daily/${date}/ranking`),
  dailyReview: (date: string) => request<s.DailyReview>("GET", `/api/daily/${date}/review`),
  dailyProof: (date: string) => request<s.DailyProof>("GET", `/api/daily/${date}/proof`),
}

/** The picture of the invitation to a room. */
export const qr = (id: string) => `${room(id)}/qr.svg`
/** The record of a finished game. */
export const recordPath = (id: string, number: number) => `${room(id)}/games/${number}/record`

/** What an error says to a person. */
export function saying(error: unknown, otherwise: string): string {
  return error instanceof Refusal && error.message ? error.message : otherwise
}
