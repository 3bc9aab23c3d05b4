// Orders something of a crawl that another process runs, or that nobody runs.
import type { CrawlInfo } from '../crawl-info.ts'
import type { Frontier } from '../frontier.ts'
import type { Control } from './control.ts'
import { secretNamesAtRest } from '../secrets/names-at-rest.ts'
import { SecretParameters } from '../secrets/secret-parameters.ts'
import { controlled, controlsIn, controlsPart } from './controls.ts'
import { storedControl } from './stored-control.ts'

/**
 * Writes an order into an open store. It is there once this resolves; processes that crawl carry it out within a second, a run that begins later carries it
 * out as it begins. `now`: epoch ms of the crawl's time. Values of query parameters that are secret in this store are not written: a seed of the run that takes
 * an added URL has to supply them.
 *
 * @throws AvocetError AVO_USAGE for what is no order, AVO_FRONTIER_….
 */
export async function controlCrawl(
  frontier: Pick<Frontier, 'note'>,
  { crawlMemories, now }: Pick<CrawlInfo, 'crawlMemories'> & { readonly now: number },
  control: Control,
): Promise<void> {
  const secret = new SecretParameters(secretNamesAtRest(crawlMemories))
  const stored = storedControl(control, (url) => secret.hidden(url))
  await frontier.note(controlsPart(controlled(controlsIn(crawlMemories), stored, now)))
}
