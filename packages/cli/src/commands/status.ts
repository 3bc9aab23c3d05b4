// `avocet status`: how far a crawl is, from its store.
import type { Counts, FrontierReader } from '@avocet/core'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { withReader } from './with-reader.ts'

/** What a store says of itself. */
interface Standing extends Awaited<ReturnType<FrontierReader['info']>> {
  readonly store: string
  readonly counts: Counts
  readonly failures: Awaited<ReturnType<FrontierReader['failures']>>
}

/** Prints totals and the reasons of failures; with `json` one document. */
export function statusCommand(store: string | undefined, json: boolean, { folder, stdout }: Place): Promise<void> {
  return withReader(folder, store, async (reader, path) => {
    const standing: Standing = {
      store: path,
      ...(await reader.info()),
      counts: await reader.counts(),
      failures: await reader.failures(),
    }
    if (json) await writeDocument(stdout, { schema: 1, ...standing })
    else await print(stdout, lines(standing))
  })
}

function lines({ name, store, liveProcesses, counts, failures }: Standing): string[] {
  const { known, waiting, retired, done, moved, failed, items, hosts, retiredHosts, again = 0 } = counts
  const over = again > 0 ? 'at rest; pages are due again, run it to go on' : 'at rest, finished'
  const left = waiting > 0 ? 'idle; the remaining requests belong to hosts that were given up, run it to probe them' : over
  const rest = known === 0 ? 'nothing has run yet' : waiting > retired ? 'at rest, not finished' : left
  const rows: readonly (readonly [string, string])[] = [
    ['crawl', printable(name)],
    ['store', store],
    ['state', liveProcesses > 0 ? `being crawled by ${formatCountOf(liveProcesses, 'process', 'processes')}` : rest],
    ['known', formatCount(known)],
    [
      'waiting',
      retired > 0 ? `${formatCount(waiting)} (${formatCount(retired)} at hosts that were given up)` : formatCount(waiting),
    ],
    ['done', again > 0 ? `${formatCount(done)} (${formatCount(again)} to be visited again)` : formatCount(done)],
    ['moved', formatCount(moved)],
    ['failed', formatCount(failed)],
    ['items', formatCount(items)],
    ['hosts', retiredHosts > 0 ? `${formatCount(hosts)} (${formatCount(retiredHosts)} given up)` : formatCount(hosts)],
  ]
  return [
    ...rows.map(([label, value]) => `${label.padEnd(8)} ${value}`),
    ...failures.map(({ reason, count }) => `  failed ${formatCount(count)} × ${printable(reason)}`),
  ]
}
