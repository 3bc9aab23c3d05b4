// `avocet status`: how far a crawl is, from its store.
import { writeTo } from '../export/write-to.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/quantity.ts'
import { withReader } from './with-reader.ts'

/** Prints totals and the reasons of failures; with `json` one document. */
export function statusCommand(store: string | undefined, json: boolean, { folder, stdout }: Place): Promise<void> {
  return withReader(folder, store, async (reader, path) => {
    const info = await reader.info()
    const counts = await reader.counts()
    const failures = await reader.failures()
    if (json) {
      await writeTo(stdout, `${JSON.stringify({ schema: 1, store: path, ...info, counts, failures })}\n`)
    }
    const { known, waiting, retired, done, moved, failed, items, hosts, retiredHosts } = counts
    const rows: readonly (readonly [string, string])[] = [
      ['crawl', printable(info.name)],
      ['store', path],
      [
        'state',
        info.liveProcesses > 0
          ? `being crawled by ${info.liveProcesses} process(es)`
          : waiting > retired
            ? 'at rest, not finished'
            : 'at rest, finished',
      ],
      ['known', formatCount(known)],
      [
        'waiting',
        retired > 0 ? `${formatCount(waiting)} (${formatCount(retired)} at hosts that were given up)` : formatCount(waiting),
      ],
      ['done', formatCount(done)],
      ['moved', formatCount(moved)],
      ['failed', formatCount(failed)],
      ['items', formatCount(items)],
      ['hosts', retiredHosts > 0 ? `${formatCount(hosts)} (${formatCount(retiredHosts)} given up)` : formatCount(hosts)],
    ]
    const lines = [
      ...rows.map(([label, value]) => `${label.padEnd(8)} ${value}`),
      ...failures.map(({ reason, count }) => `  failed ${formatCount(count)} × ${printable(reason)}`),
    ]
    await writeTo(stdout, `${lines.join('\n')}\n`)
  })
}
