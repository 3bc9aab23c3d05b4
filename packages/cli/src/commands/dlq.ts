// `avocet dlq`: the pages that were given up. `list` says which and why; `retry` has them wait again, and revives their hosts.
import { DEAD_LETTERS, type DeadLetterClass, type Frontier, type HostRecord } from '@avocet/core'
import { relative } from 'node:path'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/quantity.ts'
import { countsByClass, lettersOf, reasonsOf, retiredHosts, type DeadLetter } from './dlq-letters.ts'
import { HEALING, type DlqOptions } from './dlq-options.ts'
import { reopenPage } from './dlq-page.ts'
import { dlqStore } from './dlq-store.ts'
import { openedAsItIs } from './opened-as-it-is.ts'
import { withReader } from './with-reader.ts'

/** Opened again in one transaction. */
const BATCH = 10_000

/** Exit code 0 also when there is nothing to list or retry. Throws AVO_FRONTIER_…, AVO_USAGE for a page or a word that matches nothing. */
export function dlqCommand(options: DlqOptions, place: Place): Promise<void> {
  return options.action === 'list' ? list(options, place) : retry(options, place)
}

async function list({ store, hostKey, limit, json, classes }: DlqOptions, { folder, stdout }: Place): Promise<void> {
  const wanted = classes ?? (Object.keys(DEAD_LETTERS) as DeadLetterClass[])
  return withReader(folder, await dlqStore(folder, store), async (reader) => {
    const letters: DeadLetter[] = []
    let more = false
    for await (const letter of lettersOf(reader, { classes: wanted, ...(hostKey !== undefined && { hostKey }) })) {
      more = letters.length === limit
      if (more) break
      letters.push(letter)
    }
    const counts = await countsByClass(reader)
    if (json) await writeDocument(stdout, documentOf(letters, { counts, more }))
    else await print(stdout, [...letters.map(lineOf), ...closing(letters.length, { counts, more })])
  })
}

/** What stands below the list. Totals are of the whole store. */
interface Totals {
  readonly counts: ReadonlyMap<DeadLetterClass, number>
  readonly more: boolean
}

function documentOf(letters: readonly DeadLetter[], { counts, more }: Totals): object {
  return {
    schema: 1,
    counts: Object.fromEntries(counts),
    more,
    letters: letters.map(({ class: name, reason, record }) => ({ class: name, ...record, reason })),
  }
}

function lineOf({ class: name, reason, record: { url, attempts, freeAttempts } }: DeadLetter): string {
  const tries = attempts + freeAttempts
  return `${name.padEnd(9)}  ${printable(url)}  ${printable(reason)}${tries > 1 ? `, ${tries} attempts` : ''}`
}

function closing(listed: number, { counts, more }: Totals): string[] {
  const totals = [...counts].map(([name, count]) => `${formatCount(count)} ${name}`).join(', ')
  if (listed === 0) return [totals === '' ? 'no dead letters' : `no such dead letters; in the store are ${totals}`]
  return [
    '',
    `${more ? `the first ${formatCount(listed)} (--limit for more); ` : ''}in the store: ${totals}; avocet dlq retry tries some again`,
  ]
}

async function retry(options: DlqOptions, { folder, stdout, clock }: Place): Promise<void> {
  const path = await dlqStore(folder, options.store)
  const { frontier } = await openedAsItIs(path, clock.now())
  try {
    const { url } = options
    const { reopened, revived, underDead } =
      url === undefined
        ? await reopen(frontier, options)
        : { ...(await reopenPage(frontier, url, clock.now())), underDead: false }
    if (options.json) await writeDocument(stdout, { schema: 1, reopened, revived })
    else await print(stdout, saying({ reopened, revived, underDead }))
  } finally {
    await frontier.close()
  }

  function saying({ reopened, revived, underDead }: Reopened): string {
    if (reopened + revived === 0) return 'nothing to retry; avocet dlq list shows what was given up'
    const hosts = revived > 0 ? `, ${formatCount(revived)} ${revived === 1 ? 'host is' : 'hosts are'} revived` : ''
    const dead = underDead ? '; some hosts stay given up: --class host-dead revives them' : ''
    const where = relative(folder, path)
    return `${formatCount(reopened)} ${reopened === 1 ? 'page waits' : 'pages wait'} again${hosts}${dead}; run the crawl again (store: ${where.startsWith('..') ? path : where})`
  }
}

interface Reopened {
  readonly reopened: number
  readonly revived: number
  /** Whether there are still pages under hosts that were given up. */
  readonly underDead: boolean
}

/** Opens failed requests again, and revives hosts. What waited under those counts, too. */
async function reopen(frontier: Frontier, { classes = HEALING, hostKey }: DlqOptions): Promise<Reopened> {
  const { reader } = frontier
  const dead: HostRecord[] = []
  if (classes.includes('host-dead')) for await (const host of retiredHosts(reader, hostKey)) dead.push(host)
  let reopened = dead.reduce((sum, { waiting }) => sum + waiting, 0)
  const reasons = await reasonsOf(reader, classes)
  for (let count = BATCH; count === BATCH && reasons.length > 0; reopened += count)
    count = await frontier.reopen({ reasons, limit: BATCH, ...(hostKey !== undefined && { hostKey }) })
  for (const host of dead) await frontier.revive(host.hostKey)
  return { reopened, revived: dead.length, underDead: reopened > 0 && (await reader.counts()).retired > 0 }
}
