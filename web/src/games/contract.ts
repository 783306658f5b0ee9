/** What each game brings to the page. The rooms, replays and tutorials around it know no game.
 *
 * A game's part of the page lies in its own folder, `src/sobremesa/games/GAME/page`, and is found there: `page.ts` exports
 * `page`, a `GamePage`; and where there is one, `Card.svelte` is its picture on the first screen, `lesson.ts` exports
 * `lesson`, `screens.ts` exports `screens` and `links`. A game without any of this is shown by the picture that its rules draw.
 */
import type { Component } from "svelte"
import type { After, AnyView, MissedMoves, Step } from "../net/types"
import type { Visit } from "../net/visit.svelte"
import type { IconName } from "../parts/Icon.svelte"
import type { SeatMove } from "./steps"

/** A game's table: the board, one's own pieces, and everything needed to move. */
export interface TableProps {
  /** What has happened in this game, as far as it was told, oldest first; there is always one. The table shows what is
   * so after the last step, and takes new ones one after another. Versions go up. */
  steps: Step[]
  /** Whose view is shown; null for a spectator's. */
  seat: number | null
  /** The legal moves of `seat`; empty when it has nothing to decide, and for spectators and replays. */
  legal: string[]
  /** Names by seat. */
  names: string[]
  /** Makes a move; resolves when the server has it, rejects with a `Refusal` whose message is for people. */
  play: (move: string) => Promise<void>
  /** Why a move is not possible now, as a sentence; null if it is. */
  why?: (move: string) => Promise<string | null>
  /** What a move would lead to, before it is made; null where that cannot be told. */
  preview?: (move: string) => Promise<After | null>
  /** Shown at rest: a replay or a picture. No tumbling dice, no pauses, no counting at the end. */
  still?: boolean
  /** The last move of each seat, oldest first, where it may be known; also after a reload. Not told in a replay. */
  last?: SeatMove[]
  /** Moves to draw attention to: a hint, or the next step of a tutorial. */
  marked?: string[]
  /** The seats of people who are not connected now. */
  away?: ReadonlySet<number>
}

export interface SeatNoteProps<V = AnyView> {
  view: V
  seat: number
  /** Whether who sits there is connected. */
  here?: boolean
}

export interface GamePage {
  Table: Component<TableProps>
  /** A seat's colour and sign, if the game has its own. */
  Mark?: Component<{ seat: number; size?: number }>
  /** What lies beside a player's name and points: tiles left, stones. */
  // Each game's note takes the views of that game; only the game itself knows which those are.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  SeatNote?: Component<SeatNoteProps<any>>
  /** A move in words, for ears and for the list of moves: “tile L on e9, e10, f10”. */
  tell: (move: string) => string
  /** A move as a small picture, where words would be a list of cells. */
  Move?: Component<{ move: string; seat: number }>
  /** So many points in words, where they are called something else: “3 squares”. */
  amount?: (points: number) => string
  /** What it is about, in one line, for who plays it for the first time. */
  aim?: () => string
  /** What a step brought besides the move itself, in words, as `seat` is told: a roll, a tile turned over, the end. */
  news: (step: Step, names: string[], seat: number | null) => string
  /** Points by seat as they stand, if they may be known. */
  scores: (view: AnyView) => number[] | null
  /** What is counted, in a word that follows the figure: “68 left”; where that is not just points. */
  unit?: () => string
  /** The seats that a large table tells of, who leads first. */
  ranking?: (view: AnyView) => number[]
  /** The table as a seat has it before itself, where seats have something of their own; null where all see the same. */
  perspective?: (view: AnyView, seat: number) => AnyView | null
  /** A crowd's table on the wall. */
  Projector?: Component<{ id: string; visit: Visit }>
  /** Whether the table has come to the end of its count, if it counts piece by piece when a game is over. */
  counted?: (view: AnyView) => boolean
  /** Why equal points were not an equal place, as a sentence; null if that did not happen. */
  tie?: (view: AnyView, names: string[]) => string | null
  /** What is said of those who were not in time: to somebody who has these seats and was not either, where their own
   * move went; to anybody else, or with no seats, who they were. Without it the room tells them what was played. */
  missed?: (missed: MissedMoves, seats: readonly number[]) => string
  /** What a seat that has to decide now has to do, for who has just come in and listens. */
  task?: (view: AnyView) => string
  /** Keys, and what they do at this table. */
  keys?: () => [string, string][]
  /** Whether all decide at once, so that it does not matter who starts. */
  together?: boolean
  /** What a person may choose for this game among the settings; kept in `settings.wishes` by key. */
  wishes?: { key: string; text: () => string }[]
}

/** A screen of a game's own. */
export interface GameScreen {
  /** Its address; named groups are handed to it. */
  path: RegExp
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  load: () => Promise<{ default: Component<any> }>
}

/** A way to such a screen. */
export interface GameLink {
  href: string
  icon: IconName
  text: string
  /** Where it is offered: on the game's card, or below its rules. */
  at: "card" | "rules"
}

export type GameId = string
export { gameName, GAMES, loadGame } from "./registry.svelte"
