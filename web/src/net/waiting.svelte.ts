/** The tables of this person, asked for now and then: it may be their turn at one that they do not look at. */
import { here, roomNamed } from "../router.svelte"
import { t } from "../words/words.svelte"
import { api, newId } from "./api"
import type { Leave, MyRoom } from "./types"

const POLL_INTERVAL_MS = 10_000
const KEY = "sobremesa-put-away"
const MAX_AWAY = 100

let rooms = $state.raw<MyRoom[]>([])
/** The tables that were put away in this browser, until one comes to them again: the host of a crowd has no seat to give up. */
let away = $state.raw<readonly string[]>(stored())

function stored(): string[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]") as string[]
  } catch {
    return []
  }
}

function keepAway(ids: readonly string[]): void {
  away = ids.slice(-MAX_AWAY)
  try {
    localStorage.setItem(KEY, JSON.stringify(away))
  } catch {
    // A browser that keeps nothing: they are away as long as the page is open.
  }
}

/** Somebody has come to a table: it is listed again. */
export function takeUp(id: string): void {
  if (away.includes(id)) keepAway(away.filter((other) => other !== id))
}

/** Who waits comes first: people before computers, and of them whose time is up first. */
const urgency = ({ your_turn, others, deadline }: MyRoom): number[] => [
  your_turn && others ? 0 : your_turn ? 1 : others ? 2 : 3,
  your_turn ? (deadline ?? Infinity) : 0,
]

/** All tables of this person where a game goes on or is about to, those that wait for this person first. */
export function tables(): MyRoom[] {
  return rooms
    .filter(({ id, over, yours }) => yours && !over && !away.includes(id))
    .map((room) => ({ room, urgency: urgency(room) }))
    .sort(({ urgency: [a, b] }, { urgency: [c, d] }) => a! - c! || (b === d ? 0 : b! - d!))
    .map(({ room }) => room)
}

/** Gives up one's seats at a table, which is listed no more. */
export async function putAway({ id }: MyRoom): Promise<void> {
  const { room } = await api.look(id)
  const seats = Object.keys(room.seats).map(Number)
  for (const seat of seats.filter((seat) => room.seats[seat]!.yours)) {
    await api.command(id, { type: "leave", seat, id: newId() } satisfies Leave)
  }
  keepAway([...away, id])
}

/** Whether this table is not the one that is shown. */
const isElsewhere = ({ id }: MyRoom): boolean => roomNamed(/^\/r\/([\w-]+)$/.exec(here.path)?.[1] ?? "") !== id

/** The tables where people wait for this person, but for the one that is shown; a computer can wait for ever. */
export const waiting = (): MyRoom[] => tables().filter((room) => room.your_turn && room.others && isElsewhere(room))

/** The server has told which tables this person has. */
export function noteTables(mine: MyRoom[]): void {
  rooms = mine
}

export async function lookAround(): Promise<void> {
  if (!navigator.onLine) return
  try {
    noteTables((await api.me()).rooms)
  } catch {
    // The next look may find more.
  }
}

/** Whether it may become this person's turn somewhere out of sight: in a crowd nobody has to ask for that. */
const elsewhere = (): boolean => tables().some(isElsewhere)

/** Looks now and then, as long as the page is open; gives what stops it. */
export function keepLooking(): () => void {
  const look = () => elsewhere() && void lookAround()
  const timer = setInterval(look, POLL_INTERVAL_MS)
  const back = () => document.visibilityState === "visible" && look()
  document.addEventListener("visibilitychange", back)
  return () => {
    clearInterval(timer)
    document.removeEventListener("visibilitychange", back)
  }
}

/** How many tables wait, in words; empty if none does. */
export function waitingText(): string {
  const count = waiting().length
  return count === 0 ? "" : count === 1 ? t("page.1-table-waits-for-you") : t("page.tables-wait-for-you", { count })
}

/** The tab tells it, too, whatever its screen calls itself. */
export function titleTells(): () => void {
  const mark = () => {
    const count = waiting().length
    const plain = document.title.replace(/^\(\d+\) /, "")
    const wanted = count ? `(${count}) ${plain}` : plain
    if (document.title !== wanted) document.title = wanted
  }
  mark()
  const observer = new MutationObserver(mark)
  observer.observe(document.head, { childList: true, subtree: true, characterData: true })
  return () => observer.disconnect()
}
