/** What a pillar of the opening is worth on each cell, as the champion judges it: `tools/callisto_openings.py`. */
import { nameOf, same, squareOf, type Square } from "./box"

export interface Opening {
  /** For each cell. */
  simulations: number
  /** Chances in thousandths, in the order of `cells`; a dot where no pillar may stand. */
  values: string
  replies: Record<string, Opening>
}

export interface Openings {
  edition: string
  seats: number
  made: { player: string; date: string }
  cells: string
  opening: Opening
}

const TABLES = import.meta.glob<Openings>("./openings/*.json", {
  import: "default",
})

export const openingsOf = (edition: string, seats: number): Promise<Openings> =>
  TABLES[`./openings/${edition}-${seats}.json`]!()

/** A board seen from another side of the table, or in a mirror: every board looks the same from all of them. */
type Seen = (square: Square) => Square

const sidesOf = (width: number): Seen[] => {
  const turn: Seen = ({ x, y }) => ({ x: y, y: width - 1 - x })
  const mirror: Seen = ({ x, y }) => ({ x: width - 1 - x, y })
  const turns: Seen[] = [(square) => square, turn, (square) => turn(turn(square)), (square) => turn(turn(turn(square)))]
  return turns.flatMap((seen) => [seen, (square) => seen(mirror(square))])
}

/** A moment of an opening: the pillars that stand, and what each cell is worth to whoever is next. */
export class Moment {
  /** Spent on each cell. */
  readonly simulations: number
  /** Chances of the cells on which a pillar may stand. */
  readonly values = new Map<string, number>()
  /** The cells from which it goes on, and how. */
  private readonly ahead = new Map<string, { reply: Opening; seen: Seen }>()

  constructor(
    private readonly all: Openings,
    private readonly width: number,
    /** Where the pillars stand, in the order of turns. */
    readonly pillars: string[] = [],
    opening: Opening = all.opening,
    seen: Seen = (square) => square,
  ) {
    this.simulations = opening.simulations
    const texts = opening.values.split(" ")
    const textOf = new Map(all.cells.split(" ").map((cell, at) => [cell, texts[at]!]))
    const alike = sidesOf(width).filter((side) => this.keeps((square) => side(seen(square)), seen))
    for (const cell of textOf.keys()) {
      const value = textOf.get(nameOf(seen(squareOf(cell))))!
      if (value === ".") continue
      this.values.set(cell, Number(value) / 1000)
      for (const side of alike) {
        const from: Seen = (square) => side(seen(square))
        const reply = opening.replies[nameOf(from(squareOf(cell)))]
        if (reply && !this.ahead.has(cell)) this.ahead.set(cell, { reply, seen: from })
      }
    }
  }

  /** Whether each seat's pillars are the same from both sides. */
  private keeps(one: Seen, other: Seen): boolean {
    const seatOf = (at: number) => at % this.all.seats
    const squares = this.pillars.map(squareOf)
    return squares.every((square, at) =>
      squares.some((each, index) => seatOf(index) === seatOf(at) && same(one(square), other(each))),
    )
  }

  /** The seat that places a pillar now. */
  get seat(): number {
    return this.pillars.length % this.all.seats
  }

  /** Whether it goes on from this cell. */
  goesOn(cell: string): boolean {
    return this.ahead.has(cell)
  }

  /** The cells from which it goes on, the best first; of cells that are alike, one. */
  get ways(): string[] {
    const first = new Map([...this.ahead].reverse().map(([cell, { reply }]) => [reply, cell]))
    return [...first.values()].sort((a, b) => this.values.get(b)! - this.values.get(a)!)
  }

  /** The moment after a pillar. */
  after(cell: string): Moment {
    const { reply, seen } = this.ahead.get(cell)!
    return new Moment(this.all, this.width, [...this.pillars, cell], reply, seen)
  }
}

/** What a cell looks like and says. */
export interface CellNote {
  fill: string
  ink: string
  figure: string
  text: string
}

/** From cells that are worth least to those that are worth most: each is lighter than the one before. */
export const RAMP = ["#1c2340", "#4b2a6b", "#93356f", "#d8574a", "#f6a04d", "#ffe59a"]
/** On colours that are darker than this, white can be read; on others black. */
const WHITE_INK_MAX_LUMINANCE = 0.18

const parts = (colour: string) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))

/** A colour of the ramp, from 0 to 1, and what can be read on it. */
export function shade(warmth: number): { fill: string; ink: string } {
  const along = warmth * (RAMP.length - 1)
  const at = Math.min(Math.floor(along), RAMP.length - 2)
  const [cold, warm] = [parts(RAMP[at]!), parts(RAMP[at + 1]!)]
  const mixed = cold.map((low, part) => Math.round(low + (warm[part]! - low) * (along - at)))
  const [red, green, blue] = mixed.map((part) => {
    const level = part / 255
    return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return {
    fill: `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`,
    ink: 0.2126 * red + 0.7152 * green + 0.0722 * blue < WHITE_INK_MAX_LUMINANCE ? "#fff" : "#000",
  }
}
