// `avocet failed retry` and `drop`: pages that were given up wait again, and their hosts are revived; or nobody needs to look at them any more.
import { commandLine, print, writeDocument, type Place } from '@avocet/project/place'
import { nameFrom, type DeadLetterClass } from '@avocet/project/store'
import { formatCount, formatCountOf } from '@avocet/project/text'
import { countsByClass, HEALING } from '../store/dead-letters.ts'
import { dropPage, dropPages, reopenPage, reopenPages, skippedInWords } from './changed-pages.ts'
import type { DroppedPages, ReopenedPages } from './changed-pages.ts'
import { countsLine, failedLine, failedStore, howToRetry, type FailedOptions } from './failed-words.ts'
import { changedBeside } from './given-up-change.ts'

/** Exit code 0 also when there is nothing to retry. Throws AVO_FRONTIER_…, AVO_USAGE for a page or a word that matches nothing. */
export async function retryPages(options: FailedOptions, place: Place): Promise<void> {
  const { folder, stdout } = place
  const path = await failedStore(place, options)
  const { url } = options
  const reopened = await changedBeside(
    path,
    {
      done: 'retried',
      work: async (frontier, list, now) =>
        url === undefined
          ? reopenPages(frontier, options, list)
          : { ...(await reopenPage(frontier, url, { list, now })), underDead: false },
      tell: async (frontier) => ({
        left: await countsByClass(frontier.reader),
        running: (await frontier.reader.info()).liveProcesses - 1,
      }),
    },
    place,
  )
  const { pages, revived, left, running } = reopened
  if (options.json) return writeDocument(stdout, { schema: 1, reopened: pages, revived })
  const next = running > 0 ? 'the crawl that runs requests them' : `run the crawl again (store: ${nameFrom(folder, path)})`
  await print(stdout, pages + revived === 0 ? nothing(options, left) : waiting(reopened, next))
}

function nothing({ classes, store }: FailedOptions, left: ReadonlyMap<DeadLetterClass, number>): string[] {
  const isDue = (classes ?? HEALING).some((name) => left.has(name))
  const what = classes ? 'nothing to retry' : 'no temporary failures'
  const none = isDue ? 'nothing to retry: what is due again is visited then' : what
  const there = `${none}; ${left.size === 0 ? 'nothing has failed' : `the store has ${countsLine(left)}`}`
  if (left.size === 0 || classes) return [there]
  const [hint = '', ...commands] = howToRetry([...left.keys()], store)
  return [`${there}; ${hint}`, ...commands]
}

/** `next`: what has them requested. */
function waiting({ pages, revived, underDead }: ReopenedPages, next: string): string[] {
  const hosts = revived > 0 ? `, ${formatCount(revived)} ${revived === 1 ? 'host is' : 'hosts are'} revived` : ''
  const dead = underDead ? '; some hosts stay given up: --class host-dead revives them' : ''
  return [`${formatCountOf(pages, 'page')} ${pages === 1 ? 'waits' : 'wait'} again${hosts}${dead}; ${next}`]
}

/** Exit code 0 also when there is nothing to drop. Throws AVO_FRONTIER_…, AVO_USAGE for a page or a word that matches nothing. */
export async function dropGivenUp(options: FailedOptions, place: Place): Promise<void> {
  const { stdout } = place
  const path = await failedStore(place, options)
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
function said({ pages, inUse }: DroppedPages, { url, store, hostKey, all }: FailedOptions & { readonly all: number }): string[] {
  const inStore = store === undefined ? [] : [store]
  const left = skippedInWords(inUse)
  if (pages === 0) return [`nothing to drop${left}; to see what has failed:`, `  ${failedLine('list', store)}`]
  const dropped = `${formatCount(pages)} ${pages === 1 ? 'page is' : 'pages are'} dropped${left}`
  if (url !== undefined) return [`${dropped}; to undo that:`, `  ${commandLine(['failed', 'retry', url, ...inStore])}`]
  const back =
    hostKey !== undefined
      ? 'to undo the drops of this host'
      : all > pages
        ? `to undo all ${formatCount(all)} drops`
        : 'to undo that'
  const ofHost = hostKey === undefined ? [] : ['--host', hostKey]
  return [`${dropped}; ${back}:`, `  ${commandLine(['failed', 'retry', ...inStore, '--class', 'dropped', ...ofHost])}`]
}
