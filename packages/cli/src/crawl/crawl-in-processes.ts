// `avocet crawl --processes N`: one command, N processes on one store. This process does not crawl: it checks the options, starts the others, shows them as
// one crawl, handles signals, and reports.
//
// It loads no engine, and a page that kills its process, or fills its memory, does not affect this one. Limits of the whole crawl are divided: slots, pages
// (`PageLedger`), memory for bodies, handlers at once. `--max-time` is counted from the start of the command.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { AvocetError } from '@avocet/core'
import type { ExitCode } from '../exit-codes.ts'
import type { PlannedCrawl } from '../load/plan-crawl.ts'
import { BUILT_IN } from '../load/precedence.ts'
import { IN_MEMORY, nameFrom } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { formatCountOf, formatCount } from '../text/quantity.ts'
import { clearStore, sayBefore, checkedOutputs } from './before-crawl.ts'
import { cachePathFor, namedStoreOf, outputPlaceOf, wishOf, type AskedCrawl, type CrawlOfProcesses } from './crawl-places.ts'
import type { CrawlStore } from './crawl-store.ts'
import { isSaid } from '../log/log-entry.ts'
import { sayEnd } from './say-end.ts'
import { superviseProcesses } from './supervise-processes.ts'

/**
 * Runs it until it ends. Throws AVO_USAGE for what processes cannot share, and what keeps a crawl from
 * beginning.
 */
export async function crawlInProcesses(asked: CrawlOfProcesses, place: Place): Promise<ExitCode> {
  const { options, planned } = asked
  checkShared({ options, planned }, place)
  const store = sharedStore(options, planned, place)
  await sayBefore({ options, planned }, place)
  sayOfCount(asked, place)
  const cachePath = cachePathFor(options, planned, place)
  await checkedOutputs(options.outputs, outputPlaceOf(options, store.path, place))
  await clearStore(options, store, place)
  const keeps = cachePath !== undefined && existsSync(cachePath)
  const run = await superviseProcesses({ ...asked, store }, place)
  return sayEnd(run, { store: { ...store, keeps }, options, place })
}

/** Throws AVO_USAGE for options that need one process. */
function checkShared({ options, planned }: AskedCrawl, place: Place): void {
  const { frontier, clock } = planned.config
  const store = namedStoreOf(options, planned)
  const one = '; for one process, leave out --processes, or add --processes 1'
  if (store === IN_MEMORY)
    throw new AvocetError('AVO_USAGE', `--processes: expected a store that processes can share, got ${IN_MEMORY}${one}`)
  if (store === undefined && frontier !== undefined)
    throw new AvocetError(
      'AVO_USAGE',
      `--processes: expected a store that avocet opens, got the configuration's own (frontier); name one with --store, or store in the configuration${one}`,
    )
  if (options.timeScale !== undefined)
    throw new AvocetError('AVO_USAGE', `--time-scale: expected one process, whose time it is, got --processes too${one}`)
  if (clock !== undefined && clock !== place.clock)
    throw new AvocetError('AVO_USAGE', `--processes: expected the system's clock, got the configuration's own (clock)${one}`)
}

/** The store, which only the processes open. */
function sharedStore(options: CrawlOptions, planned: PlannedCrawl, place: Place): Required<Omit<CrawlStore, 'frontier'>> {
  const { path } = wishOf(options, planned, place)
  return { path, title: nameFrom(place.folder, path) }
}

/** Warns if fewer processes are started than were asked for, or more than the cores can run. */
function sayOfCount({ options, planned, count }: CrawlOfProcesses, { stderr }: Place): void {
  const { processes } = planned
  if (typeof processes !== 'number' || !isSaid('warn', options.logLevel ?? 'info')) return
  const { concurrency = BUILT_IN.concurrency } = planned.config
  if (processes > count) say(stderr, fewerLine({ processes, count, concurrency }))
  const crowded = crowdedLine(count)
  if (crowded !== undefined) say(stderr, crowded)
}

/** A process without a slot would have nothing to do. */
function fewerLine(wish: { readonly processes: number; readonly count: number; readonly concurrency: number }): string {
  const slots = formatCountOf(wish.concurrency, 'request')
  return `starting ${wish.count} processes instead of ${wish.processes}: with ${slots} in flight (--concurrency) there is nothing to do for more`
}

/** Up to so many per core there is no warning: while one waits for its disk, another can use the core. */
const MAX_PER_CORE = 2

/** The warning; undefined up to two per core. `cores`: by default those that the system lets this process use. */
export function crowdedLine(count: number, cores: number = availableParallelism()): string | undefined {
  if (count <= MAX_PER_CORE * cores) return undefined
  const on = cores === 1 ? 'one core' : `${formatCount(cores)} cores`
  return `starting ${formatCount(count)} processes on ${on}: more than two per core take memory and make no crawl faster; --processes auto starts one per core`
}
