// What each handler has got from the pages of a host, in all runs: the counts by which one sees that a site changed and a handler finds nothing any more.
//
// They are counted while a transaction is put together, and are in core's memory of the host, which is written with each turn anyway: so they commit with
// the pages and items that they count, and follow the host's lease from process to process. A handler takes some fifty bytes beside its name.
import type { FailureCode } from '../values/errors.ts'
import type { Outcome } from '../ports/frontier.ts'
import type { Request, Leased } from '../ports/request.ts'

/** Handlers of one host that are counted by name; those beyond are counted together. */
const MAX_HANDLERS = 32
/** No handler can be named so: what those beyond the first ones are counted under. */
const OTHERS = ''
/** Longer names are counted with the others: the memory of a host stays small. */
const MAX_NAME = 100
/** So many of its last visits a handler is judged by. */
const LAST_VISITS = 16
/** Nothing that a handler or its site can help. */
const OF_PLUGINS: ReadonlySet<FailureCode> = new Set(['AVO_PLUGIN_THREW', 'AVO_PLUGIN_TIMEOUT'])
/** A handler yielded what is neither item nor link; the schema threw on an item; `onItem` of a plugin threw on an item, or took too long. */
const OF_ITEMS: ReadonlySet<FailureCode> = new Set([
  'AVO_HANDLER_YIELD_INVALID',
  'AVO_HANDLER_SCHEMA',
  'AVO_PLUGIN_THREW',
  'AVO_PLUGIN_TIMEOUT',
])

/**
 * As they are kept: name, pages, items, dropped, spoiled, fruitful, barren, what older ones wrote, yielding, rejects, then its last visits, `1` for
 * one that failed, the latest last, and goodAt. Older rows are shorter.
 */
export type YieldRow = [
  ...[string, number, number, number, number, number, number, number, number],
  ...[number?, string?, number?],
]

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
  /** Whether the handler yielded anything, an item or a link. */
  readonly yielded: boolean
}

/** What it is read from. */
interface CountedUnit {
  readonly request?: Request
  readonly outcome?: Outcome
  readonly items: readonly unknown[]
  readonly dropped?: number
  readonly rejects?: readonly unknown[]
  readonly offered: number
  readonly isListing?: boolean
}

/** A host of which it is kept. */
export interface YieldingHost {
  readonly core: { yields?: YieldRow[] }
}

/** What is counted of a unit; undefined where no handler of the spider was run. */
export function countedPage(unit: CountedUnit): CountedPage | undefined {
  const { request, outcome, items, dropped = 0, rejects = [], offered, isListing } = unit
  if (request === undefined || outcome === undefined || isListing) return undefined
  const yielded = items.length + dropped + rejects.length + offered > 0
  if (outcome.kind !== 'done' && outcome.kind !== 'failed') return undefined
  const at = outcome.fetched?.at ?? 0
  const counts = { handler: request.handler, at, items: items.length, dropped, rejects: rejects.length, yielded }
  if (outcome.kind === 'failed') {
    const { phase, code } = outcome.failure ?? {}
    return phase === 'handler' && code !== undefined
      ? { ...counts, code, as: OF_ITEMS.has(code) ? 'spoiled' : 'threw' }
      : undefined
  }
  // A handler that looks for what is new returns early from the body of the last visit.
  const bodyHash = outcome.again?.bodyHash
  const isOld = bodyHash !== undefined && bodyHash === request.earlier?.bodyHash && items.length === 0
  return { ...counts, as: isOld ? 'unchanged' : (outcome.reason ?? 'handled') }
}

/**
 * Counts the pages of a group that is about to be committed. The function that it gives takes back what the store refused of them (`isTaken`: by index): each
 * row is what it was before the group, and the others of it are counted again.
 */
export function countYields(
  units: readonly (CountedUnit & { readonly host: YieldingHost })[],
): (isTaken: (index: number) => boolean) => void {
  const before = new Map<YieldRow, YieldRow>()
  const counted = units.map((unit) => {
    const page = countedPage(unit)
    if (page === undefined) return undefined
    const row = yieldRowOf((unit.host.core.yields ??= []), page.handler)
    if (!before.has(row)) before.set(row, [...row])
    count(row, page)
    return { row, page }
  })
  return (isTaken) => {
    const refused = new Set(counted.flatMap((each, index) => (each === undefined || isTaken(index) ? [] : [each.row])))
    for (const row of refused) Object.assign(row, before.get(row))
    for (const [index, each] of counted.entries())
      if (each !== undefined && refused.has(each.row) && isTaken(index)) count(each.row, each.page)
  }
}

function count(row: YieldRow, { as, code, at, items, dropped, rejects, yielded }: CountedPage): void {
  const [, , , , , , , , , refused = 0, visits = '', goodAt = 0] = row
  row[2] += items
  row[3] += dropped
  row[9] = refused + rejects
  row[10] = code !== undefined && OF_PLUGINS.has(code) ? visits : `${visits}${code === undefined ? 0 : 1}`.slice(-LAST_VISITS)
  row[11] = code === undefined ? Math.round(at) : goodAt
  if (as === 'spoiled') row[4]++
  if (as !== 'handled') return
  row[1]++
  // A plugin that keeps only changes drops what a healthy page yields.
  const found = items + dropped
  if (found > 0) row[5]++
  row[6] = found > 0 ? 0 : row[6] + 1
  if (yielded) row[8]++
}

/** The row that `handler` is counted in, which is added if there is none. */
function yieldRowOf(rows: YieldRow[], handler: string): YieldRow {
  const others = find(rows, OTHERS)
  const hasName = handler.length <= MAX_NAME && rows.length - (others === undefined ? 0 : 1) < MAX_HANDLERS
  const known = find(rows, handler) ?? (hasName ? undefined : others)
  if (known !== undefined) return known
  const made: YieldRow = [hasName ? handler : OTHERS, 0, 0, 0, 0, 0, 0, 0, 0]
  rows.push(made)
  return made
}

function find(rows: readonly YieldRow[], handler: string): YieldRow | undefined {
  return rows.find(([name]) => name === handler)
}

// How many documents of plugins, such as sitemaps and files, a host has given that are done: no handler of the spider saw them, so what is said of pages
// leaves them out. Counted with the unit that settles them, like what handlers got (handler-yields.ts). A sitemap that is read again in each run may be gone
// by then, or come after it had failed: what it was before decides.

interface GivingHost {
  readonly core: { documents?: number }
}

interface DocumentUnit {
  readonly host: GivingHost
  readonly request?: Request & Pick<Leased, 'was'>
  readonly outcome?: Outcome
}

/** Counts what the document of a unit is now in place of what it was, and takes that back where `times` is -1. */
export function countDocument({ host: { core }, request, outcome }: DocumentUnit, times: 1 | -1): void {
  if (request === undefined || outcome === undefined || outcome.kind === 'retry') return
  const before = request.was === 'done' ? 1 : 0
  const gained = (outcome.kind === 'done' ? 1 : 0) - before
  if (gained !== 0) core.documents = (core.documents ?? 0) + gained * times
}
