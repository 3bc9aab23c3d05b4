// The parts that a view is made of, by name: what a stream compares with what it has sent, so that only parts that changed are sent.
//
// A long list is one part for each of its rows and one for their order, so that a row that changed costs a row.
import type { CrawlShelf, CrawlSource, ShownCrawl } from '../crawl-source.ts'
import { HISTORY_SPANS, type History, type Series } from '../series.ts'
import type { ViewWish } from '../view-wish.ts'

/** By name: what can be sent as JSON. */
export type ViewParts = Readonly<Record<string, unknown>>

/** Points of a series that are sent together: of those before the last few nothing changes any more. */
const POINTS_TOGETHER = 30

/** What the view shows now. */
export async function viewParts(shelf: CrawlShelf, wish: ViewWish): Promise<ViewParts> {
  if (wish.view === 'crawls') return { crawls: await shelf.crawls() }
  const shown = await shelf.crawl(wish.crawl)
  if (shown === undefined) return { missing: 'crawl' }
  return { ...(await headParts(shown)), ...(await PARTS[wish.view](shown.source, wish)) }
}

async function headParts({ source, steering }: ShownCrawl): Promise<ViewParts> {
  const { at, ...head } = await source.head()
  return { head, at, offers: steering.offers }
}

type PartsOf = (source: CrawlSource, wish: ViewWish) => Promise<ViewParts>

const PARTS: Readonly<Record<Exclude<ViewWish['view'], 'crawls'>, PartsOf>> = {
  now: async (source) => {
    const { live, conditions, inTrouble, failures, troubles, waits, sinks, orders, ...totals } = await source.now()
    const lists = { conditions, inTrouble, failures, troubles, waits, sinks, orders }
    return {
      totals,
      live,
      ...lists,
      ...historyParts(await source.history()),
    }
  },
  hosts: async (source, wish) => {
    const { rows, ...hosts } = await source.hosts(wish)
    const ofRows = rows.map((row) => [`row ${row.hostKey}`, row] as const)
    return { hosts: { ...hosts, keys: rows.map(({ hostKey }) => hostKey) }, ...Object.fromEntries(ofRows) }
  },
  host: async (source, { key }) => {
    const picture = await source.host(key)
    if (picture === undefined) return { missing: 'host' }
    const { series, rates, story, pages, ...host } = picture
    return { host, story, pages, ...seriesParts('series', series), ...historyParts(rates) }
  },
  url: async (source, { key }) => {
    // Its story says how long ago everything was, so it changes each second; what its visits brought changes with a visit.
    const { visits, ...url } = await source.url(key)
    return { url, visits }
  },
  items: async (source) => {
    const { items, ...rest } = await source.items()
    const rows = items.map((item) => [`item ${item.seq}`, item] as const)
    return { items: { ...rest, seqs: items.map(({ seq }) => seq) }, ...Object.fromEntries(rows) }
  },
  failures: async (source) => ({ givenUp: await source.failures() }),
  politeness: async (source, { key }) => {
    const sheet = await source.politeness(key)
    return sheet === undefined ? { missing: 'host' } : { sheet }
  },
}

function historyParts(history: History): ViewParts {
  return Object.assign({}, ...HISTORY_SPANS.map((span) => seriesParts(span, history[span]))) as ViewParts
}

/** Chunks begin at moments that do not move, so that old ones stay as they were sent. */
function seriesParts(name: string, { widthMs, points }: Series): ViewParts {
  const chunks: Record<string, unknown> = { [name]: { widthMs } }
  const spanMs = widthMs * POINTS_TOGETHER
  for (const point of points) {
    const key = `${name} ${Math.floor(point.at / spanMs)}`
    const chunk = (chunks[key] ??= []) as unknown[]
    chunk.push([
      point.at,
      point.requests,
      point.refusals,
      point.failures,
      point.halfMs,
      point.nineInTenMs,
      point.foundRps ?? null,
    ])
  }
  return chunks
}
