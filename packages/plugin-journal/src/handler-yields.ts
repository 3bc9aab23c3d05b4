// What each handler has got from the pages of a host, in all runs: the counts by which one sees that a site changed and a handler finds nothing any more.
//
// They are counted while a transaction is put together, so they commit with the pages and items that they count, and follow the host's lease from process to
// process. A handler takes some fifty bytes beside its name.
import type { CrawlReport, Plugin } from '@avocet/core'
import { formatDuration, type FailureCode } from '@avocet/core/plugin'
import type { HostRecord, MemoryParts } from '@avocet/core/store'
import { NAME, savedJournal, type JournalMemory, type YieldRow } from './host-memory.ts'

/** Handlers of one host that are counted by name; those beyond are counted together. */
const MAX_HANDLERS = 32
/** No handler can be named so: what those beyond the first ones are counted under. */
const OTHERS = ''
/** Longer names are counted with the others: the memory of a host stays small. */
const MAX_NAME = 100
/** So many of its last visits a handler is judged by. */
const LAST_VISITS = 16
/** With fewer pages it may be chance that a handler yielded nothing for any of them. */
const MANY_PAGES = 10
/** Failures that are missed in the visits since the last one: the handler works again. */
const MISSED_FAILURES = 2
/** Nothing that a handler or its site can help. */
const OF_PLUGINS: ReadonlySet<FailureCode> = new Set(['AVO_PLUGIN_THREW', 'AVO_PLUGIN_TIMEOUT'])
/** e^-5 = 0.7 %. */
const MISSED_PAGES = 5
/** A handler yielded what is neither item nor link; the schema threw on an item; `onItem` of a plugin threw on an item, or took too long. */
const OF_ITEMS = /^AVO_(?:HANDLER_(?:YIELD_INVALID|SCHEMA)|PLUGIN_(?:THREW|TIMEOUT))$/

/** What one handler got from the pages of a host, in all runs. */
export interface HandlerYield {
  /** Absent: all handlers beyond the first 32 of this host, together. */
  readonly handler?: string
  /** Pages that it handled, each visit counted; not those that were as they had been (304, or the same body without an item). */
  readonly pages: number
  /** Items that are stored. */
  readonly items: number
  /** Items that `onItem` of a plugin dropped, by returning `null`, or made into what is not JSON. */
  readonly dropped: number
  /** Pages that failed because it yielded what is neither an item of JSON nor a link, or because the schema or `onItem` of a plugin threw or took too long. */
  readonly spoiled: number
  /** Of the pages: those with at least one item, stored, held or dropped. */
  readonly fruitful: number
  /** How many of the last pages in a row had none. */
  readonly barren: number
  /** Of the pages: those for which it yielded anything, an item or a link. */
  readonly yielding: number
  /** Items that the spider's schema refused. Those that were valid when they were tried again are among them still, and not among the items. */
  readonly rejects: number
  /** Whether it used to get items from the host and gets none any more. */
  readonly driedUp: boolean
  /** Its last visits, at most 16, without those on which a plugin failed. */
  readonly visits: number
  /** How many of these visits failed in it. */
  readonly failing: number
  /** Whether two or more of them failed, and not so many succeeded since that it works again. */
  readonly inTrouble: boolean
  /** When it last handled a page without an error, epoch ms. Absent: never. */
  readonly goodAt?: number
}

/** What became of one page of a handler. */
export interface CountedPage {
  readonly handler: string
  /** `unchanged`: the server said that it is as it was, or its body is and the handler got no item. */
  readonly as: 'handled' | 'unchanged' | 'spoiled' | 'threw'
  /** Why it failed. */
  readonly code?: FailureCode
  /** When the page was fetched, epoch ms. */
  readonly at: number
  readonly items: number
  readonly dropped: number
  readonly rejects: number
  /** Whether there was an item, be it one that a plugin dropped or holds. */
  readonly isFruitful: boolean
  /** Whether the handler yielded anything, an item or a link. */
  readonly yielded: boolean
}

/** What `onCommit` gets. */
export type CountedUnit = Parameters<NonNullable<Plugin['onCommit']>>[0]

/** What is counted of a unit; undefined where no handler of the spider was run. */
export function countedPage(unit: Omit<CountedUnit, 'host' | 'times' | 'refused'>): CountedPage | undefined {
  const { request, outcome, items, held, dropped, rejects, links, isDocument } = unit
  if (isDocument || (outcome.kind !== 'done' && outcome.kind !== 'failed')) return undefined
  // A plugin that keeps only changes drops what a healthy page yields.
  const isFruitful = items + held + dropped > 0
  const yielded = isFruitful || rejects + links > 0
  const counts = { handler: request.handler, at: outcome.fetched?.at ?? 0, items, dropped, rejects, isFruitful, yielded }
  if (outcome.kind === 'failed') {
    const { phase, code } = outcome.failure ?? {}
    return phase === 'handler' && code !== undefined
      ? { ...counts, code, as: OF_ITEMS.test(code) ? 'spoiled' : 'threw' }
      : undefined
  }
  // A handler that looks for what is new returns early from the body of the last visit.
  const bodyHash = outcome.again?.bodyHash
  const isOld = bodyHash !== undefined && bodyHash === request.earlier?.bodyHash && items + held === 0
  return { ...counts, as: isOld ? 'unchanged' : (outcome.reason ?? 'handled') }
}

/**
 * Counts a unit that is about to be committed, and takes one back that the store refused: its counts, not that it was the handler's last page, nor what that
 * one was like.
 */
export function countUnit(memory: Pick<JournalMemory, 'yields'>, unit: CountedUnit): void {
  const page = countedPage(unit)
  if (page !== undefined) count(yieldRowOf((memory.yields ??= []), page.handler), page, unit.times)
}

function withVisit(visits: string, code: FailureCode | undefined): string {
  return code !== undefined && OF_PLUGINS.has(code) ? visits : `${visits}${code === undefined ? 0 : 1}`.slice(-LAST_VISITS)
}

function count(row: YieldRow, { as, code, at, items, dropped, rejects, isFruitful, yielded }: CountedPage, times: 1 | -1): void {
  row[2] += items * times
  row[3] += dropped * times
  row[9] = (row[9] ?? 0) + rejects * times
  if (as === 'spoiled') row[4] += times
  if (as === 'handled') {
    row[1] += times
    if (isFruitful) row[5] += times
    if (yielded) row[8] += times
  }
  if (times === -1) return
  if (as === 'handled') row[6] = isFruitful ? 0 : row[6] + 1
  row[10] = withVisit(row[10] ?? '', code)
  row[11] = code === undefined ? Math.round(at) : (row[11] ?? 0)
}

/**
 * What each handler got from the pages of a host, in all runs, in the order in which the handlers were first used. The items of all handlers and hosts add
 * up to the items of the store.
 *
 * @param memory Of a `HostRecord`, as a reader gives it.
 * @throws AVO_FRONTIER_CORRUPT.
 * @example
 * ```ts
 * for (const { hostKey, memory } of await memoryFrontier().reader.hosts({ limit: 100 }))
 *   for (const { handler, pages, items } of hostYield(memory)) console.log(hostKey, handler, pages, items)
 * ```
 */
export function hostYield(memory: MemoryParts): readonly HandlerYield[] {
  const { yields = [] } = savedJournal(memory) ?? {}
  return yields.map((row) => {
    const [handler, pages, items, dropped, spoiled, fruitful, barren, , yielding, rejects = 0, visits = '', goodAt] = row
    const counts = { pages, items, dropped, spoiled, fruitful, barren, yielding, rejects }
    const judged = { driedUp: hasDriedUp(counts), ...failuresIn(visits), ...(goodAt && { goodAt }) }
    return { ...(handler !== OTHERS && { handler }), ...counts, ...judged }
  })
}

/**
 * Whether a handler used to get items from a host and gets none any more: so many of its last pages had none that, by its pages before, five with items would
 * have been among them. By chance alone that happens to one handler in 150. One that never had an item has not dried up.
 *
 * @example
 * ```ts
 * hasDriedUp({ pages: 440, fruitful: 400, barren: 40 }) // true
 * ```
 */
export function hasDriedUp({ pages, fruitful, barren }: Pick<HandlerYield, 'pages' | 'fruitful' | 'barren'>): boolean {
  return pages > barren && (barren * fruitful) / (pages - barren) >= MISSED_PAGES
}

/** Two failures or more count until so many visits succeeded that, as often as it failed between the first and the last of them, two more would have failed. */
function failuresIn(visits: string): Pick<HandlerYield, 'visits' | 'failing' | 'inTrouble'> {
  const failing = visits.replaceAll('0', '').length
  const last = visits.lastIndexOf('1')
  const since = visits.length - 1 - last
  return {
    visits: visits.length,
    failing,
    inTrouble: failing > 1 && since * failing < MISSED_FAILURES * (last + 1 - visits.indexOf('1')),
  }
}

/** The row that `handler` is counted in, which is added if there is none. */
function yieldRowOf(rows: YieldRow[], handler: string): YieldRow {
  const known = find(rows, handler)
  if (known !== undefined) return known
  const others = find(rows, OTHERS)
  const hasName = handler.length <= MAX_NAME && rows.length - (others === undefined ? 0 : 1) < MAX_HANDLERS
  if (!hasName && others !== undefined) return others
  const made: YieldRow = [hasName ? handler : OTHERS, 0, 0, 0, 0, 0, 0, 0, 0]
  rows.push(made)
  return made
}

function find(rows: readonly YieldRow[], handler: string): YieldRow | undefined {
  return rows.find((row) => row[0] === handler)
}

/**
 * Handlers of a host that got items from it and get none any more, never yielded anything, or fail on its pages now.
 *
 * @throws AVO_FRONTIER_CORRUPT.
 */
export function driedUpOf({ hostKey, memory }: Pick<HostRecord, 'hostKey' | 'memory'>, now: number): CrawlReport['driedUp'] {
  return hostYield(memory).flatMap((each) => {
    const { handler, items, barren } = each
    const why = troubleText(each, now)
    return why === undefined ? [] : [{ hostKey, ...(handler !== undefined && { handler }), items, barren, why }]
  })
}

/** `handler product failed on 4 of its last 16 pages, last good visit 3 min ago`; undefined where it is well. */
function troubleText(counts: HandlerYield, now: number): string | undefined {
  const { handler, items, pages, yielding, barren, visits, failing, goodAt } = counts
  const who = handler === undefined ? 'other handlers' : `handler ${handler}`
  const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
  if (counts.inTrouble) {
    const last = goodAt === undefined ? 'no good visit yet' : `last good visit ${formatDuration(Math.max(0, now - goodAt))} ago`
    return `${who} failed on ${failing} of its last ${visits} pages, ${last}`
  }
  if (counts.driedUp) return `no items in the last ${many(barren, 'page')} of ${who}, after ${many(items, 'item')}`
  return yielding === 0 && pages >= MANY_PAGES ? `neither an item nor a link from any of ${pages} pages of ${who}` : undefined
}

// Links that were not followed, by the rule that refused them and the host that they led to. A few hosts each are named; a footer names the same ones on every
// page.

/** Hosts and rules that are told apart, of the links of one host; further hosts are counted by rule alone. */
const MAX_ROWS = 16
/** It has none, or is one of many. */
const NO_HOST = ''
/** Plugins have names, and a host may be long: neither may fill the memory of a host. */
const MAX_CHARACTERS = 100

/** As they are kept: rule, host or nothing, links. */
type RefusalRow = [string, string, number]

/** Adds what the pages of a unit had, and takes it back where the store refused it. */
export function countRefused(
  memory: Pick<JournalMemory, 'refusedLinks'>,
  { refused, times }: Pick<CountedUnit, 'refused' | 'times'>,
): void {
  for (const [rule, host, count] of refused) addTo((memory.refusedLinks ??= []), [rule, host, times * count])
}

/** Those of the pages of a host, of which this is the memory. Throws AVO_FRONTIER_CORRUPT. */
export function refusedIn(memory: MemoryParts): readonly RefusalRow[] {
  const isAny = memory[NAME]?.includes('"refusedLinks":') === true
  return (isAny && savedJournal(memory)?.refusedLinks) || []
}

/** Hosts beyond the first rows are counted by rule; there are few rules. */
function addTo(rows: RefusalRow[], [rule, host, count]: RefusalRow): void {
  const cut = rule.slice(0, MAX_CHARACTERS)
  const isNamed = refusedBy(rows, cut, host) !== undefined || (rows.length < MAX_ROWS && host.length <= MAX_CHARACTERS)
  const name = isNamed ? host : NO_HOST
  const known = refusedBy(rows, cut, name)
  if (known !== undefined) known[2] += count
  else rows.push([cut, name, count])
}

function refusedBy(rows: readonly RefusalRow[], rule: string, host: string): RefusalRow | undefined {
  return rows.find((row) => row[0] === rule && row[1] === host)
}
