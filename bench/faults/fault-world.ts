// The web of a run: hosts that are all well, so that everything can be reached, with delays that two of them ask for themselves.
import { siteModel, type HostSpec, type SiteModel } from '@avocet/simulator'

/** Of hosts that ask for nothing, start to start; crawl time. */
export const DELAY_MS = 3_000
/** Of those that do, in robots.txt. */
const CRAWL_DELAY_SECONDS = 5

/** The model, and how long each of its hosts wants between two starts, in ms of the machine. */
export interface FaultWorld {
  readonly model: SiteModel
  delayMs(host: string): number
}

/** Twelve hosts of so many pages each. `scale`: how many times as fast seconds go by: of beats, tenure, burial, rests and delays. */
export function faultWorld({
  seed,
  pages,
  scale,
}: {
  readonly seed: string
  readonly pages: number
  readonly scale: number
}): FaultWorld {
  const tree: HostSpec['pages'] = { kind: 'tree', pages, extras: { redirects: 1, missing: 1 } }
  const fewer: HostSpec['pages'] = { kind: 'tree', pages: Math.ceil(pages / 2) }
  const named = (name: string, count: number, rest: Omit<HostSpec, 'name'>): HostSpec[] =>
    Array.from({ length: count }, (_, n) => ({ ...rest, name: `${name}-${String(n)}.test` }))
  const model = siteModel({
    seed,
    hosts: [
      ...named('well', 8, { pages: tree, latency: { law: 'lognormal', medianMs: 30, spread: 0.5 } }),
      ...named('slow', 2, { pages: fewer, latency: { law: 'uniform', minMs: 150, maxMs: 400 } }),
      ...named('delaying', 2, {
        pages: fewer,
        latency: { law: 'fixed', ms: 30 },
        robots: { body: `User-agent: *\nCrawl-delay: ${String(CRAWL_DELAY_SECONDS)}\n` },
      }),
    ],
  })
  return { model, delayMs: (host) => (host.startsWith('delaying') ? CRAWL_DELAY_SECONDS * 1_000 : DELAY_MS) / scale }
}
