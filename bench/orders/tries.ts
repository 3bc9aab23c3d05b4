// One try of each order on a running crawl: ms from the end of its command until its site felt it; of a stop, whose command ends with the crawl, from its start.
import { firstArrival, lastArrival, lastTooSoon } from './arrivals.ts'
import type { Order } from './figures.ts'
import type { OrderedCrawl } from './ordered-crawl.ts'

/** Hosts are asked ten times a second: after so long without a request none is coming. */
const QUIET_MS = 500
const LIMIT_RPS = 2
/** A little less than between two requests at the limit, for timers are no clocks. */
const LIMITED_GAP_MS = 450

/** Ms of each order. `held`: a host that is paused and resumed; `limited`: one that no try before has limited. The crawl has ended then. */
export async function tryOrders(crawl: OrderedCrawl, held: string, limited: string): Promise<Readonly<Record<Order, number>>> {
  const paused = await untilSilent(crawl, ['pause'])
  const resumed = await untilFirst(crawl, ['resume'])
  const [hostPaused, limitedAfter] = await Promise.all([
    untilSilent(crawl, ['host', 'pause', held], held),
    untilSlower(crawl, ['host', 'set', limited, '--max-rps', String(LIMIT_RPS)], limited),
  ])
  const hostResumed = await untilFirst(crawl, ['host', 'resume', held], held)
  const stopsAt = crawl.now()
  await crawl.order('stop')
  await crawl.gone()
  return {
    pause: paused,
    resume: resumed,
    'host pause': hostPaused,
    'host resume': hostResumed,
    'host set --max-rps': limitedAfter,
    stop: (crawl.arrivals().at(-1) ?? stopsAt) - stopsAt,
  }
}

async function untilSilent(crawl: OrderedCrawl, words: readonly string[], hostKey?: string): Promise<number> {
  const end = await crawl.order(...words)
  await crawl.quiet(QUIET_MS, () => lastArrival(crawl.arrivals(hostKey), end))
  return (crawl.arrivals(hostKey).at(-1) ?? end) - end
}

async function untilFirst(crawl: OrderedCrawl, words: readonly string[], hostKey?: string): Promise<number> {
  const start = crawl.now()
  const end = await crawl.order(...words)
  await crawl.until('a request', () => firstArrival(crawl.arrivals(hostKey), start) !== undefined)
  return (firstArrival(crawl.arrivals(hostKey), start) ?? end) - end
}

async function untilSlower(crawl: OrderedCrawl, words: readonly string[], hostKey: string): Promise<number> {
  const start = crawl.now()
  const end = await crawl.order(...words)
  const tooSoon = (from: number): number => lastTooSoon(crawl.arrivals(hostKey), from, LIMITED_GAP_MS)
  await crawl.quiet(2 * LIMITED_GAP_MS, () => tooSoon(end))
  return tooSoon(start) - end
}
