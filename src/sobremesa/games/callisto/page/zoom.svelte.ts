/** A closer look at the board: two fingers draw it nearer, as on a map; one moves it, if the hand is empty. */

/** A spot, in parts of what is shown: 0, 0 is its top left, 1, 1 its bottom right. */
export interface Spot {
  x: number
  y: number
}

/** The part of the board that is shown, in parts of the whole. */
export interface Shown {
  left: number
  top: number
  /** 1 is the whole board. */
  size: number
}

const MAX_SCALE = 4
/** Nearer to the whole than this is the whole. */
const ALMOST_WHOLE = 0.96
const WHOLE: Shown = { left: 0, top: 0, size: 1 }

const limited = (value: number, most: number) => Math.min(Math.max(value, 0), most)

/** Two fingers went from one place to another: what was between them still is, and as much nearer as they went apart. */
export function pinched(shown: Shown, from: readonly [Spot, Spot], to: readonly [Spot, Spot]): Shown {
  const between = ([a, b]: readonly [Spot, Spot]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })
  const apart = ([a, b]: readonly [Spot, Spot]) => Math.max(Math.hypot(a.x - b.x, a.y - b.y), 0.01)
  const size = Math.min(1, Math.max(1 / MAX_SCALE, (shown.size * apart(from)) / apart(to)))
  const [start, end] = [between(from), between(to)]
  return {
    size,
    left: limited(shown.left + start.x * shown.size - end.x * size, 1 - size),
    top: limited(shown.top + start.y * shown.size - end.y * size, 1 - size),
  }
}

export class Zoom {
  shown = $state.raw<Shown>(WHOLE)
  readonly near = $derived.by(() => this.shown.size < 1)
  #from: { shown: Shown; spots: Spot[] } | null = null

  /** `mayMove`: whether one finger moves the board. */
  constructor(readonly mayMove: () => boolean) {}

  showAll(): void {
    this.shown = WHOLE
    this.#from = null
  }

  /** Listens to fingers on what holds the board; gives what stops it. */
  attach(node: HTMLElement): () => void {
    const begin = (event: TouchEvent) => {
      const spots = spotsOf(node, event)
      this.#from = spots.length === 2 || (spots.length === 1 && this.near) ? { shown: this.shown, spots } : null
      if (spots.length === 2) event.preventDefault()
    }
    const move = (event: TouchEvent) => {
      const from = this.#from
      const spots = spotsOf(node, event)
      if (!from || from.spots.length !== spots.length) return
      const [a, b = a] = from.spots as [Spot, Spot?]
      const [c, d = c] = spots as [Spot, Spot?]
      if (spots.length === 1 && !this.mayMove()) return
      event.preventDefault()
      this.shown = pinched(from.shown, [a, b], [c, d])
    }
    const end = (event: TouchEvent) => {
      if (this.near && this.shown.size > ALMOST_WHOLE) this.showAll()
      begin(event)
    }
    node.addEventListener("touchstart", begin, { passive: false })
    node.addEventListener("touchmove", move, { passive: false })
    node.addEventListener("touchend", end)
    node.addEventListener("touchcancel", end)
    return () => {
      node.removeEventListener("touchstart", begin)
      node.removeEventListener("touchmove", move)
      node.removeEventListener("touchend", end)
      node.removeEventListener("touchcancel", end)
    }
  }
}

/** Where fingers are on the board, which is as large as fits, and in the middle. */
function spotsOf(node: HTMLElement, { touches }: TouchEvent): Spot[] {
  const room = node.getBoundingClientRect()
  const side = Math.min(room.width, room.height)
  const [left, top] = [room.left + (room.width - side) / 2, room.top + (room.height - side) / 2]
  return [...touches].map(({ clientX, clientY }) => ({ x: (clientX - left) / side, y: (clientY - top) / side }))
}
