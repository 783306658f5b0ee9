/** Rooms and steps as a server would tell them. */
import type { IsisOsirisView, RoomState, Step, Update } from "$page/net/types"

export function roomState(changes: Partial<RoomState> = {}): RoomState {
  return {
    id: "r1",
    game: "isis-osiris",
    language: "en",
    options: { seats: 2 },
    crowd: false,
    public: false,
    chat: true,
    hints: true,
    rated: false,
    lost: [],
    helped: {},
    ready: null,
    clock: 0,
    games: 1,
    number: 1,
    playing: true,
    over: false,
    result: null,
    seats_total: 2,
    seats_taken: 2,
    seats_here: 2,
    seats: {
      0: { kind: "person", name: "Ana", yours: true, here: true },
      1: { kind: "person", name: "Bob", yours: false, here: true },
    },
    host: true,
    host_name: "Ana",
    last_moves: [],
    missed: null,
    origin: null,
    paused: false,
    offer: null,
    may: [],
    end: null,
    next_starter: 1,
    series: null,
    uneven: false,
    promises: [],
    drawing: null,
    deadline: null,
    now: 1000,
    ...changes,
  }
}

/** Isis & Osiris for two, with what lies on some cells: `{ c3: "A", d3: "?" }`. */
export function isisView(cells: Record<string, string> = {}, changes: Partial<IsisOsirisView> = {}): IsisOsirisView {
  const names = Array.from({ length: 36 }, (_, cell) => "abcdef"[cell % 6]! + (Math.floor(cell / 6) + 1))
  return {
    game: "isis-osiris",
    seat: 0,
    options: { edition: "standard", seats: 2, variant: "own", memory_aid: false, starter: 0 },
    deciding: [0],
    turn: 0,
    turning: false,
    turned: null,
    cells: names.map((name) => cells[name] ?? "."),
    stones_left: [9, 9],
    tiles_left: [11, 11],
    scores: null,
    places: null,
    ...changes,
  }
}

export function step(version: number, changes: Partial<Step> = {}): Step {
  return {
    version,
    seat: null,
    move: null,
    rolled: null,
    draw: null,
    back: null,
    views: [isisView()],
    position: null,
    ...changes,
  }
}

export function updateOf(version: number, changes: Partial<Update> = {}): Update {
  return { type: "update", version, reset: false, room: roomState(), steps: [], talk: [], legal: {}, ...changes }
}

/** The answer to a join. */
export const snapshot = (version: number, changes: Partial<Update> = {}): Update =>
  updateOf(version, { reset: true, steps: [step(version)], ...changes })
