// Which store the words behind `avocet dlq` name, and how it is changed: what was done is listed among the orders of operators.
import { AvocetError } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'
import { controlCrawl, type DeadLetterClass } from '@avocet/core/tools'
import { othersIn } from '../control/order-in.ts'
import { existingStore } from '../load/store-path.ts'
import type { Place } from '../place.ts'
import { CLASSES, countsByClass } from '../store/dead-letters.ts'
import { openedAsItIs, readStore, withReader } from '../store/open-store.ts'
import { storeExists } from '../store-kinds/store-kinds.ts'
import { formatCount } from '../text/quantity.ts'

/** What was done to given-up pages, and what is left of them, by class. */
interface Changed<Answer> {
  readonly answer: Answer
  readonly left: ReadonlyMap<DeadLetterClass, number>
  /** Processes that crawl now. */
  readonly running: number
}

/** What is done to given-up pages. `now`: epoch ms. */
interface Change<Answer> {
  readonly done: 'retried' | 'dropped'
  work(frontier: Frontier, now: number): Promise<Answer>
}

/** Hands the store, open to be written to, to the work, and lists what that has done. */
export async function withDlqStore<Answer extends { readonly pages: number; readonly settled: number }>(
  path: string,
  { clock, stderr }: Pick<Place, 'clock' | 'stderr'>,
  { done, work }: Change<Answer>,
): Promise<Changed<Answer>> {
  const { frontier, info } = await openedAsItIs(path, clock.now(), { stderr })
  try {
    const now = clock.now() + (info.aheadMs ?? 0)
    const answer = await work(frontier, now)
    const { pages, settled } = answer
    const order = { kind: 'given-up', done, pages, settled } as const
    if (pages > 0) await controlCrawl(frontier, { crawlMemories: info.crawlMemories, now }, order)
    return { answer, left: await countsByClass(frontier.reader), running: await othersIn(frontier) }
  } finally {
    await frontier.close()
  }
}

/** Its path; `given` as of `existingStore`. Throws AVO_USAGE for a word that names nothing, AVO_FRONTIER_… for what is no store. */
export async function dlqStore(place: Place, given: string | undefined): Promise<string> {
  const path = await existingStore(place, given)
  if (given !== undefined && !/[/\\]|\.db$/.test(given) && !(await storeExists(path))) throw await unknown(place, given)
  // Opened to be written to, what is not there would be made.
  await readStore(path, async () => undefined)
  return path
}

async function unknown(place: Place, word: string): Promise<AvocetError> {
  const hints = CLASSES.some((name) => name === word) ? [`its pages: --class ${word}`] : []
  // Where there is no store to look into, or more than one, there is nothing to add.
  const there = await withReader(place, undefined, async (reader) => ({
    host: await reader.host(word.toLowerCase()),
    counts: [...(await countsByClass(reader))].map(([name, count]) => `${formatCount(count)} ${name}`).join(', '),
  })).catch(() => undefined)
  if (there?.host !== undefined) hints.push(`its pages: --host ${there.host.hostKey}`)
  if (there !== undefined) hints.push(there.counts === '' ? 'nothing was given up' : `given up are ${there.counts}`)
  const hint = hints.length > 0 ? `; ${hints.join('; ')}` : ''
  return new AvocetError('AVO_USAGE', `dlq: expected the URL of a page or the path of a store, got '${word}'${hint}`)
}
