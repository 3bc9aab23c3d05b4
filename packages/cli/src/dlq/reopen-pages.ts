// Given-up pages of some classes wait again, and their hosts are revived: what `avocet dlq retry` and the page do without a URL.
import type { Frontier, HostRecord } from '@avocet/core/store'
import type { DeadLetterClass } from '@avocet/core/tools'
import { HEALING, reasonsOf, retiredHosts } from '../store/dead-letters.ts'

/** Opened again in one transaction. */
const BATCH = 10_000

/** Which pages. */
export interface ReopenWish {
  /** Default: those that time may heal. */
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
}

/** What was opened again. */
export interface ReopenedPages {
  readonly reopened: number
  /** Of them, those that were settled, as a number below 0. */
  readonly settled: number
  readonly revived: number
  /** Whether there are still pages under hosts that were given up. */
  readonly underDead: boolean
}

/** Opens failed requests again, and revives hosts. What waited under those counts, too. */
export async function reopenPages(frontier: Frontier, { classes = HEALING, hostKey }: ReopenWish): Promise<ReopenedPages> {
  const { reader } = frontier
  const dead: HostRecord[] = []
  if (classes.includes('host-dead')) for await (const host of retiredHosts(reader, hostKey)) dead.push(host)
  const waiting = dead.reduce((sum, host) => sum + host.waiting, 0)
  let failed = 0
  const reasons = await reasonsOf(reader, classes)
  for (let count = BATCH; count === BATCH && reasons.length > 0; failed += count)
    count = await frontier.reopen({ reasons, limit: BATCH, ...(hostKey !== undefined && { hostKey }) })
  for (const host of dead) await frontier.revive(host.hostKey)
  const reopened = waiting + failed
  return { reopened, settled: -failed, revived: dead.length, underDead: reopened > 0 && (await reader.counts()).retired > 0 }
}
