// What happens once before a crawl begins, however many processes it has: what a person should know is said, and `--fresh` forgets what there was.
import { nameFrom } from '../load/store-path.ts'
import type { CrawlOptions, Output } from '../options/crawl-options.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printable } from '../text/printable.ts'
import { wishOf, type AskedCrawl } from './crawl-places.ts'
import { foreignCrawl, startOver, unusedStores, type CrawlStore } from './crawl-store.ts'
import { isSaid } from '../log/log-entry.ts'
import { checkOutputs, type OutputPlace } from '../export/outputs.ts'
import { storeExists } from '../store-kinds/store-kinds.ts'

/** Says what is unusual about it. */
export async function sayBefore({ options, planned }: AskedCrawl, place: Place): Promise<void> {
  if (!isSaid('warn', options.logLevel ?? 'info')) return
  if (options.ignoreRobots)
    say(place.stderr, 'robots.txt is ignored in this run (--ignore-robots); do this only on sites of your own')
  const wish = wishOf(options, planned, place)
  for (const line of await foreignCrawl(wish, planned.config.spider.name)) say(place.stderr, line)
}

/** Names stores that were probably meant, and starts over where that was asked for. Throws as `startOver` does. */
export async function clearStore(
  { fresh, yes, logLevel = 'info' }: CrawlOptions,
  { path, title }: Pick<CrawlStore, 'path' | 'title'>,
  place: Place,
): Promise<void> {
  if (path === undefined) return
  if (title !== undefined && isSaid('warn', logLevel)) await sayUnused(path, title, place)
  if (fresh) await startOver(path, yes, place)
}

/** Patterns that were accepted ahead for a store of another name open nothing here. */
async function sayUnused(path: string, title: string, { folder, stderr }: Place): Promise<void> {
  for (const other of await unusedStores(path)) {
    const name = printable(nameFrom(folder, other))
    say(
      stderr,
      `${name} has patterns that were accepted ahead, and nothing has run in it: this crawl makes ${printable(title)}; to go on with the other, add --store ${name}`,
    )
  }
}

// Whether the outputs of a crawl can be written, before its store is made: a start that is refused leaves no empty crawl behind.
//
// What another process writes may be an output of the same crawl: then this one waits for it. Only the id of the crawl tells, and a store that is not made yet
// has none. But who knows the id of its crawl has its store, so where that of this crawl is not there, the other one is of another crawl. Whether it is there
// is asked after the refusal: it may be made meanwhile.

/** Throws AVO_USAGE, AVO_OUTPUT_UNWRITABLE, and AVO_FRONTIER_… where a store cannot be looked for. */
export async function checkedOutputs(outputs: readonly Output[], place: OutputPlace): Promise<void> {
  const { storePath, isShared = false } = place
  if (storePath === undefined || !isShared) return checkOutputs(outputs, place)
  try {
    await checkOutputs(outputs, { ...place, isNew: true })
  } catch (error) {
    if (!(await storeExists(storePath))) throw error
    await checkOutputs(outputs, place)
  }
}
