// What to do next after a crawl: only what applies, and each command on a line of its own, so that it can be copied.
import type { CrawlReport } from '@avocet/core'
import type { FatalCode } from '@avocet/core/store'
import { commandLine } from '@avocet/project/place'
import { printable, formatCountOf } from '@avocet/project/text'
import { pagesIn } from '../exit-code.ts'
import { isBehind } from '../text/sink-line.ts'
import { scopeSteps } from '../text/left-undone.ts'

/** What messages call the store. */
export interface StoreName {
  /** Absent when it ends with the process. */
  readonly title?: string
  /** Of its file; absent when only the configuration knows: then `--fresh` cannot forget it. */
  readonly path?: string
  /** How a command is told of it. Default: the title. */
  readonly word?: string
  /** Whether responses of it are kept. */
  readonly keeps?: boolean
}

/** What was typed, as far as the next command depends on it. */
interface Typed extends StoreName {
  /** Files and `-`, as they were typed. */
  readonly outputs: readonly string[]
  /** By output, the items that it has: one that came later, or that items are set aside for, has fewer than the store. Default: all. */
  readonly written?: ReadonlyMap<string, number>
  readonly fresh: boolean
  /** A report in JSON has the number of items. */
  readonly json: boolean
  /** The run had a page, which has ended with it. */
  readonly hadPage?: boolean
  /** How the command was called: `avocet`, or `npx avocet`. */
  readonly command: string
  /** Options that tell `parse` of the same spider. */
  readonly spider?: readonly string[]
  /** URLs were typed in place of a spider. */
  readonly ofUrls?: boolean
}

/** Errors of a store that the same command would only meet again; their message says what helps. */
const NO_WAY_ON: ReadonlySet<string> = new Set<FatalCode>(['AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_MISSING'])

/** The line for a crawl whose reader left, as `head` does. */
export function closedEarly(typed: Typed): string {
  const goOn = typed.title === undefined ? '' : `; to resume, ${again(typed)}`
  return `stopped: standard output was closed${goOn}`
}

/** Lines without control characters. `next`: how to go on, where a run knows better than its report. */
export function nextStep(report: CrawlReport, typed: Typed, next: readonly string[] = goingOn(report, typed)): string[] {
  if (report.error && NO_WAY_ON.has(report.error.code)) return []
  return [
    ...itemLines(report, typed),
    ...handlerLines(report, typed),
    ...nothingLines(report, typed),
    ...onePageLines(report, typed),
    ...reportLines(report, typed),
    ...(typed.title === undefined
      ? []
      : scopeSteps(report, { command: typed.command, ...(typed.path !== undefined && { store: typed.word ?? typed.title }) })),
    ...pausedHostLines(report, typed),
    ...next,
  ]
}

/** Where the items are. */
function itemLines(
  { ended, counts, error, sinks = [] }: CrawlReport,
  { title, path, word = title, outputs, written, command, json, spider = [] }: Typed,
): string[] {
  if (json || error !== undefined) return []
  if (counts.items === 0 && (ended !== 'done' || counts.done === 0)) return []
  const { rejects = 0 } = counts
  if (counts.items === 0 && rejects > 0) return [`no items: the schema refused ${formatCountOf(rejects, 'item')}`]
  if (counts.items === 0)
    return ['no items; to see what a handler yields for a page:', `  ${commandLine(['parse', 'URL', ...spider], command)}`]
  const files = outputs.filter((output) => output !== '-')
  const items = formatCountOf(counts.items, 'item')
  // What is behind is told in a line of its own.
  if (files.length > 0) return sinks.some(isBehind) ? [] : [inFiles(files, (file) => written?.get(file) ?? counts.items)]
  // The report says how many of them each sink got.
  if (outputs.length > 0 || sinks.length > 0) return []
  if (title === undefined) return [`${items} not kept: the store was in memory; to write items to a file, add -O items.jsonl`]
  if (path === undefined || word === undefined)
    return [`${items} in the store; to write them to a file, run the same command again with -O items.jsonl`]
  return [`${items} in the store; to write them to a file:`, `  ${commandLine(['export', word, '-O', 'items.jsonl'], command)}`]
}

/** `6 items in a.jsonl, b.csv`, or each with its own count. */
function inFiles(files: readonly string[], countOf: (file: string) => number): string {
  const told = files.map((file) => ({ name: printable(file), items: formatCountOf(countOf(file), 'item') }))
  const [first, ...others] = told
  if (first !== undefined && others.every(({ items }) => items === first.items))
    return `${first.items} in ${told.map(({ name }) => name).join(', ')}`
  return told.map(({ name, items }) => `${items} in ${name}`).join(', ')
}

/** A line, and the command below it, of a store that commands find. */
function step(
  { title, path, word = title, command }: Typed,
  line: string,
  [verb, ...options]: readonly [string, ...string[]],
): string[] {
  return word === undefined || path === undefined
    ? []
    : [line, `  ${commandLine([...verb.split(' '), word, ...options], command)}`]
}

/** Which pages lost their items to a handler, and which items were set aside. */
function handlerLines({ handlerErrors, rejects }: CrawlReport, typed: Typed): string[] {
  return [
    ...(handlerErrors.length === 0
      ? []
      : step(typed, 'to see all pages that handlers failed on:', ['failed list', '--class', 'handler'])),
    ...(rejects.length === 0 ? [] : step(typed, 'to see the items that were set aside, and why:', ['rejects'])),
  ]
}

/** Where every page failed, each is worth a look. When the crawl is run again to no end, `goingOn` says so. */
function nothingLines(report: CrawlReport, typed: Typed): string[] {
  if (pagesIn(report) > 0 || report.counts.failed === 0 || report.run.requests === 0) return []
  return step(typed, 'no page succeeded; to see which failed, and how to retry:', ['failed list'])
}

/** Links that were refused have lines of their own. */
function onePageLines({ ended, counts, refusedLinks }: CrawlReport, { ofUrls = false }: Typed): string[] {
  const isOnly = counts.done === 1 && counts.known === counts.done + counts.moved && refusedLinks.length === 0
  if (!ofUrls || ended !== 'done' || !isOnly) return []
  return ['the only page links to no other; if a script makes its links, a configuration with browser renders it']
}

function reportLines({ run }: CrawlReport, typed: Typed): string[] {
  const line = 'for rates, refusals, and how each host was treated (--html FILE writes a page):'
  return [
    ...(run.requests === 0 ? [] : step(typed, line, ['report'])),
    ...(typed.hadPage === true ? step(typed, 'the page has ended with the crawl; to look at it again:', ['ui']) : []),
  ]
}

/** The next run leaves them alone, too. */
function pausedHostLines({ pausedHosts }: CrawlReport, { title, path, word = title, command }: Typed): string[] {
  const [first] = pausedHosts?.first ?? []
  if (pausedHosts === undefined || first === undefined || word === undefined) return []
  const which = path === undefined ? [] : [word]
  const hostKey = printable(first.hostKey)
  const resume = `  ${commandLine(['host', 'resume', hostKey, ...which], command)}`
  if (pausedHosts.count === 1) return [`an operator has paused ${hostKey}; to end the pause:`, resume]
  const many = formatCountOf(pausedHosts.count, 'host')
  const list = `  ${commandLine(['hosts', ...which], command)}`
  return [`an operator has paused ${many}; to list them, and to end the pause of one:`, list, resume]
}

function goingOn({ ended, resumed, run, counts, paused, rounds }: CrawlReport, typed: Typed): string[] {
  const { title, path, command } = typed
  if (title === undefined) return []
  const { word = title } = typed
  if (paused && counts.waiting > 0) {
    const which = path === undefined ? [] : [word]
    return [
      'an operator has paused the crawl; to end the pause:',
      `  ${commandLine(['resume', ...which], command)}`,
      `then ${again(typed)}`,
    ]
  }
  if (ended === 'given-up') return [`to probe the hosts that were given up, ${again(typed)}`]
  if (counts.waiting > counts.retired) return [`to resume, ${again(typed)}`]
  if (ended !== 'done' || !resumed || run.requests > 0) return []
  if (rounds.length > 0) return ['nothing to do in a run without --every; with it, the rounds go on']
  const afresh = path === undefined ? `an empty store (${title})` : '--fresh'
  const handlers = typed.keeps === true ? `${command} replay runs the handlers over kept responses, ` : ''
  const nothing = `nothing to do: no known URL is waiting; ${handlers}${afresh} starts over, new seeds are crawled`
  const failed = `to see which ${counts.failed === 1 ? 'page' : 'pages'} failed, and how to retry:`
  return [nothing, ...(counts.failed === 0 ? [] : step(typed, failed, ['failed list']))]
}

function again({ title = '', fresh }: Typed): string {
  return `${sameCommand(fresh)} (store: ${printable(title)})`
}

/** How to go on with a store: `--fresh` would begin anew. */
export function sameCommand(fresh: boolean): string {
  return `run the same command again${fresh ? ' without --fresh' : ''}`
}
