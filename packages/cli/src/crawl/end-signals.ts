// SIGINT and SIGTERM: the first asks, the second insists.
import type { Place } from '@avocet/project/place'
import type { EndSignal } from '../exit-code.ts'
import type { Crew } from '../processes/crew.ts'
import { isHasty, RECALL_MS, stoppingLine } from '../text/orders-in-words.ts'

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

// SIGINT and SIGTERM of a crawl in several processes: the first stops them gracefully, the second aborts, the third kills.

/** Who ends, and who is told. */
interface Parts extends Pick<Place, 'clock' | 'events'> {
  readonly crew: Pick<Crew, 'hasOpened' | 'stop' | 'kill'>
  /** How long requests in flight may take. */
  readonly drainMs: number
  /** Called at the first one. `line`: for people. */
  stopping(line: string): void
}

/** Listens until it is disposed. */
export class CrewSignals implements Disposable {
  readonly #parts: Parts
  readonly #listening: Disposable
  #first: EndSignal | undefined
  #isAborted = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#listening = onEndSignals(
      parts,
      (signal) => this.#stop(signal),
      () => this.#again(),
    )
  }

  /** The signal that asked it to stop. */
  get first(): EndSignal | undefined {
    return this.#first
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]()
  }

  #stop(signal: EndSignal): void {
    const { crew, drainMs, stopping } = this.#parts
    this.#first = signal
    stopping(crew.hasOpened ? stoppingLine({ signal, drainMs }) : `${signal}: the crawl had not begun`)
    crew.stop({ kind: 'stop', ...(isHasty(signal) && { recallMs: RECALL_MS }) })
  }

  /** A process that does not react to an abort is in a handler that never returns. */
  #again(): void {
    const { crew } = this.#parts
    if (this.#isAborted) return crew.kill()
    this.#isAborted = true
    crew.stop({ kind: 'abort' })
  }
}
