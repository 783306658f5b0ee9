/** The piece in the hand: which, how it is turned, where it is gripped, and where it would lie. */
import { heldKey, nameOf, same, shapeOf, sizeOf, squaresOf, orientationsOf, type Ground, type Square } from "./box"

/** A spot on the board, in cells from the bottom left; not only whole ones. */
export type Point = Square

/** How far, in cells, a place where the piece fits draws it in. */
export const SNAP_DISTANCE = 0.8
/** How far, in cells, a piece strays before it leaves its cells. */
const HYSTERESIS = 0.6
/** A fingertip on small cells is less exact than a tile in the air. */
export const TAP_SNAP_DISTANCE = 1.6

export class Hold {
  piece = $state.raw<string | null>(null)
  /** It lies on the board, and waits to be nudged, turned or placed. */
  resting = $state(false)
  origin = $state.raw<Square | null>(null)
  /** How each piece was turned last. */
  orientations: Record<string, number> = $state({})
  /** The spot of the piece under the finger, from the bottom left of its box: it turns around this. */
  grip: Point = { x: 0.5, y: 0.5 }
  #point: Point | null = null
  /** Where a fingertip laid it, and from how far away it was drawn in: turned, it looks for its place from there anew. */
  #laid: { point: Point; snapDistance: number } | null = null
  readonly #places: () => Map<string, Square[]>
  readonly #ground: () => Ground

  /** `places`: where pieces fit, by piece and orientation. */
  constructor(places: () => Map<string, Square[]>, ground: () => Ground) {
    this.#places = places
    this.#ground = ground
  }

  readonly orientation = $derived.by(() => (this.piece === null ? 0 : this.orientationOf(this.piece)))
  readonly squares = $derived.by(() =>
    this.piece === null || this.origin === null
      ? null
      : squaresOf({
          piece: this.piece,
          orientation: this.orientation,
          origin: this.origin,
        }),
  )
  readonly move = $derived.by(() => this.squares?.map(nameOf).join(",") ?? null)
  readonly onBoard = $derived.by(() => this.squares?.every(this.#ground().has) ?? false)

  orientationOf(piece: string): number {
    return this.orientations[piece] ?? 0
  }

  /** The cell under the grip. */
  get cell(): Square | null {
    return (
      this.#point && {
        x: Math.floor(this.#point.x),
        y: Math.floor(this.#point.y),
      }
    )
  }

  /** Picks a piece up by the square that is nearest to a spot of it. */
  take(piece: string, near?: Point): void {
    this.piece = piece
    this.grip = middle(shapeOf(piece, this.orientationOf(piece)), near)
    this.#lift()
  }

  putBack(): void {
    this.piece = null
    this.#lift()
  }

  #lift(): void {
    this.resting = false
    this.#point = null
    this.#laid = null
    this.origin = null
  }

  /** The spot of the board under the grip. */
  get point(): Point | null {
    return this.#point
  }

  /** Follows the hand; null when that is not over the board. */
  over(point: Point | null, snapDistance = SNAP_DISTANCE): void {
    this.#point = point
    this.#laid = null
    const origin = point && this.#snap({ x: point.x - this.grip.x, y: point.y - this.grip.y }, snapDistance)
    if (!same(origin, this.origin)) this.origin = origin
  }

  /** Lays it down where it hovers, gripped by one of its squares from now on. */
  rest(snapDistance = 0): void {
    if (!this.origin || this.piece === null) return
    this.resting = true
    this.grip = middle(shapeOf(this.piece, this.orientation))
    this.#point = { x: this.origin.x + this.grip.x, y: this.origin.y + this.grip.y }
    this.#laid = snapDistance ? { point: this.#point, snapDistance } : null
  }

  /** Lays it down on a cell, or where it fits near there; wherever it lay before. */
  lay(cell: Square, snapDistance = 0): void {
    this.#layAt({ x: cell.x + 0.5, y: cell.y + 0.5 }, snapDistance)
  }

  #layAt(point: Point, snapDistance: number): void {
    if (this.piece === null) return
    this.grip = middle(shapeOf(this.piece, this.orientation))
    this.origin = null
    this.over(point, snapDistance)
    this.rest()
    this.#laid = snapDistance ? { point, snapDistance } : null
  }

  /** Lays it down at a certain place in a certain orientation. */
  set(orientation: number, origin: Square): void {
    if (this.piece === null) return
    this.orientations[this.piece] = orientation
    this.origin = origin
    this.rest()
  }

  turn(piece = this.piece): void {
    this.#change(piece, "turned", ({ x, y }, width) => ({
      x: y,
      y: width - x,
    }))
  }

  flip(piece = this.piece): void {
    this.#change(piece, "flipped", ({ x, y }, width) => ({ x: width - x, y }))
  }

  #change(piece: string | null, to: "turned" | "flipped", moved: (grip: Point, width: number) => Point): void {
    if (piece === null) return
    const orientation = this.orientationOf(piece)
    if (piece === this.piece) this.grip = moved(this.grip, sizeOf(shapeOf(piece, orientation)).width)
    this.orientations[piece] = orientationsOf(piece)[orientation]![to]
    if (piece !== this.piece) return
    if (this.resting && this.#laid) this.#layAt(this.#laid.point, this.#laid.snapDistance)
    else this.over(this.#point, this.resting ? 0 : SNAP_DISTANCE)
  }

  /** The nearest place where it fits, if that is near; otherwise the nearest cells. A trembling hand changes nothing. */
  #snap(at: Point, snapDistance: number): Square {
    const now = this.origin
    if (snapDistance && now && Math.max(Math.abs(now.x - at.x), Math.abs(now.y - at.y)) < HYSTERESIS) return now
    let best = snapDistance
    let found: Square | null = null
    for (const place of this.#places().get(heldKey(this.piece, this.orientation)) ?? []) {
      const away = Math.hypot(place.x - at.x, place.y - at.y)
      if (away < best) [best, found] = [away, place]
    }
    return found ?? { x: Math.round(at.x), y: Math.round(at.y) }
  }
}

/** The middle of the square that is nearest to a spot of a piece; if none is given, to its own middle. */
function middle(shape: Square[], near?: Point): Point {
  const { width, height } = sizeOf(shape)
  const { x: nearX, y: nearY } = near ?? { x: width / 2, y: height / 2 }
  const away = ({ x, y }: Square) => Math.hypot(x + 0.5 - nearX, y + 0.5 - nearY)
  const { x, y } = shape.reduce((best, square) => (away(square) < away(best) ? square : best))
  return { x: x + 0.5, y: y + 0.5 }
}
