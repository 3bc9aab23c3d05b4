// Given-up pages of some classes wait again, and their hosts are revived: what `avocet dlq retry` and the page do without a URL.
import type { Frontier, HostRecord } from '@avocet/core/store'
import { HEALING, reasonsOf, retiredHosts } from '../store/dead-letters.ts'
import { inBatches, type ChangedPages, type GivenUpQuery } from './given-up-change.ts'

/** What was opened again; of the pages, those that were settled are no longer. */
export interface ReopenedPages extends ChangedPages {
  readonly revived: number
  /** Whether there are still pages under hosts that were given up. */
  readonly underDead: boolean
}

/** Opens failed requests again, and revives hosts. What waited under those counts, too. Default: the classes of temporary failures. */
export async function reopenPages(frontier: Frontier, { classes = HEALING, hostKey }: GivenUpQuery): Promise<ReopenedPages> {
  const { reader } = frontier
  const dead: HostRecord[] = []
  if (classes.includes('host-dead')) for await (const host of retiredHosts(reader, hostKey)) dead.push(host)
  const waiting = dead.reduce((sum, host) => sum + host.waiting, 0)
  const ofHost = hostKey === undefined ? {} : { hostKey }
  const reasons = await reasonsOf(reader, classes)
  const failed = reasons.length === 0 ? 0 : await inBatches((limit) => frontier.reopen({ ...ofHost, reasons, limit }))
  for (const host of dead) await frontier.revive(host.hostKey)
  const pages = waiting + failed
  return { pages, settled: -failed, revived: dead.length, underDead: pages > 0 && (await reader.counts()).retired > 0 }
}
