/** The tables of this person, asked for now and then: it may be their turn at one that they do not look at. */
import { here, roomNamed } from "../router.svelte"
import { t } from "../words/words.svelte"
import { api } from "./api"
import type { MyRoom } from "./types"

const POLL_INTERVAL_MS = 10_000

let rooms = $state.raw<MyRoom[]>([])

/** All tables where a game goes on or is about to, those that wait for this person first. */
export function tables(): MyRoom[] {
  const open = rooms.filter(({ over }) => !over)
  return [...open.filter(({ your_turn }) => your_turn), ...open.filter(({ your_turn }) => !your_turn)]
}

/** Whether this table is not the one that is shown. */
const isElsewhere = ({ id }: MyRoom): boolean => roomNamed(/^\/r\/([\w-]+)$/.exec(here.path)?.[1] ?? "") !== id

/** The tables that wait for this person, but for the one that is shown. */
export const waiting = (): MyRoom[] => rooms.filter((room) => room.your_turn && !room.over && isElsewhere(room))

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
const elsewhere = (): boolean => rooms.some((room) => !room.over && isElsewhere(room))

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
