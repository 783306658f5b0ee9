/** What can be played here and against whom, as the server tells it. */
import { api } from "../net/api"
import type { GameInfo, Language, SeatPlan } from "../net/types"
import { settings } from "../settings.svelte"
import { language } from "../words/words.svelte"
import type { GameId } from "./contract"
import { addGames } from "./registry.svelte"

let known = $state.raw<{ language: Language; games: GameInfo[] } | null>(null)
let asking: Promise<void> | null = null

/** Fetches the games, once for each language. */
export function learnGames(): Promise<void> {
  if (known?.language === language()) return Promise.resolve()
  const asked = language()
  asking ??= api
    .games()
    .then((games) => {
      addGames(games)
      known = { language: asked, games }
    })
    .finally(() => (asking = null))
  return asking
}

/** The games that can be played here. */
export const gamesHere = (): GameInfo[] => known?.games ?? []

export function gameInfo(id: string): GameInfo | undefined {
  return known?.games.find((game) => game.id === id)
}

/** A computer player's name for people. */
export function playerName(game: string, id: string): string {
  return gameInfo(game)?.players.find((player) => player.id === id)?.name ?? id
}

/** Who sits at a table, in a line. */
export function playerNames(game: string, names: string[]): string {
  return names
    .filter(Boolean)
    .map((name) => playerName(game, name))
    .join(", ")
}

/** The computer player that was chosen last in this game, or one of middling strength. */
export function favourite(game: GameId): SeatPlan {
  const players = gameInfo(game)?.players ?? []
  const chosen = players.find((player) => player.id === settings.opponents[game])
  const player = chosen ?? players.find((player) => player.level === 3) ?? players.at(-1)
  return player ? { kind: "engine", player: player.id } : { kind: "engine" }
}
