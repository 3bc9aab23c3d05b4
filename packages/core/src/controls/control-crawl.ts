// Orders something of a crawl that another process runs, or that nobody runs; and lists what was done to its given-up pages.
import type { CrawlInfo } from '../crawl-info.ts'
import type { Frontier } from '../frontier.ts'
import { storedControl, type Control, type GivenUpChange } from './control.ts'
import { secretNamesAtRest } from '../secrets/secret-name.ts'
import { SecretParameters } from '../secrets/secret-parameters.ts'
import { controlled, controlsIn, controlsPart, withGivenUpChange } from './controls.ts'

/** What the processes know, and the moment: epoch ms of the crawl's time. */
type AsKnown = Pick<CrawlInfo, 'crawlMemories'> & { readonly now: number }

/**
 * Writes an order into an open store. It is there once this resolves; processes that crawl carry it out within a second, a run that begins later carries it
 * out as it begins. `now`: epoch ms of the crawl's time. Values of query parameters that are secret in this store are not written: a seed of the run that takes
 * an added URL has to supply them.
 *
 * @throws AvocetError AVO_USAGE for what is no order, AVO_FRONTIER_….
 * @example
 * ```ts
 * const frontier = memoryFrontier()
 * const { crawlMemories } = await frontier.open({ name: 'shop', canonicalisation: CANONICALISATION, hostKeying: 'host' }, Date.now())
 * await controlCrawl(frontier, { crawlMemories, now: Date.now() }, { kind: 'pause-host', hostKey: 'shop.example' })
 * ```
 */
export async function controlCrawl(
  frontier: Pick<Frontier, 'note'>,
  { crawlMemories, now }: AsKnown,
  control: Control,
): Promise<void> {
  const secret = new SecretParameters(secretNamesAtRest(crawlMemories))
  const stored = storedControl(control, (url) => secret.hidden(url))
  await frontier.note(controlsPart(controlled(controlsIn(crawlMemories), stored, now)))
}

/**
 * Lists what was done to given-up pages of an open store, once it is done: it is shown among the orders, and processes that crawl count it.
 *
 * @throws AvocetError AVO_USAGE for numbers that cannot be, AVO_FRONTIER_….
 * @example
 * ```ts
 * const frontier = memoryFrontier()
 * const { crawlMemories } = await frontier.open({ name: 'shop', canonicalisation: CANONICALISATION, hostKeying: 'host' }, Date.now())
 * const pages = await frontier.reopen({ reasons: ['http-503'], limit: 1_000 })
 * const change = { kind: 'given-up', done: 'retried', pages, settled: -pages } as const
 * await listGivenUpChange(frontier, { crawlMemories, now: Date.now() }, change)
 * ```
 */
export async function listGivenUpChange(
  frontier: Pick<Frontier, 'note'>,
  { crawlMemories, now }: AsKnown,
  change: GivenUpChange,
): Promise<void> {
  await frontier.note(controlsPart(withGivenUpChange(controlsIn(crawlMemories), change, now)))
}
