// SIGINT and SIGTERM: the first asks, the second insists.
import type { Place } from '@avocet/project/place'
import type { EndSignal } from '../exit-code.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const satisfies readonly EndSignal[]

/**
 * One key press may arrive twice: from the terminal, which signals the whole process group, and from a parent (npm) that passes on what
 * it got. Nobody presses twice within this.
 */
const SAME_PRESS_MS = 200

/** Calls `first` and then `second` until disposed. */
export function onEndSignals(
  { clock, events }: Pick<Place, 'clock' | 'events'>,
  first: (signal: EndSignal) => void,
  second: (signal: EndSignal) => void,
): Disposable {
  let askedAt: number | undefined
  const heard = (signal: NodeJS.Signals): void => {
    const now = clock.monotonic()
    if (askedAt === undefined) {
      askedAt = now
      first(signal as EndSignal)
    } else if (now - askedAt >= SAME_PRESS_MS) {
      second(signal as EndSignal)
    }
  }
  for (const signal of SIGNALS) events.on(signal, heard)
  return {
    [Symbol.dispose]() {
      for (const signal of SIGNALS) events.off(signal, heard)
    },
  }
}
