// Counts what the trace of a crawl tells.
import type { Crawl } from '@avocet/core'
import { isRefusal, reasonOf, type TraceEvent } from '@avocet/core/plugin'
import { countDuration, LATENCY } from './laws/buckets.ts'
import type { CountDelta, CountKey, StatusClass } from './laws/counted.ts'

/** Hosts that were given up and are remembered: what is given back of one waits for a later run. */
const MAX_RETIRED = 50_000

type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>

/** Counts what happens in a crawl from now on. `isOpen`: whether the breaker of a host lets nothing through. */
export function countTrace(crawl: Pick<Crawl, 'hooks'>, delta: CountDelta, isOpen: (hostKey: string) => boolean): void {
  const counts = new TraceCounts(delta, isOpen)
  crawl.hooks.onTrace.tap('metrics', (event: TraceEvent) => counts.heard(event))
}

class TraceCounts {
  readonly #delta: CountDelta
  readonly #isOpen: (hostKey: string) => boolean
  readonly #retired = new Set<string>()
  readonly #count = (key: CountKey, by?: number): void => this.#delta.count(key, by)

  constructor(delta: CountDelta, isOpen: (hostKey: string) => boolean) {
    this.#delta = delta
    this.#isOpen = isOpen
  }

  heard(event: TraceEvent): void {
    if (event.kind === 'sent') this.#delta.countHost(event.exchange.hostKey, 'requests')
    else if (event.kind === 'answered') this.#answered(event)
    else if (event.kind === 'failed') {
      this.#count(`failure ${reasonOf(event.failure.code)}`)
      this.#delta.countHost(event.exchange.hostKey, 'failures')
    } else if (event.kind === 'committed') this.#committed(event)
    else if (event.kind === 'leased') {
      this.#retired.delete(event.hostKey)
      this.#delta.became(event.hostKey, { kind: 'live', at: event.at })
    } else if (event.kind === 'retired') this.#gaveUp(event)
    else if (event.kind === 'released') this.#released(event)
  }

  #answered({ exchange, response: { status, timings } }: EventOf<'answered'>): void {
    this.#count(`response ${classOf(status)}`)
    const { connectMs = 0, firstByteMs, bodyMs, waitedMs = 0 } = timings
    countDuration(LATENCY, Math.max(0, connectMs + firstByteMs + bodyMs - waitedMs) / 1_000, this.#count)
    if (!isRefusal(status)) return
    this.#count(`refusal ${status}`)
    this.#delta.countHost(exchange.hostKey, 'refusals')
  }

  /** The status counts a page before the store has it, and takes it back where that fails: a counter must not. */
  #committed({ request, outcome }: EventOf<'committed'>): void {
    if (outcome.kind === 'done' && request.cut === undefined) this.#count('page')
  }

  #gaveUp({ hostKey, at }: EventOf<'retired'>): void {
    const [oldest] = this.#retired.size < MAX_RETIRED ? [] : this.#retired
    if (oldest !== undefined) this.#retired.delete(oldest)
    this.#retired.add(hostKey)
    this.#delta.became(hostKey, { kind: 'retired', at })
  }

  #released({ hostKey, host, dueAt, at }: EventOf<'released'>): void {
    if (this.#retired.has(hostKey)) return
    const { waiting, hold, consecutiveFailures } = host
    if (waiting === 0) return this.#delta.became(hostKey, { kind: 'gone', at })
    const isOpen = (hold !== undefined || consecutiveFailures > 0) && this.#isOpen(hostKey)
    this.#delta.became(hostKey, { kind: 'parked', at, waiting, dueAt, isOpen })
  }
}

function classOf(status: number): StatusClass {
  const first = Math.floor(status / 100)
  return first >= 1 && first <= 5 ? (`${first as 1 | 2 | 3 | 4 | 5}xx` as const) : 'other'
}
