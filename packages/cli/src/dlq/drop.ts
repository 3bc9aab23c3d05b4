// `avocet dlq drop`: pages that were given up, and that nobody needs to look at any more.
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { commandLine } from '../text/command-line.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import type { DlqOptions } from './dlq-options.ts'
import { dlqStore, withDlqStore } from './dlq-store.ts'
import { dropPage, dropPages } from './drop-pages.ts'
import { dlqLine } from './how-to-retry.ts'

/** Exit code 0 also when there is nothing to drop. Throws AVO_FRONTIER_…, AVO_USAGE for a page or a word that matches nothing. */
export async function dropGivenUp(options: DlqOptions, place: Place): Promise<void> {
  const { stdout } = place
  const path = await dlqStore(place, options.store)
  const { url } = options
  const { answer } = await withDlqStore(path, place, {
    done: 'dropped',
    work: async (frontier) =>
      url === undefined ? dropPages(frontier, options) : { pages: await dropPage(frontier, url), inUse: 0 },
  })
  const { pages, inUse } = answer
  if (options.json) return writeDocument(stdout, { schema: 1, dropped: pages, inUse })
  const left =
    inUse === 0 ? '' : `; ${formatCountOf(inUse, 'page')} of hosts that are being probed ${inUse === 1 ? 'stays' : 'stay'}`
  if (pages === 0)
    return print(stdout, [`nothing to drop${left}; to see what was given up:`, `  ${dlqLine('list', options.store)}`])
  const undo = url === undefined ? `${dlqLine('retry', options.store)} --class dropped` : commandLine(['dlq', 'retry', url])
  await print(stdout, [
    `${formatCount(pages)} ${pages === 1 ? 'page is' : 'pages are'} dropped${left}; to take that back:`,
    `  ${undo}`,
  ])
}
