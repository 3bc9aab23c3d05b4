// `avocet crawl --processes N`: one command, N processes on one store. This process does not crawl: it checks the options, starts the others, shows them as
// one crawl, handles signals, and reports.
//
// It loads no engine, and a page that kills its process, or fills its memory, does not affect this one. Limits of the whole crawl are divided: slots, memory
// for bodies, handlers at once, and `--max-pages`. A process that has its pages ends, and the others take its hosts over, so all pages are crawled also where
// one process has all hosts. Rejected: telling each how many are left, for a message at every commit. `--max-time` is counted from the start of the command.
//
// Processes on one store, by figures of `npm run bench:cores` on two CPUs, 137 µs of CPU a page: two on one SQLite file cost 1.02 times the CPU of two with a
// file each, so a file for each process would gain those 2 %, for a reader over all files and links between them. Rejected, too: commits in a thread, which
// move 10 % of the main thread's time and save no CPU; and parsing and handlers in a thread, which move 15 % (20 µs), while a clone of the page there and of
// its links back costs 16 µs, and handlers would have no variables of the spider.
import { AvocetError } from '@avocet/core'
import type { ExitCode } from '@avocet/project/command'
import { IN_MEMORY, nameFrom } from '@avocet/project/store'
import { say, type Place } from '@avocet/project/place'
import { isSaid } from '@avocet/project/log'
import { OF_SIGNAL } from '../exit-code.ts'
import { checkSinkFiles, clearStore, sayBefore, checkedOutputs } from './before-crawl.ts'
import { keepsResponses, namedStoreOf, outputPlaceOf, wishOf, type AskedCrawl, type CrawlOfProcesses } from './crawl-places.ts'
import { sayEnd } from './say-end.ts'
import { superviseProcesses } from './supervise-processes.ts'

/**
 * Runs it until it ends. Throws AVO_USAGE for what processes cannot share, and what keeps a crawl from
 * beginning.
 */
export async function crawlInProcesses(asked: CrawlOfProcesses, place: Place): Promise<ExitCode> {
  const { options, planned } = asked
  checkShared({ options, planned }, place)
  // The store, which only the processes open.
  const { path } = wishOf(options, planned, place)
  const store = { path, title: nameFrom(place.folder, path) }
  await sayBefore({ options, planned }, place)
  sayOfCount(asked, place)
  const keeps = keepsResponses(options, planned, place)
  checkSinkFiles(options, planned.config, place)
  await checkedOutputs(options.outputs, outputPlaceOf(options, store.path, place))
  await clearStore(options, store, place)
  const run = await superviseProcesses({ ...asked, store }, place)
  if (run.report === undefined) return OF_SIGNAL[run.signal]
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
  if (clock !== undefined && clock !== place.clock)
    throw new AvocetError('AVO_USAGE', `--processes: expected the system's clock, got the configuration's own (clock)${one}`)
}

/** Warns if fewer processes are started than were asked for. */
function sayOfCount({ options, planned, count }: CrawlOfProcesses, { stderr }: Place): void {
  const { processes } = planned
  if (typeof processes !== 'number' || !isSaid('warn', options.logLevel ?? 'info')) return
  if (processes > count)
    say(stderr, `starting ${count} processes instead of ${processes}: --concurrency or --max-pages has nothing to do for more`)
}
