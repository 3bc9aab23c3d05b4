// SIGINT and SIGTERM of a crawl in several processes: the first stops them gracefully, the second aborts, the third kills.
import type { EndSignal } from '../exit-code.ts'
import type { Place } from '../place.ts'
import type { Crew } from '../processes/crew.ts'
import { isHasty, PATIENCE_WITH_SILENCE_MS, stoppingLine } from '../text/stopping-line.ts'
import { onEndSignals } from './end-signals.ts'

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
    crew.stop({ kind: 'stop', ...(isHasty(signal) && { silentMs: PATIENCE_WITH_SILENCE_MS }) })
  }

  /** A process that does not react to an abort is in a handler that never returns. */
  #again(): void {
    const { crew } = this.#parts
    if (this.#isAborted) return crew.kill()
    this.#isAborted = true
    crew.stop({ kind: 'abort' })
  }
}
