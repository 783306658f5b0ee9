/** Shows what happened in order and in time: a queue of steps, each of which waits until the one before has been seen.
 *
 * A tile that was turned over is shown to everybody, however fast the next moves come (I2, I3).
 */
import type { Step } from "$page/net/types"
import { play } from "$page/sound"
import { actionOf, boardOf, isTile, stoneAt, worth, type Action, type View } from "./board"

/** Where the turned tile lies face up: large over the board, at hand beside it, or on a cell. */
export type Place = "large" | "hand" | number

export interface Turned {
  value: number
  seat: number
  place: Place
  up: boolean
}

/** The count at the end, stone by stone (I7). */
export interface Count {
  totals: number[]
  /** The stone that is being counted, and what it is worth; null between two seats and at the end. */
  stone: { seat: number; cell: number; worth: number } | null
  done: boolean
}

/** A step as it is to be shown, from the seat that looks on. */
export interface Shown {
  /** Null if nothing happened, but the table is seen by another seat now. */
  step: Step | null
  view: View
  /** Others before it were not told: the connection was down. */
  missed?: boolean
}

/** How often a pause looks whether it may end. */
const POLL_MS = 50
/** Milliseconds: at leisure, and when more is waiting to be shown. */
const TURNED_BY_OTHERS_MS = { slow: 2000, quick: 1000 }
const TURNED_BY_ONESELF_MS = { slow: 1200, quick: 1000 }
const LAID_MS = { slow: 1200, quick: 400 }
const STONE_MS = { slow: 350, quick: 150 }
const FLIP_MS = 320
const REVEAL_MS = 1400
const COUNT_STONE_MS = 720
const COUNT_SEAT_MS = 500
/** As many steps as may wait before we hurry: a tile's turning and its laying come in twos. */
const MAX_UNHURRIED_STEPS = 2

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export class Showing {
  /** The table as it is shown now. */
  view: View = $state.raw()!
  tile = $state.raw<Turned | null>(null)
  /** The cell that was filled last. */
  fresh = $state<number | null>(null)
  count = $state.raw<Count | null>(null)
  /** A tile lies open for a moment that can be prolonged. */
  looking = $state(false)
  held = $state(false)
  /** All that has come in is on the table. */
  settled = $state(true)

  /** The table before the count, for those who must not run ahead of it. */
  get uncounted(): View {
    return { ...this.view, scores: null, places: null }
  }

  /** The stones are being counted now. */
  get counting(): boolean {
    return this.count !== null && !this.count.done
  }

  #waiting: Shown[] = []
  #running = false
  #closed = false
  #enough = false
  #skipped = false

  /** `fly` changes where the tile lies and resolves when it has arrived there. */
  constructor(
    first: Shown,
    private readonly fly: (change: () => void) => Promise<void>,
    private readonly counted: (view: View, seat: number, total: number) => void,
  ) {
    this.#lookFirst(first)
  }

  take(come: readonly Shown[]): void {
    if (!come.length) return
    this.#waiting.push(...come)
    this.settled = false
    if (!this.#running) void this.#run()
  }

  /** Everybody may look longer, for themselves. */
  hold(): void {
    if (this.looking) this.held = true
  }

  goOn(): void {
    this.held = false
    this.#enough = true
  }

  /** Straight to the totals. */
  showResult(): void {
    this.#skipped = true
  }

  countAgain(): void {
    if (!this.#running && this.view.scores) void this.#score(this.view)
  }

  close(): void {
    this.#closed = true
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let next = this.#waiting.shift(); next && !this.#closed; next = this.#waiting.shift()) {
      await this.#show(next)
    }
    this.#running = false
  }

  async #show({ step, view, missed }: Shown): Promise<void> {
    if (missed) this.tile = null
    const action: Action = step ? actionOf(step, view) : { kind: "none" }
    // The last piece is laid before the tiles are shown.
    const over = view.scores !== null && action.kind !== "none"
    const table = over ? covered(view) : view
    switch (action.kind) {
      case "none":
        this.#put(table)
        break
      case "stone":
        this.#put(table)
        this.tile = null
        this.fresh = action.cell
        play("stone")
        await this.#wait(STONE_MS)
        break
      case "turned":
        this.#put(table)
        this.fresh = null
        this.tile = {
          value: action.value,
          seat: action.seat,
          place: "large",
          up: true,
        }
        play("wood")
        await this.#look(view.seat === action.seat ? TURNED_BY_ONESELF_MS : TURNED_BY_OTHERS_MS)
        if (!this.#waiting.length) await this.#move("hand")
        break
      case "laid":
        await this.#lay(table, action.cell)
        break
    }
    if (over) await this.#score(view)
  }

  async #lay(table: View, cell: number): Promise<void> {
    const tile = this.tile
    if (!tile) {
      this.#put(table)
      this.fresh = cell
      play("wood")
      return this.#wait(STONE_MS)
    }
    this.looking = true
    await this.fly(() => {
      this.#put(table)
      this.tile = { ...tile, place: cell }
    })
    this.fresh = cell
    play("wood")
    await this.#look(LAID_MS)
    this.looking = false
    if (!table.options.memory_aid) {
      this.tile = { ...tile, place: cell, up: false }
      await delay(FLIP_MS)
    }
    this.tile = null
  }

  async #move(place: Place): Promise<void> {
    const tile = this.tile
    this.looking = false
    if (tile) await this.fly(() => (this.tile = { ...tile, place }))
  }

  async #score(view: View): Promise<void> {
    this.#skipped = false
    this.settled = false
    this.fresh = null
    const totals = view.scores!.map(() => 0)
    const show = (stone: Count["stone"]) => (this.count = { totals: [...totals], stone, done: false })
    show(null)
    this.view = view
    play("wood")
    await this.#pass(REVEAL_MS)
    for (const seat of totals.keys()) {
      for (const cell of reading(view)) {
        if (this.#skipped || this.#closed) break
        if (stoneAt(view.cells[cell]) !== seat) continue
        const brings = worth(view, cell)
        totals[seat]! += brings
        show({ seat, cell, worth: brings })
        play("stone")
        await this.#pass(COUNT_STONE_MS)
      }
      show(null)
      this.counted(view, seat, view.scores![seat]!)
      await this.#pass(COUNT_SEAT_MS)
    }
    this.#finish(view)
    play("end")
  }

  #finish(view: View): void {
    this.view = view
    this.count = view.scores ? { totals: view.scores, stone: null, done: true } : null
    this.settled = this.#waiting.length === 0
  }

  /** The first look: everything lies where it is. */
  #lookFirst({ step, view }: Shown): void {
    const action = step && actionOf(step, view)
    this.tile =
      view.turned === null || view.turn === null
        ? null
        : { value: view.turned, seat: view.turn, place: "hand", up: true }
    this.fresh = action && "cell" in action ? action.cell : null
    this.#finish(view)
  }

  #put(view: View): void {
    this.view = view
    if (!view.scores) this.count = null
    this.settled = this.#waiting.length === 0
  }

  #pace(times: { slow: number; quick: number }): number {
    const waiting = this.#waiting.filter(({ step }) => step !== null && step.move !== "T")
    return waiting.length > MAX_UNHURRIED_STEPS ? times.quick : times.slow
  }

  async #wait(times: { slow: number; quick: number }): Promise<void> {
    await delay(this.#pace(times))
  }

  /** A moment for the eyes; it lasts as long as somebody holds it, or looks at another page. */
  async #look(times: { slow: number; quick: number }): Promise<void> {
    this.looking = true
    this.#enough = false
    const began = performance.now()
    while (!this.#closed) {
      const seen = this.#enough || performance.now() - began >= this.#pace(times)
      if (seen && !this.held && !document.hidden) break
      await delay(POLL_MS)
    }
    this.held = false
  }

  /** A moment of the count, which can be skipped. */
  async #pass(ms: number): Promise<void> {
    const end = performance.now() + ms
    while (performance.now() < end && !this.#skipped && !this.#closed) await delay(POLL_MS)
  }
}

/** The full board before the count: its tiles lie face down, unless the memory aid keeps them open. */
function covered(view: View): View {
  const cells = view.options.memory_aid ? view.cells : view.cells.map((mark) => (isTile(mark) ? "?" : mark))
  return { ...view, cells, scores: null, places: null }
}

/** The cells as one reads: from the top left. */
function reading(view: View): number[] {
  const { width, height } = boardOf(view)
  return Array.from({ length: width * height }, (_, i) => (height - 1 - Math.floor(i / width)) * width + (i % width))
}
