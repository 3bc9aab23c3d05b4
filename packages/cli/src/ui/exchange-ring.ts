// The last exchanges of a run, of all hosts together: a ring of fixed size, from which one host is picked when somebody looks at it.
import type { ExchangeLine } from '@avocet/dashboard'
import { isRefusal, reasonOf } from '@avocet/core/plugin'
import { formatDuration } from '../text/quantity.ts'
import type { HostStretch } from '../view/live-hosts.ts'
import type { EndOfExchange } from '../view/second-ring.ts'
import { stretchesOf } from './host-stretches.ts'

/** Of all hosts of a crawl together: about 2 MB. */
export const MAX_EXCHANGES = 4_000

interface KeptExchange extends ExchangeLine {
  readonly hostKey: string
  readonly durationMs: number
  /** Absent without an answer. */
  readonly firstByteMs?: number
  readonly isRefused: boolean
}

/** The ring. */
export class ExchangeRing {
  readonly #kept: KeptExchange[] = []
  readonly #most: number
  #next = 0

  /** `most`: how many are remembered. */
  constructor(most: number = MAX_EXCHANGES) {
    this.#most = most
  }

  /** Remembers one in place of the oldest. */
  add(event: EndOfExchange): void {
    const { exchange, at } = event
    const status = event.kind === 'answered' ? event.response.status : undefined
    this.#kept[this.#next] = {
      hostKey: exchange.hostKey,
      id: exchange.id,
      at,
      url: exchange.request.url,
      how: event.kind === 'failed' ? reasonOf(event.failure.code) : String(status),
      isGood: status !== undefined && status < 400,
      isRefused: status !== undefined && isRefusal(status),
      durationMs: Math.max(0, at - exchange.bookedAt),
      ...(event.kind === 'answered' && { firstByteMs: event.response.timings.firstByteMs }),
      verdict: verdictText(event),
    }
    this.#next = (this.#next + 1) % this.#most
  }

  /** Those with a host, the youngest first. */
  lines(hostKey: string, most: number): readonly ExchangeLine[] {
    return this.#ofHost(hostKey)
      .slice(0, most)
      .map(({ hostKey: _of, isRefused: _refused, firstByteMs: _first, ...line }) => line)
  }

  /** All of them, in stretches of time. */
  stretches(hostKey: string): readonly HostStretch[] {
    return stretchesOf(this.#ofHost(hostKey))
  }

  #ofHost(hostKey: string): readonly KeptExchange[] {
    const found: KeptExchange[] = []
    for (let n = 1; n <= this.#kept.length; n++) {
      const exchange = this.#kept[(this.#next - n + this.#most) % this.#most]
      if (exchange?.hostKey === hostKey) found.push(exchange)
    }
    return found
  }
}

function verdictText(event: EndOfExchange): string {
  const { verdict, by, at } = event
  const who = by === undefined ? '' : ` (${by})`
  if (verdict.kind === 'retry') return `again in ${formatDuration(Math.max(0, verdict.at - at))}: ${verdict.reason}${who}`
  if (verdict.kind === 'drop') return `given up: ${verdict.reason}${who}`
  // Whether a page with such a status has a handler is the spider's to say.
  return event.kind === 'answered' && event.response.status >= 400 ? 'not retried' : 'accepted'
}
