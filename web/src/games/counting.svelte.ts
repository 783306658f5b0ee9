/** Tables that count piece by piece when a game is over: what stands around them waits, and does not run ahead. */
let counting = $state.raw<ReadonlySet<object>>(new Set())

/** A table tells whether it is counting. */
export function tellCounting(table: object, now: boolean): void {
  if (counting.has(table) === now) return
  counting = new Set(now ? [...counting, table] : [...counting].filter((other) => other !== table))
}

/** Whether a table counts now. */
export const isCounting = (): boolean => counting.size > 0
