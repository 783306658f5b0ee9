/** Going through a finished game, by hand or by itself. */
import { moving } from "../settings.svelte"

const STEP_INTERVAL_MS = 1100

export class Playback {
  #at = $state(0)
  playing = $state(false)
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(
    readonly end: number,
    at: number,
  ) {
    this.#at = this.#within(at)
  }

  get at(): number {
    return this.#at
  }
  /** Goes to a moment, and stays there. */
  set at(to: number) {
    this.pause()
    this.#at = this.#within(to)
  }

  play(): void {
    if (this.#at === this.end) this.#at = 0
    this.playing = true
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#next(), moving() ? STEP_INTERVAL_MS : 2 * STEP_INTERVAL_MS)
  }

  pause(): void {
    this.playing = false
    clearInterval(this.#timer)
  }

  #next(): void {
    if (this.#at < this.end) this.#at += 1
    if (this.#at === this.end) this.pause()
  }

  #within(at: number): number {
    return Math.min(Math.max(Number.isFinite(at) ? Math.round(at) : 0, 0), this.end)
  }
}
