// What happens once before a crawl begins, however many processes it has: what a person should know is said, and `--fresh` forgets what there was.
import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AvocetError, type CrawlConfig } from '@avocet/core'
import type { CrawlOptions, Output } from '@avocet/project/options'
import { say, type Place } from '@avocet/project/place'
import { isSaid } from '@avocet/project/log'
import { storeExists } from '@avocet/project/store'
import { wishOf, type AskedCrawl } from './crawl-places.ts'
import { foreignCrawl, startOver, type CrawlStore } from './crawl-store.ts'
import type { OutputPlace } from '../export/outputs.ts'

/** Says what is unusual about it. */
export async function sayBefore({ options, planned }: AskedCrawl, place: Place): Promise<void> {
  if (!isSaid('warn', options.logLevel ?? 'info')) return
  if (options.ignoreRobots)
    say(place.stderr, 'robots.txt is ignored in this run (--ignore-robots); do this only on sites of your own')
  const wish = wishOf(options, planned, place)
  for (const line of await foreignCrawl(wish, planned.config.spider.name)) say(place.stderr, line)
}

/**
 * Looks at the files of sinks before anything is opened, emptied or forgotten.
 *
 * @throws AVO_OUTPUT_UNWRITABLE for one that two write, and for one that `--fresh` would leave without its crawl.
 */
export function checkSinkFiles({ outputs, fresh }: CrawlOptions, { sinks = [] }: CrawlConfig, { folder }: Place): void {
  const written = new Set(outputs.map(({ path }) => fileAt(resolve(folder, path))?.path))
  for (const { options: { path, mode } = {} } of sinks) {
    const file = typeof path === 'string' ? fileAt(resolve(path)) : undefined
    if (file === undefined) continue
    if (written.has(file.path))
      throw new AvocetError(
        'AVO_OUTPUT_UNWRITABLE',
        `${file.path}: expected one output or sink with this file, got two; leave one out`,
      )
    written.add(file.path)
    if (fresh && mode === undefined && file.size > 0)
      throw new AvocetError(
        'AVO_OUTPUT_UNWRITABLE',
        `--fresh: expected sinks that may replace their files, got one with items in ${file.path}; move that away, or set mode: 'overwrite' in its sink`,
      )
  }
}

/** Undefined where there is none. Two links lead to one file. */
function fileAt(path: string): { readonly path: string; readonly size: number } | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true ? { path: realpathSync(path), size: stats.size } : undefined
}

/** Starts over where that was asked for. Throws as `startOver` does. */
export async function clearStore({ fresh, yes }: CrawlOptions, { path }: Pick<CrawlStore, 'path'>, place: Place): Promise<void> {
  if (path !== undefined && fresh) await startOver(path, yes, place)
}

// Whether the outputs of a crawl can be written, before its store is made: a start that is refused leaves no empty crawl behind.
//
// A file that another process writes is an output of this crawl, and waited for, only if the crawl has the same id. The id is in the store, so if ours does not
// exist, the file is another crawl's. That is looked at after the refusal: the store may be made meanwhile.

/** Throws AVO_USAGE, AVO_OUTPUT_UNWRITABLE, and AVO_FRONTIER_… where a store cannot be looked for. */
export async function checkedOutputs(outputs: readonly Output[], place: OutputPlace): Promise<void> {
  if (outputs.length === 0) return
  const { closeAll, openOutputs } = await import('../export/outputs.ts')
  // The process that writes them opens them again.
  const check = async (isNew: boolean): Promise<void> => closeAll(await openOutputs(outputs, { ...place, isNew }))
  const { storePath, isShared = false } = place
  if (storePath === undefined || !isShared) return check(false)
  try {
    await check(true)
  } catch (error) {
    if (!(await storeExists(storePath))) throw error
    await check(false)
  }
}
