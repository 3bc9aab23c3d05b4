// `avocet dlq drop`: pages that were given up, and that nobody needs to look at any more.
import { writeDocument, print, type Place, commandLine } from '@avocet/project/place'
import { formatCount } from '@avocet/project/text'
import { countsByClass } from '../store/dead-letters.ts'
import { type DlqOptions, dlqStore, dlqLine } from './dlq-words.ts'
import { dropPage, dropPages, skippedInWords, type DroppedPages } from './drop-pages.ts'
import { changedBeside } from './given-up-change.ts'

/** Exit code 0 also when there is nothing to drop. Throws AVO_FRONTIER_…, AVO_USAGE for a page or a word that matches nothing. */
export async function dropGivenUp(options: DlqOptions, place: Place): Promise<void> {
  const { stdout } = place
  const path = await dlqStore(place, options)
  const { url } = options
  const dropped = await changedBeside(
    path,
    {
      done: 'dropped',
      work: (frontier, list) => (url === undefined ? dropPages(frontier, options, list) : dropPage(frontier, url, list)),
      tell: async ({ reader }) => ({ all: (await countsByClass(reader)).get('dropped') ?? 0 }),
    },
    place,
  )
  const { pages, inUse, all } = dropped
  if (options.json) return writeDocument(stdout, { schema: 1, dropped: pages, inUse })
  await print(stdout, said(dropped, { ...options, all }))
}

/** `all`: pages that are dropped by now. */
function said({ pages, inUse }: DroppedPages, { url, store, hostKey, all }: DlqOptions & { readonly all: number }): string[] {
  const inStore = store === undefined ? [] : [store]
  const left = skippedInWords(inUse)
  if (pages === 0) return [`nothing to drop${left}; to see what has failed:`, `  ${dlqLine('list', store)}`]
  const dropped = `${formatCount(pages)} ${pages === 1 ? 'page is' : 'pages are'} dropped${left}`
  if (url !== undefined) return [`${dropped}; to undo that:`, `  ${commandLine(['dlq', 'retry', url, ...inStore])}`]
  const back =
    hostKey !== undefined
      ? 'to undo the drops of this host'
      : all > pages
        ? `to undo all ${formatCount(all)} drops`
        : 'to undo that'
  const ofHost = hostKey === undefined ? [] : ['--host', hostKey]
  return [`${dropped}; ${back}:`, `  ${commandLine(['dlq', 'retry', ...inStore, '--class', 'dropped', ...ofHost])}`]
}
