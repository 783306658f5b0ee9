/** What can be played here and against whom, as the server tells it. */
import { api } from "../net/api"
import type { GameInfo, Language, RoomState, LevelMatch, SeatPlan } from "../net/types"
import { settings } from "../settings.svelte"
import { figure, language, t } from "../words/words.svelte"
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

/** What chance brought in a game, as people call it there. */
export const outcomeName = (id: string, outcome: string): string | undefined => gameInfo(id)?.outcomes[outcome]

export function gameInfo(id: string): GameInfo | undefined {
  return known?.games.find((game) => game.id === id)
}

/** What is played, in the game's words: of what comes in kinds, as editions do, always which; of switches those that were
 * set otherwise than usual. */
export const playedAs = ({ game, options }: Pick<RoomState, "game" | "options">): string[] =>
  (gameInfo(game)?.options ?? [])
    .map((option) => ({ ...option, value: options[option.name] ?? option.default }))
    .filter(({ label, choices, value, default: usual }) => {
      return label && choices.length > 1 && (typeof value === "string" || value !== usual)
    })
    .map(({ choices, value }) => choices.find((choice) => choice.value === value)?.label ?? "")

/** So many points in words: where the lowest score wins they are penalties. */
export const pointsIn = (game: string, count: number): string =>
  gameInfo(game)?.low_wins ? t("page.penalty-points-counted", { count }) : t("page.points-counted", { count })

/** What stands above a column of points. */
export const pointsHead = (game: string): string =>
  gameInfo(game)?.low_wins ? t("page.penalty-points") : t("page.points")

/** A computer player's name for people. */
export function playerName(game: string, id: string): string {
  return gameInfo(game)?.players.find((player) => player.id === id)?.name ?? id
}

/** In place of a computer player: the level of one's own strength. */
export const MINE = "mine"
let matches = $state.raw<LevelMatch[]>([])

/** Asks which levels are of one's own strength, by one's own results. */
export async function learnLevels(): Promise<void> {
  matches = await api.levels()
}

/** The level of one's own strength in a game, once it is known. */
export const matchOf = (game: string): LevelMatch | undefined => matches.find((match) => match.game === game)

/** Which level was picked, and why. */
export function whyMatched(game: string): string {
  const match = matchOf(game)
  if (!match) return ""
  const player = playerName(game, match.player)
  return match.games
    ? t("page.matched-by-results", {
        player,
        won: figure(match.won, match.won % 1 ? 1 : 0),
        last: match.last,
      })
    : t("page.matched-to-begin-with", { player })
}

const MIDDLING_LEVEL = 3

/** The computer player that was chosen last in this game, or one of middling strength, or the first that it has. */
export function favourite(game: GameId): SeatPlan {
  const players = gameInfo(game)?.players ?? []
  const wanted = settings.opponents[game] === MINE ? matchOf(game)?.player : settings.opponents[game]
  const chosen = players.find((player) => player.id === wanted)
  const player = chosen ?? players.find((player) => player.level === MIDDLING_LEVEL) ?? players[0]
  return player ? { kind: "engine", player: player.id } : { kind: "engine" }
}
