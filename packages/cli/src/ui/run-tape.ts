// What a run did lately, as its trace tells it: how its last exchanges ended, and how many there were in each second of the last minutes.
//
// Rings of fixed size, written as it happens: about a microsecond an exchange, and nothing is worked out before somebody looks.
import type { Crawl } from '@avocet/core'
import type { TraceEvent } from '@avocet/core/plugin'
import { countsOfEnd, SecondRing } from '../view/second-ring.ts'
import { ExchangeRing } from './exchange-ring.ts'

/** How much is remembered; by default as much as a page shows. */
interface TapeSize {
  readonly exchanges?: number
  readonly seconds?: number
}

/** The tape of one run. */
export class RunTape {
  readonly seconds: SecondRing
  readonly exchanges: ExchangeRing
  #refusals = 0

  constructor(crawl: Pick<Crawl, 'hooks'>, { exchanges, seconds }: TapeSize = {}) {
    this.seconds = new SecondRing(seconds)
    this.exchanges = new ExchangeRing(exchanges)
    crawl.hooks.onTrace.tap('ui', (event: TraceEvent) => {
      if (event.kind !== 'answered' && event.kind !== 'failed') return
      const counts = countsOfEnd(event)
      this.#refusals += counts.refusals
      this.seconds.add(counts, event.at)
      this.exchanges.add(event)
    })
  }

  /** Refusals of this run. */
  get refusals(): number {
    return this.#refusals
  }
}
