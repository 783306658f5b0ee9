/** Who sits where, in words. */
import { playerName } from "../games/info.svelte"
import type { RoomState, SeatInfo } from "../net/types"
import { t } from "../words/words.svelte"

/** What people are called who have given no name, in every language of the page. */
const GUESTS = new Set(["Guest", "Invitado", "Invité", "Gast"])

/** A person's name; who has none is a guest, or the host, in the language of whoever reads it. */
export const personName = (name: string): string =>
  GUESTS.has(name) ? t("page.guest") : name === "Host" ? t("page.host") : name

export function seatName(room: RoomState, info: SeatInfo | undefined): string {
  switch (info?.kind) {
    case "person":
      return personName(info.name)
    case "engine":
      return playerName(room.game, info.name)
    case "gone":
      return t("page.empty-seat")
    default:
      return t("page.open-seat")
  }
}

/** Who sits at a table, in a line. */
export const playerNames = (game: string, names: string[]): string =>
  names
    .filter(Boolean)
    .map((name) => playerName(game, personName(name)))
    .join(", ")

/** The seats of people who are not connected now. */
export const awayOf = ({ seats }: RoomState): Set<number> =>
  new Set(
    Object.keys(seats)
      .map(Number)
      .filter((seat) => seats[seat]?.kind === "person" && !seats[seat].here),
  )

/** Names by seat; in a crowd only of those that are shown. Equal ones are numbered. */
export function namesOf(room: RoomState): string[] {
  const names: string[] = []
  const times = new Map<string, number>()
  for (const [seat, info] of Object.entries(room.seats)) {
    const name = seatName(room, info)
    const before = times.get(name) ?? 0
    times.set(name, before + 1)
    names[Number(seat)] = before && info.kind !== "open" && info.kind !== "gone" ? `${name} ${before + 1}` : name
  }
  return names
}
