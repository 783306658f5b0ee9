/** Who sits where, in words. */
import { playerName } from "../games/info.svelte"
import type { RoomState, SeatInfo } from "../net/types"
import { t } from "../words/words.svelte"

export function seatName(room: RoomState, info: SeatInfo | undefined): string {
  switch (info?.kind) {
    case "person":
      return info.name
    case "engine":
      return playerName(room.game, info.name)
    case "gone":
      return t("Empty seat")
    default:
      return t("Open seat")
  }
}

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
