// Orders something of a crawl that another process runs, or that nobody runs.
import type { CrawlInfo } from '../crawl-info.ts'
import type { Frontier } from '../frontier.ts'
import type { Control } from './control.ts'
import { controlled, controlsIn, controlsPart } from './controls.ts'

/**
 * Writes an order into an open store. It is there once this resolves; processes that crawl carry it out within a second, a run that begins later carries it
 * out as it begins. `now`: epoch ms of the crawl's time.
 *
 * @throws AvocetError AVO_USAGE for what is no order, AVO_FRONTIER_….
 */
export async function controlCrawl(
  frontier: Pick<Frontier, 'note'>,
  { crawlMemories, now }: Pick<CrawlInfo, 'crawlMemories'> & { readonly now: number },
  control: Control,
): Promise<void> {
  await frontier.note(controlsPart(controlled(controlsIn(crawlMemories), control, now)))
}
