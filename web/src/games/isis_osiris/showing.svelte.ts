/** Shows what happened in order and in time: updates wait here until what came before has been seen.
 *
 * A tile that was turned over is shown to everybody, however fast the next moves come (I2, I3).
 */
import { play } from "../../sound"
import { between, boardOf, isTile, stoneAt, worth, type View } from "./board"

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

const TICK = 50
/** Milliseconds: at leisure, and when more is waiting to be shown. */
const LARGE = { slow: 2000, quick: 1000 }
const OWN = { slow: 1200, quick: 1000 }
const LAID = { slow: 1200, quick: 400 }
const STONE = { slow: 350, quick: 150 }
const FLIP = 320
const REVEAL = 1400
const PER_STONE = 720
const PER_SEAT = 500
/** As many updates as may wait before we hurry: a tile's turning and its laying come in twos. */
const FEW = 2

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

  #waiting: View[] = []
  #running = false
  #closed = false
  #enough = false
  #skipped = false

  /** `fly` changes where the tile lies and resolves when it has arrived there. */
  constructor(
    first: View,
    private readonly fly: (change: () => void) => Promise<void>,
    private readonly counted: (view: View, seat: number, total: number) => void,
  ) {
    this.#jump(first)
  }

  take(view: View): void {
    if (view === this.view || this.#waiting.at(-1) === view) return
    this.#waiting.push(view)
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

  async #show(next: View): Promise<void> {
    const before = this.view
    const step = between(before, next)
    const over = next.scores !== null && before.scores === null
    // The last piece is laid before the tiles are shown.
    const table = over && step.kind !== "jump" ? covered(next, before) : next
    switch (step.kind) {
      case "same":
        this.#put(table)
        break
      case "jump":
        this.#jump(next)
        return
      case "stone":
        this.#put(table)
        this.tile = null
        this.fresh = step.cell
        play("stone")
        await this.#wait(STONE)
        break
      case "turned":
        this.#put(table)
        this.fresh = null
        this.tile = { value: step.value, seat: step.seat, place: "large", up: true }
        play("wood")
        await this.#look(next.seat === step.seat ? OWN : LARGE)
        if (!this.#waiting.length) await this.#move("hand")
        break
      case "laid":
        await this.#lay(table, step.cell)
        break
    }
    if (over) await this.#score(next)
  }

  async #lay(table: View, cell: number): Promise<void> {
    const tile = this.tile
    if (!tile) {
      this.#put(table)
      this.fresh = cell
      play("wood")
      return this.#wait(STONE)
    }
    this.looking = true
    await this.fly(() => {
      this.#put(table)
      this.tile = { ...tile, place: cell }
    })
    this.fresh = cell
    play("wood")
    await this.#look(LAID)
    this.looking = false
    if (!table.options.memory_aid) {
      this.tile = { ...tile, place: cell, up: false }
      await delay(FLIP)
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
    await this.#pass(REVEAL)
    for (const seat of totals.keys()) {
      for (const cell of reading(view)) {
        if (this.#skipped || this.#closed) break
        if (stoneAt(view.cells[cell]) !== seat) continue
        const brings = worth(view, cell)
        totals[seat]! += brings
        show({ seat, cell, worth: brings })
        play("stone")
        await this.#pass(PER_STONE)
      }
      show(null)
      this.counted(view, seat, view.scores![seat]!)
      await this.#pass(PER_SEAT)
    }
    this.#finish(view)
    play("end")
  }

  #finish(view: View): void {
    this.view = view
    this.count = view.scores ? { totals: view.scores, stone: null, done: true } : null
    this.settled = this.#waiting.length === 0
  }

  #jump(view: View): void {
    this.tile =
      view.turned === null || view.turn === null
        ? null
        : { value: view.turned, seat: view.turn, place: "hand", up: true }
    this.looking = false
    this.fresh = null
    this.#finish(view)
  }

  #put(view: View): void {
    this.view = view
    if (!view.scores) this.count = null
    this.settled = this.#waiting.length === 0
  }

  #pace(times: { slow: number; quick: number }): number {
    return this.#waiting.length > FEW ? times.quick : times.slow
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
      await delay(TICK)
    }
    this.held = false
  }

  /** A moment of the count, which can be skipped. */
  async #pass(ms: number): Promise<void> {
    const end = performance.now() + ms
    while (performance.now() < end && !this.#skipped && !this.#closed) await delay(TICK)
  }
}

/** The full board with its tiles face down as before, so that the last piece can be laid first. */
function covered(view: View, before: View): View {
  const laid = (mark: string) => (isTile(mark) && !view.options.memory_aid ? "?" : mark)
  const cells = before.cells.map((mark, cell) => (mark === "." ? laid(view.cells[cell]!) : mark))
  return { ...view, cells, scores: null, places: null }
}

/** The cells as one reads: from the top left. */
function reading(view: View): number[] {
  const { width, height } = boardOf(view)
  return Array.from({ length: width * height }, (_, i) => (height - 1 - Math.floor(i / width)) * width + (i % width))
}
