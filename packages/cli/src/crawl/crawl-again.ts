// `avocet crawl --again` from what was typed to its exit code: opens the files, supervises the replay, and says what became of store and outputs.
import { existsSync } from 'node:fs'
import { AvocetError, type CrawlReport } from '@avocet/core'
import { DROPPED_PREFIX, type Counts } from '@avocet/core/store'
import { documentsIn, hostsOf } from '@avocet/core/tools'
import { storeFiles, type KeptResponses, type Today, type UntouchedPage } from '../store-kinds/store-files.ts'
import { exitCodeOfReport } from '../exit-code.ts'
import type { ExitCode } from '../exit-codes.ts'
import { deliverAll } from '../export/deliver-all.ts'
import { closeAll, openOutputs, type OutputSink } from '../export/outputs.ts'
import { cachePathOf, IN_MEMORY, nameFrom, shownName } from '../load/store-path.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { openedAsItIs, readStore } from '../store/open-store.ts'
import { repeatedEffects } from '../text/left-out.ts'
import { commandLine } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { formatCountOf } from '../text/quantity.ts'
import { commandOf, fileOf, namedStoreOf, outputPlaceOf, wishOf, type SourcedCrawl } from './crawl-places.ts'
import { configOfKept, NOT_KEPT, type LostResponses } from './kept-config.ts'
import { isFar } from '../store-kinds/store-address.ts'
import { keptCrawl, type Finished, type KeptCrawl } from './kept-crawl.ts'
import { isSaid } from '../log/log-entry.ts'
import { sayEnd } from './say-end.ts'
import { superviseCrawl, type Supervised } from './supervise-crawl.ts'
import { scopeOf, withMore, type IsInScope } from './unreached-pages.ts'
import { untouchedLine, UntouchedPages } from './untouched-lines.ts'

/** Runs it. Throws AVO_USAGE where nothing is kept, and what keeps a crawl from beginning. */
export async function crawlAgain(asked: SourcedCrawl, place: Place): Promise<ExitCode> {
  const { options, planned } = asked
  const { config } = planned
  const wish = wishOf(options, planned, place)
  checkStore(namedStoreOf(options, planned), config.frontier !== undefined)
  const kept = await keptResponses(cachePathOf(fileOf(options, planned, place)), place)
  try {
    const exports = await openOutputs(options.outputs, { ...outputPlaceOf(options, wish.path, place), isShared: false })
    try {
      const store = await keptCrawl(wish.path, config, wish.clock)
      try {
        return await replay(asked, { store, kept, path: wish.path, exports, place })
      } finally {
        await store.release()
      }
    } finally {
      await closeAll(exports)
    }
  } finally {
    kept.close()
  }
}

async function replay(
  asked: SourcedCrawl,
  parts: Omit<Ending, 'asked' | 'lost' | 'differing' | 'today'> & { readonly kept: KeptResponses },
): Promise<ExitCode> {
  const { options, planned, source, metrics } = asked
  const { config } = planned
  const { store, kept, path, place } = parts
  const handlers = Object.keys(config.spider.handlers)
  const { openUnreached } = await storeFiles()
  const unreached = existsSync(path) ? await openUnreached(path, { kept, handlers }) : undefined
  let isInScope: IsInScope | undefined
  const frontier = withMore(store.frontier, async () => {
    isInScope ??= await scopeOf(config.spider, store.frontier.reader)
    const { known } = store.frontier
    return (await unreached?.next({ known, isInScope })) ?? []
  })
  // No file comes, and none that is there, whole or in part, is touched.
  const own = config.plugins.map((plugin) => (plugin.name === 'files' ? (plugin.withoutEffects?.() ?? plugin) : plugin))
  const plugins = [...own, ...(source ? [source.plugin] : [])]
  const secretParameters = [...(config.secretParameters ?? []), ...store.secretParameters]
  const lost: LostResponses = { damaged: 0, seeds: 0 }
  const whole = configOfKept({ ...config, plugins, secretParameters, frontier }, kept, lost)
  const differing = planned.lastArguments.differingFrom(store.memories)
  const opening = `${formatCountOf(kept.count, 'response')} kept; no site is requested${repeatedEffects(config)}`
  const how = {
    events: options.events,
    ...(options.ui && { ui: { ...options.ui, store: path } }),
    ...(metrics && { metrics }),
    ...(options.logLevel && { logLevel: options.logLevel }),
    resumable: false,
    opening,
    remarks: () => [
      ...(unreached === undefined
        ? [`there is no store at ${nameFrom(place.folder, path)}: --again makes one of what is kept`]
        : []),
      ...argumentLines(differing),
      ...ineffectiveLines(options),
      ...sinkRemarks(config.sinks ?? []),
    ],
  }
  // The replay has keys of its own. Sinks get what became of it from the crawl's store, in the next run.
  const run = await superviseCrawl({ ...how, config: { ...whole, sinks: [] }, frontier, place }).finally(() => unreached?.close())
  return finish(run, { ...parts, asked, lost, differing, today: { handlers, isInScope: isInScope ?? (() => true) } })
}

function ineffectiveLines({ ineffectiveVariables = [] }: SourcedCrawl['options']): string[] {
  const [last, ...others] = ineffectiveVariables.toReversed()
  if (last === undefined) return []
  if (others.length === 0) return [`${last} has no effect with --again`]
  return [`${others.toReversed().join(', ')} and ${last} have no effect with --again`]
}

/** Outputs are written by this run; sinks of the configuration are not opened, and find the items with new numbers behind their marks. */
function sinkRemarks(sinks: readonly { readonly name: string }[]): string[] {
  if (sinks.length === 0) return []
  const names = sinks.map(({ name }) => printable(name)).join(', ')
  return [
    `sinks of the configuration (${names}) get nothing from --again: the next crawl hands them every item that was made anew, with the key that it had`,
  ]
}

function checkStore(store: string | undefined, isConfigured: boolean): void {
  const got = unfitStore(store, isConfigured)
  if (got !== undefined)
    throw new AvocetError(
      'AVO_USAGE',
      `--again: expected a store that avocet made in a file, got ${got}; name another: --store PATH${isFar(store ?? '') ? ', such as one that the command move made of it' : ''}`,
    )
}

/** How it is called, where handlers cannot be run again on it. */
function unfitStore(store: string | undefined, isConfigured: boolean): string | undefined {
  if (store === undefined) return isConfigured ? "the configuration's own (frontier)" : undefined
  return store === IN_MEMORY || isFar(store) ? shownName(store) : undefined
}

/** Throws AVO_USAGE where nothing is kept. */
async function keptResponses(path: string, { folder }: Place): Promise<KeptResponses> {
  if (existsSync(path)) return (await storeFiles()).openResponses(path)
  throw new AvocetError(
    'AVO_USAGE',
    `--again: expected kept responses in ${nameFrom(folder, path)}, got none; crawl with --cache first, or --fresh requests all pages again`,
  )
}

interface Ending {
  readonly store: KeptCrawl
  readonly asked: SourcedCrawl
  /** Of the store. */
  readonly path: string
  readonly lost: LostResponses
  /** Arguments that differ from the last run. */
  readonly differing: readonly string[]
  readonly today: Today
  readonly exports: readonly OutputSink[]
  readonly place: Place
}

/** The store and the outputs change where all of it was run, and not too much was lost to errors. */
async function finish(run: Supervised, ending: Ending): Promise<ExitCode> {
  const { store, asked, path, exports, place } = ending
  const { signal } = run
  const { options } = asked
  const ran = reportOf(run.report)
  // What the schema refused is set aside in the store: nothing is lost by it.
  const lost = exitCodeOfReport({ ...ran, rejects: [] }, { signal, failOver: options.failOver })
  if (ran.ended !== 'done' || lost !== 0) {
    await store.discard()
    const next = [unchangedLine(run)]
    return sayEnd({ ...run, report: ran }, { store: { isDiscarded: true }, options, next, place })
  }
  const untouched = new UntouchedPages()
  const isListed = isSaid('debug', options.logLevel ?? 'info')
  const onUntouched = (page: UntouchedPage): void => {
    untouched.add(page)
    if (isListed) say(place.stderr, untouchedLine(page))
  }
  const finished = await store.finish({ today: ending.today, onUntouched })
  const outputError = await writeAnew(exports, path, place)
  const report = reportOf(run.report, await totalsOf(path))
  const next = nextLines(report, { ...finished, untouched }, ending)
  const named = { path, title: nameFrom(place.folder, path), keeps: true }
  return sayEnd({ ...run, report, ...(outputError && { outputError }) }, { store: named, options, next, place })
}

/** Whoever stops it once nothing waits has all handlers behind them. */
function unchangedLine({ report, signal }: Supervised): string {
  if (signal !== undefined && report.counts.waiting === 0 && report.ended !== 'failed')
    return `${signal} came once the handlers had run over everything that is kept, and before the store was changed: the store and outputs are as they were; run the same command again`
  const why =
    report.ended === 'done' ? 'what the handlers made is discarded' : 'the handlers did not run over everything that is kept'
  return `${why}, so the store and outputs are as they were`
}

/** What stays as it was, what waits, and where the store is as it was before. */
function nextLines(
  { counts: { waiting }, failures }: CrawlReport,
  { before, untouched }: Pick<Finished, 'before'> & { readonly untouched: UntouchedPages },
  { asked, path, lost: { damaged, seeds }, differing, place }: Ending,
): string[] {
  const wait = waiting === 1 ? '1 page is not kept and waits' : `${waiting} pages are not kept and wait`
  return [
    ...(damaged === 0 ? [] : [damagedLine(damaged), deleteLine(nameFrom(place.folder, cachePathOf(path)))]),
    ...(seeds === 0 || differing.length === 0 ? [] : [seedLine(seeds, differing)]),
    ...untouched.lines(damaged),
    ...droppedLines(failures, nameFrom(place.folder, path)),
    ...(waiting === 0 ? [] : [`${wait}; to request ${waiting === 1 ? 'it' : 'them'}:`, `  ${commandOf(asked, place)}`]),
    ...(before === undefined ? [] : [`the store as the last crawl left it is ${nameFrom(place.folder, before)}`]),
  ]
}

function droppedLines(failures: CrawlReport['failures'], store: string): string[] {
  const count = failures.reduce((sum, each) => sum + (each.reason.startsWith(DROPPED_PREFIX) ? each.count : 0), 0)
  if (count === 0) return []
  const stay = `${formatCountOf(count, 'dropped page')} ${count === 1 ? 'stays as it was' : 'stay as they were'}`
  return [
    `${stay}; to take the drop back, and run the handlers over what is kept of them, before --again:`,
    `  ${commandLine(['dlq', 'retry', store, '--class', 'dropped'])}`,
  ]
}

function argumentLines(differing: readonly string[]): string[] {
  if (differing.length === 0) return []
  const differ = differing.length === 1 ? 'differs' : 'differ'
  return [
    `${differing.join(', ')} ${differ} from the last run: the items of all pages are made anew with what was typed; to keep those of the last run, stop this one, and type its arguments`,
  ]
}

function seedLine(seeds: number, differing: readonly string[]): string {
  const are = seeds === 1 ? '1 seed is' : `${formatCountOf(seeds, 'seed')} are`
  return `${are} not kept, probably because ${differing.join(', ')} ${differing.length === 1 ? 'differs' : 'differ'} from the last run`
}

function damagedLine(count: number): string {
  return count === 1
    ? '1 kept response cannot be read: its page stays as it was'
    : `${formatCountOf(count, 'kept response')} cannot be read: their pages stay as they were`
}

function deleteLine(name: string): string {
  return `delete ${name} and crawl with --cache: it holds only what can be requested again`
}

/** Writes all items of the store, whatever the files had. Returns why one cannot be written. */
async function writeAnew(exports: readonly OutputSink[], path: string, place: Place): Promise<AvocetError | undefined> {
  if (exports.length === 0) return undefined
  const { frontier } = await openedAsItIs(path, place.clock.now(), place)
  try {
    const { reader, keepSink } = frontier
    await deliverAll(exports, { reader, clock: place.clock, keep: keepSink })
    return undefined
  } catch (error) {
    if (error instanceof AvocetError) return error
    throw error
  } finally {
    await frontier.close()
  }
}

/** What a store has of all runs. */
type StoreTotals = Pick<CrawlReport, 'documents' | 'failures' | 'handlerErrors' | 'rejects'> & { readonly counts: Counts }

function totalsOf(path: string): Promise<StoreTotals> {
  return readStore(path, async (reader) => {
    let documents = 0
    for await (const { memory } of hostsOf(reader, ['core'])) documents += documentsIn(memory)
    return {
      counts: { rejects: 0, ...(await reader.counts()) },
      ...(documents > 0 && { documents }),
      failures: await reader.failures(),
      handlerErrors: await reader.handlerErrors(),
      rejects: await reader.rejectGroups(),
    }
  })
}

/** The report of a replay: a page that is not kept has not failed, but waits. Totals are those of the store, where it has adopted the replay. */
function reportOf(report: CrawlReport, totals?: StoreTotals): CrawlReport {
  const { counts, run, failures } = report
  const notKept = failures.find(({ reason }) => reason === NOT_KEPT)?.count ?? 0
  const own = {
    counts: { failed: counts.failed - notKept, waiting: counts.waiting + notKept },
    failures: failures.filter(({ reason }) => reason !== NOT_KEPT),
  }
  const whole = totals ?? own
  const { rejects = 0, ...all } = { ...counts, ...whole.counts }
  const merged = rejects > 0 ? { ...all, rejects } : all
  return { ...report, ...whole, counts: merged, run: { ...run, failed: run.failed - notKept } }
}
