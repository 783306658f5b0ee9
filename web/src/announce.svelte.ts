/** What a screen reader hears: moves, rolls, results, refusals. */

let heard = $state.raw<{ id: number; text: string }[]>([])
let next = 0

export const announcements = {
  get all() {
    return heard
  },
}

/** Says something; it is read after what was said before. */
export function announce(text: string): void {
  if (!text) return
  const id = next++
  heard = [...heard.slice(-8), { id, text }]
  setTimeout(() => (heard = heard.filter((line) => line.id !== id)), 15000)
}
