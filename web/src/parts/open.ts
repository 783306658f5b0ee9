/** Opens tables. */
import type { GameId } from "../games/contract"
import { MINE, favourite, learnGames, learnLevels } from "../games/info.svelte"
import { api } from "../net/api"
import type { NewRoom } from "../net/types"
import { introduced } from "../net/visit.svelte"
import { go } from "../router.svelte"
import { settings } from "../settings.svelte"
import { language, t } from "../words/words.svelte"

/** Opens a table and goes there. */
export async function openTable(setup: Omit<NewRoom, "language">): Promise<void> {
  // Who we are must be settled first, or the host would be somebody else.
  await introduced()
  const name = settings.name || t("page.guest")
  const created = await api.open({ name, ...setup, language: language() })
  go(created.path)
}

/** One tap: a game against the computer that was chosen last. */
export async function playNow(game: GameId): Promise<void> {
  await learnGames()
  if (settings.opponents[game] === MINE) await learnLevels().catch(() => {})
  await openTable({ game, seats: [{ kind: "me" }, favourite(game)] })
}

/** One tap: a table with a seat for a friend, and the invitation in hand. */
export function inviteFriend(game: GameId): Promise<void> {
  return openTable({ game, seats: [{ kind: "me" }, { kind: "open" }], hints: false })
}
