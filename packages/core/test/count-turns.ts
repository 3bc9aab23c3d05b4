// Turns of the event loop, for tests that say how much may be done in one.

/** Counts them until it is stopped. */
export function countTurns(): { readonly now: number; stop(): void } {
  let now = 0
  let isOver = false
  const count = (): void => {
    now++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  return {
    get now() {
      return now
    },
    stop() {
      isOver = true
    },
  }
}
