// Counts what the trace of a crawl tells.
import type { Crawl } from '@avocet/core'
import type { HostStatus } from '@avocet/core/tools'
import { isRefusal, reasonOf, type TraceEvent } from '@avocet/core/plugin'
import { countDuration, LATENCY } from './laws/buckets.ts'
import { STATUS_CLASSES, type CountDelta, type CountKey, type StatusClass } from './laws/counted.ts'

/** Hosts that were given up and are remembered: what is given back of one waits for a later run. */
const MAX_RETIRED = 50_000

/** Made once. */
const RESPONSES = Object.fromEntries(STATUS_CLASSES.map((name) => [name, `response ${name}`])) as Record<StatusClass, CountKey>

type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>

/** Counts what happens in a crawl from now on. `isOpen`: whether the breaker of a host lets nothing through. */
export function countTrace(crawl: Pick<Crawl, 'hooks'>, delta: CountDelta, isOpen: (host: HostStatus) => boolean): void {
  const counts = new TraceCounts(delta, isOpen)
  crawl.hooks.onTrace.tap('metrics', (event: TraceEvent) => counts.heard(event))
}

class TraceCounts {
  readonly #delta: CountDelta
  readonly #isOpen: (host: HostStatus) => boolean
  readonly #retired = new Set<string>()
  readonly #count = (key: CountKey, by?: number): void => this.#delta.count(key, by)

  constructor(delta: CountDelta, isOpen: (host: HostStatus) => boolean) {
    this.#delta = delta
    this.#isOpen = isOpen
  }

  /** The frequent ones first. */
  heard(event: TraceEvent): void {
    const { kind } = event
    if (kind === 'sent') this.#delta.countHost(event.exchange.hostKey, 'requests')
    else if (kind === 'answered') this.#answered(event)
    else if (kind === 'committed') this.#committed(event)
    else if (kind === 'released') this.#released(event)
    else if (kind === 'leased') {
      this.#retired.delete(event.hostKey)
      this.#delta.became(event.hostKey, { kind: 'live', at: event.at })
    } else if (kind === 'failed') {
      this.#count(`failure ${reasonOf(event.failure.code)}`)
      this.#delta.countHost(event.exchange.hostKey, 'failures')
    } else if (kind === 'retired') this.#gaveUp(event)
  }

  #answered({ exchange, response: { status, timings } }: EventOf<'answered'>): void {
    this.#count(RESPONSES[classOf(status)])
    const { connectMs = 0, firstByteMs, bodyMs, waitedMs = 0 } = timings
    countDuration(LATENCY, Math.max(0, connectMs + firstByteMs + bodyMs - waitedMs) / 1_000, this.#count)
    if (!isRefusal(status)) return
    this.#count(`refusal ${status}`)
    this.#delta.countHost(exchange.hostKey, 'refusals')
  }

  /** The status counts a page before the store has it, and takes it back where that fails: a counter must not. */
  #committed({ outcome }: EventOf<'committed'>): void {
    if (outcome.kind === 'done') this.#count('page')
  }

  #gaveUp({ hostKey, at }: EventOf<'retired'>): void {
    const [oldest] = this.#retired.size < MAX_RETIRED ? [] : this.#retired
    if (oldest !== undefined) this.#retired.delete(oldest)
    this.#retired.add(hostKey)
    this.#delta.became(hostKey, { kind: 'retired', at })
  }

  #released({ hostKey, host, dueAt, at }: EventOf<'released'>): void {
    if (this.#retired.has(hostKey)) return
    const { waiting } = host
    if (waiting === 0) return this.#delta.became(hostKey, { kind: 'gone', at })
    this.#delta.became(hostKey, { kind: 'parked', at, waiting, dueAt, isOpen: this.#isOpen(host) })
  }
}

function classOf(status: number): StatusClass {
  return STATUS_CLASSES[Math.floor(status / 100) - 1] ?? 'other'
}
