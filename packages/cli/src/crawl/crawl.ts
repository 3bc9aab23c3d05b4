// `avocet crawl`: plans the crawl, makes sure that its output and store can be used, and runs it.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CrawlReport, Plugin } from '@avocet/core'
import type { ExitCode } from '../exit-codes.ts'
import { RunOutputs } from '../export/run-outputs.ts'
import { plannedCrawl } from '../load/plan-crawl.ts'
import { localPlace, nameFrom } from '../load/store-path.ts'
import { spiderSource } from '../load/spider-source.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { say } from '../output/people.ts'
import type { Place } from '../place.ts'
import type { FailedPagesWish } from '../store/failed-pages.ts'
import { printable } from '../text/printable.ts'
import { FAILED_OVER_LINE, Failovers } from './after-failover.ts'
import { crawlAgain } from './crawl-again.ts'
import { storeFiles } from '../store-kinds/store-files.ts'
import { cachePathFor, commandOf, outputPlaceOf, wishOf, type AskedCrawl } from './crawl-places.ts'
import { crawlStore, foreignCrawl, startOver, unusedStores, type CrawlStore } from './crawl-store.ts'
import { isSaid } from './log-level.ts'
import { sayEnd } from './say-end.ts'
import { superviseCrawl } from './supervise-crawl.ts'

/** Runs a crawl to its end, or to its next resting place. */
export async function crawlCommand(options: CrawlOptions, place: Place): Promise<ExitCode> {
  const failovers = new Failovers()
  for (let asked = options; ;) {
    const planned = await plannedCrawl(asked, place)
    const source = planned.path === undefined ? undefined : await spiderSource(planned.path, place.folder)
    if (asked.again) return crawlAgain({ options: asked, planned, source }, place)
    const ended = await oneRun({ options: asked, planned, source }, failovers, place).catch((error: unknown) => {
      const next = failovers.after({ error }, planned, asked)
      if (next === undefined) throw error
      return next
    })
    if (typeof ended === 'number') return ended
    if (isSaid('warn', options.logLevel ?? 'info')) say(place.stderr, FAILED_OVER_LINE)
    asked = ended
  }
}

/** Runs it until it ends. Returns the exit code, or what to begin anew with. */
async function oneRun(
  { options, planned, source }: AskedCrawl,
  failovers: Failovers,
  place: Place,
): Promise<ExitCode | CrawlOptions> {
  const { config } = planned
  const wish = wishOf(options, planned, place)
  const store = await crawlStore(config.frontier, wish)
  const { frontier, path } = store
  const { logLevel = 'info' } = options
  const tell = (line: string): void => {
    if (isSaid('warn', logLevel)) say(place.stderr, line)
  }
  if (options.ignoreRobots) tell('robots.txt is ignored in this run (--ignore-robots); do this only on sites of your own')
  for (const line of await foreignCrawl(wish, config.spider.name)) tell(line)
  const cachePath = cachePathFor(options, planned, place)
  const outputs = await RunOutputs.open(options.outputs, outputPlaceOf(options, path, place))
  try {
    if (path !== undefined && store.title !== undefined && isSaid('warn', logLevel)) await sayUnused(path, store.title, place)
    if (options.fresh && path !== undefined) await startOver(path, options.yes, place)
    const keeps = cachePath !== undefined && existsSync(cachePath)
    const run = await superviseCrawl({
      config: { ...config, plugins: [...config.plugins, ...(await ownPlugins({ planned, source }, cachePath))], frontier },
      frontier,
      outputs,
      events: options.events,
      ...(path !== undefined && { failedPages: failedPagesOf(path, { options, planned }, place) }),
      logLevel,
      resumable: store.title !== undefined,
      remarks: () => remarksOf({ options, planned, source }, { store, keeps, place }),
      place,
    })
    const next = failovers.after(run, planned, options)
    if (next !== undefined) return next
    const again = await againCommand({ options, planned }, { report: run.report, cachePath, place })
    return await sayEnd(run, { store: { ...store, keeps }, options, ...(again !== undefined && { again }), place })
  } finally {
    await outputs.close()
  }
}

interface RemarkParts {
  readonly store: CrawlStore
  /** Whether responses are kept beside it. */
  readonly keeps: boolean
  readonly place: Place
}

/** Said once the plugins have opened. */
function remarksOf({ options, planned, source }: AskedCrawl, { store, keeps, place }: RemarkParts): readonly string[] {
  const { path, title } = store
  return [
    ...planned.proxyLines,
    ...planned.lastArguments.remark(path === undefined ? undefined : title),
    ...changedLines(source, {
      commandWith: (option) => commandOf({ options, planned }, place, [option]),
      keeps,
      canStartOver: path !== undefined,
      folder: place.folder,
    }),
  ]
}

/** What a run with kept responses depends on. */
interface AgainWish {
  readonly report: CrawlReport
  readonly cachePath: string | undefined
  readonly place: Place
}

/** The command that runs the handlers over kept responses, with the outputs that were typed. Undefined where pages that a handler failed on are not kept. */
async function againCommand(
  asked: Omit<AskedCrawl, 'source'>,
  { report: { handlerErrors }, cachePath, place }: AgainWish,
): Promise<string | undefined> {
  if (handlerErrors.length === 0 || cachePath === undefined || !existsSync(cachePath)) return undefined
  try {
    const kept = await (await storeFiles()).openResponses(cachePath)
    try {
      if (!handlerErrors.every(({ url }) => kept.find({ method: 'GET', url }) !== undefined)) return undefined
    } finally {
      kept.close()
    }
  } catch {
    // A cache that cannot be read keeps nothing.
    return undefined
  }
  const outputs = asked.options.outputs.flatMap(({ path, mode }) => [mode === 'append' ? '-o' : '-O', path])
  return commandOf(asked, place, ['--again', ...outputs])
}

/** Beside which store pages are kept that handlers fail on, and what the spider was made with. */
function failedPagesOf(
  store: string,
  { options: { configPath }, planned }: Omit<AskedCrawl, 'source'>,
  { folder }: Place,
): FailedPagesWish {
  const typed = { args: planned.args, ...(configPath !== undefined && { configPath: resolve(folder, configPath) }) }
  return { path: localPlace(folder, store), spiderPath: planned.path, typed }
}

/** What the command adds to a crawl. */
async function ownPlugins(
  { planned, source }: Omit<AskedCrawl, 'options'>,
  cachePath: string | undefined,
): Promise<readonly Plugin[]> {
  const { cache } = planned
  const own = source === undefined ? [] : [source.plugin]
  if (cache === undefined || cachePath === undefined) return own
  const { responseCache } = await storeFiles()
  return [...own, responseCache(cachePath, cache)]
}

interface ChangePlace {
  readonly commandWith: (option: string) => string
  readonly keeps: boolean
  readonly canStartOver: boolean
  readonly folder: string
}

/** Said at the beginning of a run with a spider that is not that of the last run. */
function changedLines(source: AskedCrawl['source'], { commandWith, keeps, canStartOver, folder }: ChangePlace): string[] {
  const changed = source?.changed()
  if (changed === undefined) return []
  const { path, other } = changed
  const name = nameFrom(folder, path)
  if (other !== undefined)
    return [
      `the last run in this store was of ${other}, this one is of ${name}: items of both are in one store; give one of them another name, or a store of its own with --store`,
    ]
  const line = `${name} (or a file that it imports) changed since the last run: pages already crawled keep their items`
  if (keeps) return [`${line}; to run the handlers over kept responses:`, `  ${commandWith('--again')}`]
  if (canStartOver) return [`${line}; to crawl them anew:`, `  ${commandWith('--fresh')}`]
  return [line]
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
