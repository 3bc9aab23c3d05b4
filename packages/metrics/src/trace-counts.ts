// Counts what the trace of a crawl tells.
import type { Crawl } from '@avocet/core'
import { isRefusal, reasonOf, type TraceEvent } from '@avocet/core/plugin'
import { countDuration, LATENCY } from './laws/buckets.ts'
import { STATUS_CLASSES, type CountDelta, type CountKey, type StatusClass } from './laws/counted.ts'

/** Made once. */
const RESPONSES = Object.fromEntries(STATUS_CLASSES.map((name) => [name, `response ${name}`])) as Record<StatusClass, CountKey>

type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>

/** Counts what happens in a crawl from now on. */
export function countTrace(crawl: Pick<Crawl, 'hooks'>, delta: CountDelta): void {
  const counts = new TraceCounts(delta)
  crawl.hooks.onTrace.tap('metrics', (event: TraceEvent) => counts.heard(event))
}

class TraceCounts {
  readonly #delta: CountDelta
  readonly #count = (key: CountKey, by?: number): void => this.#delta.count(key, by)

  constructor(delta: CountDelta) {
    this.#delta = delta
  }

  /** The frequent ones first. */
  heard(event: TraceEvent): void {
    const { kind } = event
    if (kind === 'sent') this.#delta.countHost(event.exchange.hostKey, 'requests')
    else if (kind === 'answered') this.#answered(event)
    else if (kind === 'committed') this.#committed(event)
    else if (kind === 'failed') {
      this.#count(`failure ${reasonOf(event.failure.code)}`)
      this.#delta.countHost(event.exchange.hostKey, 'failures')
    }
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
}

function classOf(status: number): StatusClass {
  return STATUS_CLASSES[Math.floor(status / 100) - 1] ?? 'other'
}
