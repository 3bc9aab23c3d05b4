// What a run did lately, as its trace tells it: its last exchanges, of all hosts together, and how many there were in each second of the last minutes.
//
// Rings of fixed size, written as it happens: about a microsecond an exchange, and nothing is worked out before somebody looks.
import type { ExchangeLine, Series } from '@avocet/dashboard'
import type { Crawl } from '@avocet/core'
import { isRefusal, reasonOf, type TraceEvent, formatDuration } from '@avocet/core/plugin'
import { SecondRing } from './second-ring.ts'

/** How an exchange ended. */
type EndOfExchange = Extract<TraceEvent, { readonly kind: 'answered' | 'failed' }>

interface KeptExchange extends ExchangeLine {
  readonly hostKey: string
}

/** About 2 MB. */
const MAX_EXCHANGES = 4_000

/** The tape of one run. */
export class RunTape {
  readonly #seconds = new SecondRing()
  readonly #kept: KeptExchange[] = []
  #next = 0
  #refusals = 0

  constructor(crawl: Pick<Crawl, 'hooks'>) {
    crawl.hooks.onTrace.tap('ui', (event: TraceEvent) => {
      if (event.kind === 'answered' || event.kind === 'failed') this.#add(event)
    })
  }

  /** Refusals of this run. */
  get refusals(): number {
    return this.#refusals
  }

  /** Each second of the last minutes. `now`: epoch ms. */
  lately(now: number): Series {
    return this.#seconds.series(now)
  }

  /** The last exchanges with a host, the youngest first. */
  lines(hostKey: string, most: number): readonly ExchangeLine[] {
    const found: ExchangeLine[] = []
    for (let n = 1; n <= this.#kept.length && found.length < most; n++) {
      const kept = this.#kept[(this.#next - n + MAX_EXCHANGES) % MAX_EXCHANGES]
      if (kept?.hostKey !== hostKey) continue
      const { hostKey: _of, ...line } = kept
      found.push(line)
    }
    return found
  }

  #add(event: EndOfExchange): void {
    const { exchange, at } = event
    const status = event.kind === 'answered' ? event.response.status : undefined
    const firstByteMs = event.kind === 'answered' ? event.response.timings.firstByteMs : undefined
    const isRefused = status !== undefined && isRefusal(status)
    if (isRefused) this.#refusals++
    this.#seconds.add(at, { isRefused, ...(firstByteMs !== undefined && { firstByteMs }) })
    this.#kept[this.#next] = {
      hostKey: exchange.hostKey,
      id: exchange.id,
      at,
      url: exchange.request.url,
      how: event.kind === 'failed' ? reasonOf(event.failure.code) : String(status),
      isGood: status !== undefined && status < 400,
      durationMs: Math.max(0, at - exchange.bookedAt),
      verdict: verdictText(event),
    }
    this.#next = (this.#next + 1) % MAX_EXCHANGES
  }
}

function verdictText(event: EndOfExchange): string {
  const { verdict, by, at } = event
  const who = by === undefined ? '' : ` (${by})`
  if (verdict.kind === 'retry') return `again in ${formatDuration(Math.max(0, verdict.at - at))}: ${verdict.reason}${who}`
  if (verdict.kind === 'drop') return `failed: ${verdict.reason}${who}`
  // Whether a page with such a status has a handler is the spider's to say.
  return event.kind === 'answered' && event.response.status >= 400 ? 'not retried' : 'accepted'
}
