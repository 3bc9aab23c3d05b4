// `avocet status` and `avocet hosts`: how far a crawl is, and each of its hosts, from its store.
import type { Orders } from '@avocet/at-rest'
import { formatDuration } from '@avocet/core/plugin'
import { type Counts, type CrawlingProcess, type FrontierInfo, type HostRecord } from '@avocet/core/store'
import type { StoredReport } from '@avocet/core/tools'
import { hostYield, type HandlerYield } from '@avocet/plugin-journal'
import { commandName, print, writeDocument, type Place } from '@avocet/project/place'
import { type NamedStore, shownName, withReader } from '@avocet/project/store'
import { column, columnsOf, fold, formatCount, formatCountOf, printable, screenColumns } from '@avocet/project/text'
import { byName, conditionsInWords, HOST_CONDITIONS, hostInWords, whenInWords, type JudgedHost } from '../text/left-undone.ts'
import { limitsInWords } from '../text/orders-in-words.ts'
import { sinkLine } from '../text/sink-line.ts'
import { driedUpLine, filesLine, heldIn, heldLines, refusedLine, rejectGroupLine, roundLine } from '../text/store-words.ts'
import { crawlAtRest, sinksAtRest, type SinkAtRest } from './at-rest.ts'
import { failedLoginsOf, loginLine, type FailedLogin } from './failed-logins.ts'
import { filesTotals, type FilesTotals } from './files-totals.ts'
import { sizeRows } from './store-size.ts'

/** What was typed. */
export interface StoreWish extends NamedStore {
  readonly json: boolean
}

/** What a store says of itself. */
interface Standing extends Omit<FrontierInfo, 'memories'>, Omit<StoredReport, 'paused'> {
  readonly store: string
  /** By an order, which holds until somebody resumes it. */
  readonly paused: boolean
  readonly sinks: readonly SinkAtRest[]
  /** Sessions that could not log in. */
  readonly failedLogins: readonly FailedLogin[]
  /** Absent: the crawl has to do with none. */
  readonly files: FilesTotals | undefined
  /** Epoch ms of the last change of a watched item. Absent: none was recorded. */
  readonly lastChangeAt: number | undefined
  readonly bytes?: Parameters<typeof sizeRows>[0]
}

/** Groups that are told; --json has more. */
const MAX_REJECTS = 10

/** Prints totals and the reasons of failures; with `json` one document. */
export function statusCommand({ json, ...wish }: StoreWish, place: Place): Promise<void> {
  const { stdout } = place
  return withReader(place, wish, async (reader, path) => {
    const crawl = await crawlAtRest(reader)
    const { memories: _ofPlugins, ...info } = await reader.info()
    const standing: Standing = {
      store: shownName(path),
      ...info,
      ...(await crawl.report({ now: place.clock.now() })),
      paused: crawl.orders.isPaused,
      sinks: await sinksAtRest(reader, path),
      failedLogins: await failedLoginsOf(reader, crawl),
      files: await filesTotals(reader),
      lastChangeAt: (await reader.changes({ newestFirst: true, limit: 1 }))[0]?.at,
      ...(reader.sizes && { bytes: await reader.sizes(place.clock.now()) }),
    }
    if (json) await writeDocument(stdout, { schema: 1, state: stateOfCounts(standing.counts, standing), ...standing })
    else await print(stdout, lines(standing, place))
  })
}

/** How far a crawl is. `silent`: its processes may be dead; `given-up`: all that waits is of hosts that were given up; `again`: until pages are due again. */
export function stateOfCounts(
  { known, waiting, retired, again = 0 }: Counts,
  info: Pick<FrontierInfo, 'liveProcesses' | 'processes'>,
): 'crawled' | 'silent' | 'unused' | 'unfinished' | 'given-up' | 'again' | 'finished' {
  if (info.liveProcesses > 0) return phaseOf(info) === 'silent' ? 'silent' : 'crawled'
  if (known === 0) return 'unused'
  if (waiting > 0) return waiting > retired ? 'unfinished' : 'given-up'
  return again > 0 ? 'again' : 'finished'
}

function stateRows(standing: Standing, now: number): readonly (readonly [string, string])[] {
  const { counts, paused, processes = [] } = standing
  const states = {
    crawled: crawledBy(standing),
    silent: crawledBy(standing),
    unused: 'nothing has run yet',
    unfinished: 'at rest, not finished',
    'given-up': 'idle; the remaining requests belong to hosts that were given up, run it to probe them',
    again: 'at rest; pages are due again, run it to resume',
    finished: 'at rest, finished',
  }
  return [
    ['state', states[stateOfCounts(counts, standing)]],
    ...(paused ? [['', `paused; ${commandName()} resume continues it`] as const] : []),
    ...processLines(processes, now).map((line) => ['', line] as const),
  ]
}

function lines(standing: Standing, { folder, clock }: Place): string[] {
  const { name, store, counts, failures, rejects, refusedLinks, sinks, failedLogins, driedUp, lastChangeAt } = standing
  const { known, waiting, retired, done, moved, failed, items, itemsGone = 0, again = 0 } = counts
  const refused = (counts.rejects ?? 0) - heldIn(rejects)
  const rows: readonly (readonly [string, string])[] = [
    ['crawl', printable(name)],
    ['store', store],
    ...stateRows(standing, clock.now()),
    ['known', formatCount(known)],
    [
      'waiting',
      retired > 0 ? `${formatCount(waiting)} (${formatCount(retired)} at hosts that were given up)` : formatCount(waiting),
    ],
    ['done', formatCount(done)],
    ['moved', formatCount(moved)],
    ['failed', formatCount(failed)],
    // Of done, moved and failed: a page that failed or moved has its rounds, too.
    ...(again > 0 ? [['due', `${formatCountOf(again, 'page')} to be visited again`] as const] : []),
    ...standing.rounds.map((each, n) => [n === 0 ? 'rounds' : '', roundLine(each, clock.now())] as const),
    ['items', itemsGone > 0 ? `${formatCount(items)} (${formatCount(itemsGone)} old ones removed)` : formatCount(items)],
    ...(refused > 0 ? [['rejects', `${formatCountOf(refused, 'item')} set aside`] as const] : []),
    ...heldLines(rejects).map((line) => ['held', line] as const),
    ...(lastChangeAt === undefined ? [] : [['changes', changesInWords(lastChangeAt, clock.now())] as const]),
    ...(standing.files === undefined ? [] : [['files', filesLine(standing.files)] as const]),
    ...sinks.map((sink, n) => [n === 0 ? 'sinks' : '', sinkLine(sink, folder)] as const),
    ...failedLogins.map((each, n) => [n === 0 ? 'logins' : '', loginLine(each)] as const),
    ...refusedLinks.map((each, n) => [n === 0 ? 'refused' : '', refusedLine(each)] as const),
    ['hosts', hostsInWords(standing)],
    ...closedRows(standing, clock.now()),
    ...sizeRows(standing.bytes, sinks),
  ]
  return [
    ...rows.map(([label, value]) => `${label.padEnd(8)} ${value}`),
    ...driedUp.slice(0, MAX_REJECTS).map((each) => `  broken layout ${driedUpLine(each)}`),
    ...failures.map(({ reason, count }) => `  failed ${formatCount(count)} × ${printable(reason)}`),
    ...rejects.slice(0, MAX_REJECTS).map((group) => `  set aside ${rejectGroupLine(group)}`),
  ]
}

/** `12 hosts; shop.example: visited from 20:00 to 08:00 Europe/Berlin, next request in 3 h`: of those that are reported. */
function closedRows({ waitingHosts }: Standing, now: number): readonly (readonly [string, string])[] {
  const closed = waitingHosts.filter(({ why, until }) => until > now && /^(?:hours: visited|robots: Visit-time) /.test(why))
  const [first] = closed.toSorted((a, b) => a.until - b.until)
  if (first === undefined) return []
  const { hostKey, why, until } = first
  const example = `${printable(hostKey)}: ${printable(why.replace(/^\w+: /, ''))}, next request ${whenInWords(until, now)}`
  return [['closed', `${formatCountOf(closed.length, 'host')}; ${example}`]]
}

/** `the last one 3 min ago; avocet changes lists them`. */
function changesInWords(at: number, now: number): string {
  return `the last one ${formatDuration(Math.max(0, now - at))} ago; ${commandName()} changes lists them`
}

/** `40: 9 unreachable, 4 slow, 27 fine`. */
function hostsInWords({ counts, conditions }: Standing): string {
  return counts.hosts === 0 ? '0' : `${formatCount(counts.hosts)}: ${conditionsInWords(conditions)}`
}

function crawledBy({ liveProcesses, processes = [] }: Standing): string {
  const silence = silenceOf(processes)
  const many = formatCountOf(liveProcesses, 'process', 'processes')
  if (silence === undefined) return `being crawled by ${many}`
  return `${many} not heard from for ${formatDuration(silence)}; run it to take over`
}

const MAX_HOST_COLUMNS = 60
/** Shorter, a name says nothing. */
const LEAST_HOST_COLUMNS = 12

/** Prints a table; with `json` one document. */
export function hostsCommand({ json, ...wish }: StoreWish, place: Place): Promise<void> {
  const { stdout, clock } = place
  return withReader(place, wish, async (reader) => {
    const crawl = await crawlAtRest(reader)
    const hosts: ListedHost[] = []
    const now = clock.now()
    for await (const record of crawl.hosts({ memory: 'core' })) {
      const { memory, ...host } = record
      const ordered = crawl.orders.hostAt(record.hostKey, now)
      hosts.push({ ...host, ...crawl.judge(record, now), ...ordered, handlers: hostYield(memory) })
    }
    const rank = ({ condition }: ListedHost): number => HOST_CONDITIONS.indexOf(condition)
    hosts.sort((a, b) => rank(a) - rank(b) || lostItems(b) - lostItems(a) || b.waiting - a.waiting || byName(a, b))
    const known = new Set(hosts.map(({ hostKey }) => hostKey))
    const ahead = crawl.orders.hostsAt(now).filter(({ hostKey }) => !known.has(hostKey))
    const { isPaused: paused, listed: orders } = crawl.orders
    if (json) return writeDocument(stdout, { schema: 1, paused, hosts, ahead, orders })
    await print(stdout, [
      ...(paused ? [`the crawl is paused; ${commandName()} resume continues it`] : []),
      ...hostLines(hosts, screenColumns(stdout), now),
      ...ahead.map((each) => `${printable(each.hostKey)}: not met yet; ${orderedInWords(each, now).join('; ')}`),
    ])
  })
}

/** What operators have ordered of it. */
type OrderedHost = ReturnType<Orders['hostAt']>

/** What plugins remember is theirs to show. */
interface ListedHost extends Omit<HostRecord, 'memory'>, JudgedHost, OrderedHost {
  readonly handlers: readonly HandlerYield[]
}

/** Of handlers that got some, and get none any more, or fail. */
function lostItems({ handlers, condition }: ListedHost): number {
  return condition === 'broken layout' ? handlers.reduce((sum, { items }) => sum + items, 1) : 0
}

function itemsOf({ handlers }: ListedHost): number {
  return handlers.reduce((sum, { items }) => sum + items, 0)
}

/** A table whose names are cut to what its numbers leave of the screen. A state that does not fit into the rest of its line stands below it. */
function hostLines(hosts: readonly ListedHost[], columns: number, now: number): string[] {
  const head = ['host', 'waiting', 'done', 'moved', 'failed', 'retried', 'items', 'state']
  const rows = [head, ...hosts.map((host) => cellsOf(host, now))]
  const widths = head.map((_, n) => rows.reduce((most, row) => Math.max(most, columnsOf(row[n] ?? '')), 0))
  const numbers = widths.slice(1, -1).reduce((sum, width) => sum + width + 2, 0)
  const nameColumns = Math.min(widths[0] ?? 0, MAX_HOST_COLUMNS, Math.max(LEAST_HOST_COLUMNS, columns - numbers))
  return rows.flatMap((row) => {
    const counts = row.slice(1, -1).map((cell, n) => column(cell, widths[n + 1] ?? 0, 'right'))
    const line = [column(row[0] ?? '', nameColumns), ...counts].join('  ')
    const state = row.at(-1) ?? ''
    if (columnsOf(line) + 2 + columnsOf(state) <= columns) return [`${line}  ${state}`.trimEnd()]
    return [line, ...fold(`  ${state}`, columns)]
  })
}

function cellsOf(host: ListedHost, now: number): readonly string[] {
  const counts = [host.waiting, host.done, host.moved, host.failed, host.retried, itemsOf(host)].map(formatCount)
  // That it is paused is its state.
  const { pausedUntil, ...ordered } = host
  const orders = orderedInWords(typeof pausedUntil === 'number' ? host : ordered, now)
  return [printable(host.hostKey), ...counts, [hostInWords(host, now), ...orders].join('; ')]
}

/** What operators have ordered for it. */
function orderedInWords({ pausedUntil, limits }: OrderedHost, now: number): string[] {
  return [
    ...(pausedUntil === null ? ['paused until it is resumed'] : []),
    ...(typeof pausedUntil === 'number' ? [`paused for ${formatDuration(pausedUntil - now)}`] : []),
    ...(limits === undefined ? [] : [limitsInWords(limits)]),
  ]
}

// The processes that crawl, one a line: `crawler-1: process 4711 holds 32 hosts, running for 12 min, last heard from 2 s ago`.
//
// Nobody can tell at once that a process of another machine died: it counts as one that crawls until another process takes its hosts over. So one that was not
// heard from for longer than a process may hold its hosts without a word is told apart.

/**
 * From when on it may be dead: another process would take its hosts over. It is `buryMs` of plugin-postgres, which is loaded only for a store on a server.
 * Of a store in a file it is known whether a process lives.
 */
const MAYBE_DEAD_AFTER_MS = 30_000

/** For how long none of them was heard from, in ms, where that is so long that all of them may be dead. */
export function silenceOf(processes: readonly CrawlingProcess[]): number | undefined {
  const shortest = Math.min(...processes.map((each) => (maybeDead(each) ? (each.silentMs ?? 0) : 0)))
  return processes.length > 0 && shortest > 0 ? shortest : undefined
}

/** What the page says of a crawl that another process runs, or none. */
export function phaseOf(info: Pick<FrontierInfo, 'liveProcesses' | 'processes'>): 'at-rest' | 'elsewhere' | 'silent' {
  if (info.liveProcesses === 0) return 'at-rest'
  return silenceOf(info.processes ?? []) === undefined ? 'elsewhere' : 'silent'
}

function maybeDead({ machine, silentMs = 0 }: CrawlingProcess): boolean {
  return machine !== undefined && silentMs >= MAYBE_DEAD_AFTER_MS
}

/** Lines of them, in their order. `now`: epoch ms. */
export function processLines(processes: readonly CrawlingProcess[], now: number): string[] {
  return processes.map((each) => {
    const { machine, pid, hosts, since, silentMs } = each
    const silence = silentMs === undefined ? '' : formatDuration(silentMs)
    const where = machine === undefined ? '' : `${printable(machine)}: `
    const facts = [
      `${where}process ${String(pid)} holds ${formatCountOf(hosts, 'host')}`,
      ...(since === undefined ? [] : [`running for ${formatDuration(Math.max(0, now - since))}`]),
      ...(silence === ''
        ? []
        : [maybeDead(each) ? `not heard from for ${silence}, it may be dead` : `last heard from ${silence} ago`]),
    ]
    return facts.join(', ')
  })
}
