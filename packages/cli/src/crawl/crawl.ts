// `avocet crawl`: plans the crawl, makes sure that its output and store can be used, and runs it.
import type { CrawlReport } from '@avocet/core'
import { DEFAULT_FAIL_OVER, exitCodeOfError, exitCodeOfReport, type ExitCode } from '../exit-code.ts'
import { closeAll, openOutputs } from '../export/outputs.ts'
import { spiderFileOf } from '../load/chosen-spider.ts'
import { planCrawl } from '../load/plan-crawl.ts'
import { nameFrom, storePathOf } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { writeDocument } from '../output/machines.ts'
import { say, sayFolded } from '../output/people.ts'
import type { Place } from '../place.ts'
import { howToParse } from '../store/failed-pages.ts'
import { lostToHandlers } from '../store/handler-errors.ts'
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { crawlStore, startOver, unusedStores, type CrawlStore } from './crawl-store.ts'
import { finalReport } from './final-report.ts'
import { closedEarly, commandName, nextStep } from './next-step.ts'
import { superviseCrawl, type Supervised } from './supervise-crawl.ts'

/** Runs a crawl to its end, or to its next resting place. */
export async function crawlCommand(options: CrawlOptions, place: Place): Promise<ExitCode> {
  const config = await planCrawl(options, place)
  const store = await crawlStore(config.frontier, {
    path: storePathOf(config.spider.name, place.folder, options.store),
    typed: options.store !== undefined,
    fresh: options.fresh,
    folder: place.folder,
    clock: config.clock ?? place.clock,
  })
  const { frontier, path } = store
  const tell = (line: string): void => say(place.stderr, line)
  if (options.ignoreRobots) tell('robots.txt does not count in this run (--ignore-robots): for sites of yours')
  const { folder, stdout, clock } = place
  const { csvFormulas } = options
  const outputPlace = { folder, stdout, clock, say: tell, csvFormulas, ...(path !== undefined && { storePath: path }) }
  const exports = await openOutputs(options.outputs, outputPlace)
  try {
    if (path !== undefined && store.title !== undefined) await sayUnused(path, store.title, place)
    if (options.fresh && path !== undefined) await startOver(path, options.yes, place)
    const run = await superviseCrawl({
      config: { ...config, frontier },
      frontier,
      exports,
      events: options.events,
      ...(path !== undefined && { failedPages: { path, spiderPath: spiderFileOf(options.targets, place.folder) } }),
      resumable: store.title !== undefined,
      place,
    })
    return await sayEnd(run, { store, options, place })
  } finally {
    await closeAll(exports)
  }
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

function tooManyLost(report: CrawlReport, failOver = DEFAULT_FAIL_OVER): string {
  const { pages, of } = lostToHandlers(report)
  return `handlers failed on ${formatCount(pages)} of ${formatCountOf(of, 'page')}, more than --fail-over ${Number((100 * failOver).toFixed(4))}% allows; mend the lines above, then avocet dlq retry --class handler`
}

/** Says how it ended. Somebody who closed standard output wants to hear no more than that this ended it. */
async function sayEnd(
  { report, signal, outputError }: Supervised,
  { store, options, place }: { store: CrawlStore; options: CrawlOptions; place: Place },
): Promise<ExitCode> {
  const { stdout, stderr, paint } = place
  const { json, fresh, failOver } = options
  const typed = { ...store, outputs: options.outputs.map(({ path }) => path), fresh, json, command: commandName(process.env) }
  if (outputError?.code === 'AVO_OUTPUT_CLOSED') {
    sayFolded(stderr, closedEarly(typed))
    return exitCodeOfError(outputError.code)
  }
  if (json) await writeDocument(stdout, report)
  // An output fails with the store that keeps its mark: that is one error.
  const ofOutput = outputError?.message === report.error?.message ? undefined : outputError
  const errors = [report.error, ofOutput].filter((error) => error !== undefined)
  const code = outputError && !report.error ? exitCodeOfError(outputError.code) : exitCodeOfReport(report, { signal, failOver })
  const lines = [
    ...(json ? [] : finalReport(report, paint, place.folder)),
    ...errors.map(({ code, message }) => `${paint('bad', 'avocet:')} ${printable(message)} (${code})`),
    ...(json || store.path === undefined ? [] : await howToParse(report.handlerErrors, store.path, place.folder)),
    ...(code === 11 ? [`${paint('bad', 'avocet:')} ${tooManyLost(report, failOver)}`] : []),
    ...nextStep(outputError && !report.error ? { ...report, error: outputError } : report, typed),
  ]
  sayFolded(stderr, lines)
  return code
}
