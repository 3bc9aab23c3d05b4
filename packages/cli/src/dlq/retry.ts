// `avocet dlq retry`: pages that were given up wait again, and their hosts are revived.
import { nameFrom, type DeadLetterClass } from '@avocet/project/store'
import { writeDocument, print, type Place } from '@avocet/project/place'
import { formatCount, formatCountOf } from '@avocet/project/text'
import { countsByClass, HEALING } from '../store/dead-letters.ts'
import { countsLine, type DlqOptions, dlqStore, howToRetry } from './dlq-words.ts'
import { changedBeside } from './given-up-change.ts'
import { reopenPage, reopenPages, type ReopenedPages } from './reopen-pages.ts'

/** Exit code 0 also when there is nothing to retry. Throws AVO_FRONTIER_…, AVO_USAGE for a page or a word that matches nothing. */
export async function retryPages(options: DlqOptions, place: Place): Promise<void> {
  const { folder, stdout } = place
  const path = await dlqStore(place, options)
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

function nothing({ classes, store }: DlqOptions, left: ReadonlyMap<DeadLetterClass, number>): string[] {
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
