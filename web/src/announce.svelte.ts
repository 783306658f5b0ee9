/** What a screen reader reads out, by an ARIA live region: moves, rolls, results, refusals. */

const MAX_LINES = 9
const LINE_LIFETIME_MS = 15_000

let lines = $state.raw<{ id: number; text: string }[]>([])
let next = 0

export const announcements = {
  get all() {
    return lines
  },
}

/** Says something; it is read after what was said before. */
export function announce(text: string): void {
  if (!text) return
  const id = next++
  lines = [...lines, { id, text }].slice(-MAX_LINES)
  setTimeout(() => (lines = lines.filter((line) => line.id !== id)), LINE_LIFETIME_MS)
}
