/** A lesson: short steps at a real table. The server checks the moves; nothing is kept there. */
import type { GameId } from "../games/contract"
import { numbered, type SeatMove } from "../games/steps"
import { api, Refusal } from "../net/api"
import type { Position, Step } from "../net/types"

/** Something that has to be done before the lesson goes on. */
export interface Task {
  /** What to do. */
  say: string
  /** Whether a legal move is what the step is about. */
  right: (move: string, now: Position) => boolean
  /** What is said to a legal move that is not. */
  wrong: (move: string, now: Position, after: Position) => string
  /** What is said when it is done. */
  done: (after: Position) => string
  /** Good examples; the first that is possible is played by “Show me”. */
  show: string[]
  /** Whether the example is marked on the table. */
  marked?: boolean
  /** What chance brings after the move. */
  outcome?: string
}

/** What the others do before a step begins: the first of these moves that is possible. */
export interface Reply {
  moves: string[]
  outcome?: string
}

export interface LessonStep {
  title: string
  text: string[]
  /** The position of the step; what a lesson that goes on from the last step starts from if there was none. */
  from: string
  /** Go on from where the last step ended, after these replies. */
  goOn?: Reply[]
  task?: Task
}

/** The learner always has the first seat. */
export const LEARNER = 0

export class Lesson {
  at = $state(0)
  now = $state.raw<Position | null>(null)
  /** What has happened at the table since this part of the lesson began. */
  steps = $state.raw<Step[]>([])
  done = $state(false)
  /** What is said about a step that is done; the table itself says what was wrong with a move. */
  answer = $state("")
  /** The server could not be reached. */
  lost = $state(false)

  #parts: () => LessonStep[]
  #ends: (Position | undefined)[] = []

  constructor(
    readonly game: GameId,
    parts: () => LessonStep[],
  ) {
    this.#parts = parts
  }

  get step(): LessonStep {
    return this.#parts()[this.at]!
  }
  get length(): number {
    return this.#parts().length
  }
  /** The learner's moves, as long as there is something to do. */
  get legal(): string[] {
    return this.step.task && !this.done ? (this.now?.legal[LEARNER] ?? []) : []
  }
  /** The example of this step. */
  get example(): string | null {
    const { task } = this.step
    const { now, legal } = this
    if (!task || !now) return null
    const possible = (move: string) => legal.includes(move) && task.right(move, now)
    return task.show.find(possible) ?? legal.find(possible) ?? null
  }

  /** Begins a step. */
  async go(to: number): Promise<void> {
    const step = this.#parts()[to]
    if (!step) return
    try {
      const now = await this.#start(step, this.#ends[to - 1])
      Object.assign(this, { at: to, now, steps: numbered([], now.steps), done: !step.task, answer: "", lost: false })
    } catch {
      this.lost = true
    }
  }

  /** The learner moves; a move that the lesson is not about is explained, and taken back. */
  async play(move: string): Promise<void> {
    const { task } = this.step
    const { now } = this
    if (!task || !now || this.done) return
    const after = await this.#ask(now.position, move, task.outcome)
    if (!task.right(move, now)) throw new Refusal("lesson", task.wrong(move, now, after))
    this.#ends[this.at] = after
    const steps = numbered(this.steps, after.steps)
    Object.assign(this, { now: after, steps, done: true, answer: task.done(after) })
  }

  /** Why a move is not possible now; null if it is. */
  async why(move: string): Promise<string | null> {
    const { position } = this.now!
    return (await api.checkPosition({ game: this.game, position, seat: LEARNER, move })).text
  }

  async #start(step: LessonStep, end: Position | undefined): Promise<Position> {
    let last: SeatMove | null = null
    let position = step.from
    if (end && step.goOn) {
      position = end.position
      for (const reply of step.goOn) {
        const seat = await this.#decides(position)
        const move = reply.moves.find((move) => seat.legal.includes(move))
        if (!move) break
        last = { seat: seat.seat, move }
        position = (await this.#ask(position, move, reply.outcome, seat.seat)).position
      }
    }
    const now = await this.#ask(position)
    // The learner's view of the table after the last reply, which the table marks.
    return last ? { ...now, steps: now.steps.map((looked) => ({ ...looked, ...last })) } : now
  }

  async #decides(position: string): Promise<{ seat: number; legal: string[] }> {
    const { legal } = await this.#ask(position)
    const seat = Number(Object.keys(legal)[0] ?? LEARNER)
    return { seat, legal: legal[seat] ?? [] }
  }

  #ask(position: string, move?: string, outcome?: string, seat = LEARNER): Promise<Position> {
    return api.position({ game: this.game, position, seat, move: move ?? null, outcome: outcome ?? null })
  }
}
