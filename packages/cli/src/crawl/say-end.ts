// The end of a run for people, and its exit code.
import { resolve } from 'node:path'
import type { AvocetError, CrawlReport } from '@avocet/core'
import type { ExitCode } from '@avocet/project/command'
import { outputName, storeWord, cachePathOf, failedPathOf, localPlace, keptIn } from '@avocet/project/store'
import { type CrawlOptions, given } from '@avocet/project/options'
import { writeDocument, say, type Place, commandLine, commandName } from '@avocet/project/place'
import { type Paint, printable, formatCount, formatCountOf } from '@avocet/project/text'
import { isSaid } from '@avocet/project/log'
import { DEFAULT_FAIL_OVER, exitCodeOfError, exitCodeOfReport, refusalsOver } from '../exit-code.ts'
import { seedsInWords } from '../text/left-undone.ts'
import { behindInWords, leftBehind } from '../text/sink-line.ts'
import { finalReport, type ToldReport } from './final-report.ts'
import { spiderWords } from './crawl-places.ts'
import { closedEarly, nextStep, sameCommand, type StoreName } from './next-step.ts'
import { isUnseen } from './shown-in.ts'
import type { Supervised } from './supervise-crawl.ts'
import type { HandlerErrorGroup } from '@avocet/core/store'

/** What else its words depend on. */
interface Ending {
  readonly store: StoreName
  readonly options: CrawlOptions
  /** Said instead of what applies after a crawl. */
  readonly next?: readonly string[]
  readonly place: Place
}

/** Says how it ended. Somebody who closed standard output wants to hear no more than that this ended it. */
export async function sayEnd(
  { report, signal, outputError }: Supervised,
  { store, options, next, place }: Ending,
): Promise<ExitCode> {
  const { stdout, paint } = place
  const stderr = place.stderr
  const { json, fresh, failOver, logLevel = 'info' } = options
  const isTold = isSaid('info', logLevel)
  const typed = {
    ...store,
    ...(store.path !== undefined && { word: storeWord(place.folder, store.path) }),
    ...outputsOf(options.outputs, report, { folder: place.folder, ...given('path', store.path) }),
    ...{ fresh, json, hadPage: options.ui !== undefined },
    command: commandName(),
    spider: spiderWords(options),
    ofUrls: URL.canParse(options.targets[0] ?? ''),
  }
  if (outputError?.code === 'AVO_OUTPUT_CLOSED') {
    if (isSaid('warn', logLevel)) say(stderr, closedEarly(typed))
    return exitCodeOfError(outputError.code)
  }
  if (json) await writeDocument(stdout, report)
  const errors = errorsOf(report, outputError)
  const code = outputError && !report.error ? exitCodeOfError(outputError.code) : exitCodeOfReport(report, { signal, failOver })
  const told = withPaths(report, typed, place.folder)
  const lines = [
    ...(json || !isTold ? [] : finalReport(told, paint, place.folder)),
    ...errors.map((error) => `${paint('bad', 'avocet:')} ${printable(error.message)} (${error.code})`),
    ...(json || !isTold || store.path === undefined
      ? []
      : await howToParse(report.handlerErrors, { path: store.path, folder: place.folder, spider: typed.spider })),
    ...(code === 11 ? tooMuchLost(report, typed, { options, paint }) : []),
    ...(errors.length === 0 ? sinksBehind(told, typed, { folder: place.folder, paint }) : []),
    ...(isTold ? nextStep(outputError && !report.error ? { ...report, error: outputError } : report, typed, next) : []),
  ]
  logEnd({ report, errors, code }, place)
  if (!isUnseen(place)) say(stderr, lines)
  return code
}

type ErrorInWords = NonNullable<CrawlReport['error']>

/** An output fails with the store that keeps its mark: that is one error. */
function errorsOf(report: CrawlReport, outputError: AvocetError | undefined): readonly ErrorInWords[] {
  const ofOutput = outputError?.message === report.error?.message ? undefined : outputError
  return [report.error, ofOutput].filter((error) => error !== undefined)
}

/** A log has the end in one line, and errors in one each. */
function logEnd(
  { report, errors, code }: { readonly report: CrawlReport; readonly errors: readonly ErrorInWords[]; readonly code: ExitCode },
  { log }: Pick<Place, 'log'>,
): void {
  if (log === undefined) return
  for (const error of errors) log.write({ level: 'error', event: 'error', code: error.code, message: printable(error.message) })
  const { ended, why, run, counts, endedAt, seeds } = report
  const { pages, requests, failures, items } = run
  log.write({
    level: errors.length > 0 ? 'error' : 'info',
    event: 'end',
    message: printable(seeds === undefined ? why : `${why}; seeds: ${seedsInWords(seeds)}`),
    at: endedAt,
    reason: ended,
    counts: { exitCode: code, pages, requests, failures, items, itemsInAll: counts.items, waiting: counts.waiting },
  })
}

/** Which sinks lack items, why being above. The exit code may be that of something worse, or of a signal. */
function sinksBehind(
  told: ToldReport,
  { title, fresh }: StoreName & Pick<CrawlOptions, 'fresh'>,
  { folder, paint }: { readonly folder: string; readonly paint: Paint },
): string[] {
  const late = behindInWords(leftBehind(told), folder)
  if (late === undefined) return []
  const goOn = title === undefined ? '' : `; ${sameCommand(fresh)} to write what is left; no page is requested again for that`
  return [`${paint('bad', 'avocet:')} behind at the end: ${late}${goOn} (AVO_SINK_BEHIND)`]
}

/** The outputs as they were typed, and how many items each has. */
function outputsOf(
  outputs: CrawlOptions['outputs'],
  { sinks = [] }: CrawlReport,
  { folder, path }: { readonly folder: string; readonly path?: string },
): { readonly outputs: readonly string[]; readonly written: ReadonlyMap<string, number> } {
  const counts = new Map(sinks.map(({ name, written }) => [name, written]))
  const written = outputs.flatMap((output) => {
    const items = counts.get(outputName(resolve(folder, output.path), path))
    return items === undefined ? [] : [[output.path, items] as const]
  })
  return { outputs: outputs.map((output) => output.path), written: new Map(written) }
}

/** The store knows outputs by names of its own (`outputName`): they get their paths. */
function withPaths(
  report: CrawlReport,
  { path: storePath, outputs }: { readonly path?: string; readonly outputs: readonly string[] },
  folder: string,
): ToldReport {
  if (report.sinks === undefined || storePath === undefined) return report
  const paths = new Map(
    outputs.map((output) => resolve(folder, output)).map((path) => [outputName(path, storePath), path] as const),
  )
  return {
    ...report,
    sinks: report.sinks.map((sink) => ({ ...sink, ...(paths.has(sink.name) && { path: paths.get(sink.name) ?? '' }) })),
  }
}

/** What this run lost beyond `--fail-over`, and what to do. */
function tooMuchLost(
  { run: { lost, handled }, sinks = [], counts, run }: CrawlReport,
  { title, path, word = title }: StoreName,
  { options: { failOver = DEFAULT_FAIL_OVER, fresh }, paint }: { readonly options: CrawlOptions; readonly paint: Paint },
): string[] {
  const line = (who: string, count: number, of: string): string =>
    `${paint('bad', 'avocet:')} ${who} ${formatCount(count)} of ${of} in this run, more than --fail-over ${Number((100 * failOver).toFixed(4))}% allows`
  const next = (alone: string, beforeCommand: string, words: readonly string[]): string[] =>
    word === undefined || path === undefined ? [alone] : [beforeCommand, `  ${commandLine([...words, word])}`]
  const again = sameCommand(fresh)
  const fixed = `fix the handlers, then ${again}`
  const retry = next(fixed, `${fixed}; to have it request these pages once more:`, ['failed', 'retry', '--class', 'handler'])
  const isDue = counts.again !== undefined
  const fix = isDue ? [`${fixed}: it visits these pages when they are due`] : retry
  const failed = lost > failOver * handled ? [line('handlers failed on', lost, formatCountOf(handled, 'page')), ...fix] : []
  const refused = refusalsOver(failOver, { run, sinks }).map((each) =>
    line(`${printable(each.by)} refused`, each.items, formatCountOf(each.of, 'item')),
  )
  const correct = `correct the schema, the sink or the handlers, then ${again}`
  return [...failed, ...refused, ...(refused.length > 0 ? [correct] : [])]
}

// How to try a handler again on a page that it failed on.

/** Whose pages they are, and how a command is told of the spider. */
interface ParsePlace {
  /** Of the store. */
  readonly path: string
  readonly folder: string
  readonly spider: readonly string[]
}

/** For the first of these pages that is kept, the command on a line of its own; nothing where none is. */
async function howToParse(groups: readonly HandlerErrorGroup[], { path, folder, spider }: ParsePlace): Promise<string[]> {
  const local = localPlace(folder, path)
  const kept = groups.length === 0 ? [] : await keptIn([cachePathOf(local), failedPathOf(local)]).catch(() => [])
  try {
    const group = groups.find(({ url }) => kept.some((each) => each.find({ method: 'GET', url }) !== undefined))
    if (group === undefined) return []
    const words = [group.url, ...spider, '--handler', group.handler, '--store', storeWord(folder, path)]
    return ['to run a handler again on a page that it failed on, without fetching it:', `  ${commandLine(['parse', ...words])}`]
  } catch {
    // What is damaged can be fetched again.
    return []
  } finally {
    for (const each of kept) each.close()
  }
}
