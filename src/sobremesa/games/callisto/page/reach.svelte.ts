/** How a mouse or a finger carries the piece. While it moves, only one transform changes; the board is told when the cell does. */
import { sizeOf, shapeOf, type Square } from "./box"
import { TAP_SNAP_DISTANCE, type Hold, type Point } from "./hold.svelte"
import { CELL } from "./stone"

interface Press {
  id: number
  x: number
  y: number
  mouse: boolean
  /** The piece in the tray under the finger; null if the board is. */
  piece: string | null
  /** Whether the piece in hand lay on the board then. */
  resting: boolean
}

/** What the pointers move in, and whom they tell. */
export interface Surroundings {
  root: () => HTMLElement | null
  board: () => SVGSVGElement | null
  /** The piece in the air. */
  carried: () => HTMLElement | null
  rows: () => number
  /** It was let go over the board: clicked there, or dragged. */
  drop: (by: "click" | "drag") => void
  /** A second finger asks for another side. */
  turn: () => void
  flip: () => void
}

/** A hand may tremble this much, in pixels, before it carries. */
const DRAG_THRESHOLD_PX = 6

/** While a finger carries, the page neither scrolls nor zooms, whatever a second finger does. */
const stayStill = (event: TouchEvent) => event.preventDefault()

export class Reach {
  /** Nothing in the air; following a mouse whose button is up; being dragged. */
  mode = $state.raw<"none" | "hover" | "drag">("none")
  /** Whether there is something in the air that can be seen. */
  seen = $state(false)
  /** The side of a cell on the screen, in pixels. */
  cell = $state(24)
  /** Where the last press on the tray took hold of a piece. */
  grip: Point | undefined

  #press: Press | null = null
  #second: Press | null = null
  #at = { x: 0, y: 0 }
  /** How far the grip is from the hand: a piece that lies on the board moves as the hand does, from where it lies. */
  #offset = { x: 0, y: 0 }
  #toBoard: DOMMatrix | null = null
  #room: DOMRect | null = null
  /** A drag has just ended: the click that follows is part of it. */
  #dragged = false

  readonly hold: Hold
  readonly around: Surroundings

  constructor(hold: Hold, around: Surroundings) {
    this.hold = hold
    this.around = around
  }

  /** Whether the click that comes now ends a drag. */
  get dragged(): boolean {
    return this.#dragged
  }

  /** A piece in the tray is touched. */
  pressTile(event: PointerEvent, piece: string): void {
    this.#dragged = false
    if (event.button !== 0 || this.#press) return
    const picture = (event.currentTarget as Element).querySelector("svg")?.getBoundingClientRect()
    const { width, height } = sizeOf(shapeOf(piece, this.hold.orientationOf(piece)))
    const part = (from: number, size: number) => Math.min(0.95, Math.max(0.05, from / size))
    this.grip = picture && {
      x: part(event.clientX - picture.left, picture.width) * width,
      y: (1 - part(event.clientY - picture.top, picture.height)) * height,
    }
    const mouse = event.pointerType === "mouse"
    this.#press = { id: event.pointerId, x: event.clientX, y: event.clientY, mouse, piece, resting: false }
    // A finger would keep its moves on the button; the board wants to know them.
    ;(event.target as Element).releasePointerCapture?.(event.pointerId)
  }

  /** The mouse carries the piece from here on, with its button up. */
  hover(event: MouseEvent | null): void {
    this.mode = "hover"
    this.#offset = { x: 0, y: 0 }
    this.#measure()
    if (event) this.#follow(event)
  }

  stop(): void {
    removeEventListener("touchmove", stayStill)
    this.mode = "none"
    this.seen = false
    this.#press = null
  }

  /** Puts the piece in the air where the hand is; also after it was turned. */
  place(): void {
    const carried = this.around.carried()
    const { piece, orientation, grip } = this.hold
    if (!carried || piece === null || !this.#room) return
    const x = this.#at.x - this.#room.left - grip.x * this.cell
    const y = this.#at.y - this.#room.top - (sizeOf(shapeOf(piece, orientation)).height - grip.y) * this.cell
    carried.style.transform = `translate3d(${x}px, ${y}px, 0)`
  }

  /** Listens; gives what stops it. */
  attach(): () => void {
    const board = this.around.board()
    const anew = () => this.mode !== "none" && this.#measure()
    board?.addEventListener("pointerdown", this.#pressBoard)
    addEventListener("pointerdown", this.#secondFinger, true)
    addEventListener("pointermove", this.#move)
    addEventListener("pointerup", this.#up)
    addEventListener("pointercancel", this.#cancel)
    addEventListener("resize", anew)
    addEventListener("scroll", anew, true)
    return () => {
      board?.removeEventListener("pointerdown", this.#pressBoard)
      removeEventListener("pointerdown", this.#secondFinger, true)
      removeEventListener("pointermove", this.#move)
      removeEventListener("pointerup", this.#up)
      removeEventListener("pointercancel", this.#cancel)
      removeEventListener("touchmove", stayStill)
      removeEventListener("resize", anew)
      removeEventListener("scroll", anew, true)
    }
  }

  #pressBoard = (event: PointerEvent) => {
    if (event.button !== 0 || this.#press || this.hold.piece === null) return
    const mouse = event.pointerType === "mouse"
    const { resting } = this.hold
    this.#press = { id: event.pointerId, x: event.clientX, y: event.clientY, mouse, piece: null, resting }
    if (mouse && this.mode === "none" && !resting) this.hover(event)
    ;(event.target as Element).releasePointerCapture?.(event.pointerId)
  }

  #secondFinger = (event: PointerEvent) => {
    if (!this.#press || event.pointerId === this.#press.id || this.#press.mouse) return
    if (this.mode !== "drag") {
      // Two fingers on the board draw it nearer: the first one was no tap.
      this.#press = null
      return
    }
    event.preventDefault()
    event.stopPropagation()
    this.#second = {
      id: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      mouse: false,
      piece: null,
      resting: false,
    }
  }

  #move = (event: PointerEvent) => {
    const press = this.#press
    if (press?.id === event.pointerId) {
      const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > DRAG_THRESHOLD_PX
      const carries = press.piece !== null || press.resting || !press.mouse
      if (this.mode !== "drag" && far && carries) this.#drag(press)
      if (this.mode === "drag") this.#follow(event)
    }
    if (this.mode === "hover" && event.pointerType === "mouse") this.#follow(event)
  }

  #drag(press: Press): void {
    if (press.piece !== null) this.hold.take(press.piece, this.grip)
    this.mode = "drag"
    addEventListener("touchmove", stayStill, { passive: false })
    this.#measure()
    const lies = this.hold.resting && this.hold.point && this.#onScreen(this.hold.point)
    this.#offset = lies ? { x: lies.x - press.x, y: lies.y - press.y } : { x: 0, y: 0 }
    this.hold.resting = false
  }

  #up = (event: PointerEvent) => {
    if (event.pointerId === this.#second?.id) {
      const { x } = this.#second
      this.#second = null
      if (Math.abs(event.clientX - x) > 24) this.around.flip()
      else this.around.turn()
      return
    }
    const press = this.#press
    if (press?.id !== event.pointerId) return
    this.#press = null
    if (this.mode === "drag") {
      this.#dragged = true
      setTimeout(() => (this.#dragged = false))
      this.stop()
      if (this.hold.origin) this.around.drop("drag")
      else this.hold.putBack()
    } else if (press.piece === null) {
      if (press.mouse && this.mode === "none") this.hover(event)
      if (press.mouse) this.around.drop("click")
      else this.#tap(event)
    }
  }

  #cancel = (event: PointerEvent) => {
    if (event.pointerId === this.#second?.id) this.#second = null
    if (event.pointerId !== this.#press?.id) return
    const carrying = this.mode === "drag"
    const { resting } = this.#press
    this.stop()
    if (carrying && resting) this.hold.rest()
    else if (carrying) this.hold.putBack()
  }

  #tap(event: PointerEvent): void {
    this.#measure()
    const point = this.#pointAt(event.clientX, event.clientY)
    if (point) this.hold.lay({ x: Math.floor(point.x), y: Math.floor(point.y) } satisfies Square, TAP_SNAP_DISTANCE)
  }

  #follow({ clientX, clientY }: MouseEvent): void {
    this.#at = { x: clientX + this.#offset.x, y: clientY + this.#offset.y }
    this.seen = this.mode === "drag" || this.#within(clientX, clientY)
    this.place()
    this.hold.over(this.#pointAt(this.#at.x, this.#at.y))
  }

  #measure(): void {
    const board = this.around.board()
    const matrix = board?.getScreenCTM()
    this.#room = this.around.root()?.getBoundingClientRect() ?? null
    if (!matrix) return
    this.#toBoard = matrix.inverse()
    this.cell = matrix.a * CELL
    this.place()
  }

  #within(x: number, y: number): boolean {
    const room = this.#room
    return !!room && x >= room.left && x <= room.right && y >= room.top && y <= room.bottom
  }

  /** Where a spot of the board is on the screen. */
  #onScreen({ x, y }: Point): { x: number; y: number } | null {
    const matrix = this.#toBoard?.inverse()
    const [left, top] = [x * CELL, (this.around.rows() - y) * CELL]
    return matrix ? { x: matrix.a * left + matrix.e, y: matrix.d * top + matrix.f } : null
  }

  /** The spot of the board under a spot of the screen; null outside. */
  #pointAt(clientX: number, clientY: number): Point | null {
    const matrix = this.#toBoard
    if (!matrix) return null
    const x = (matrix.a * clientX + matrix.c * clientY + matrix.e) / CELL
    const y = this.around.rows() - (matrix.b * clientX + matrix.d * clientY + matrix.f) / CELL
    const rows = this.around.rows()
    return x > -0.6 && y > -0.6 && x < rows + 0.6 && y < rows + 0.6 ? { x, y } : null
  }
}
