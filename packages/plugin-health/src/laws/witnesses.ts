// What is published, held, or given up for wrong, page after page of one host: a page with a change is borne out by others, or it is not.
//
// A change that is clear waits for the next page: one that is as it was, or has a clear change alike, bears it out. Where none comes in the next seconds, at
// the end of a round or for an amount on a slow host, one that was well minutes ago does: a break would have to begin between the two, and look like a change.
// An odd page waits for eight pages that are well, for each odd one: a break that has half of all pages would leave no such row. Three odd pages in the same
// field, and half of all since the first of them, or four and a quarter, make the host suspect: then all that is not as it was is held, until a round of its
// pages is as before.
import type { BreakKind, Oddity } from './page-evidence.ts'
import { areAlike, type PageVerdict } from './verdict.ts'

/** A page of which something is told. Epoch ms. */
export interface PageMoment {
  readonly url: string
  readonly at: number
}

/** Pages of a handler that are held. */
interface HeldPages {
  /** Since the first of them: all pages, those that are well, those with a clear change. */
  pages: number
  plain: number
  clear: number
  /** Each of these was borne out by its own page, and by one that was well minutes before. */
  isSure: boolean
  /** Changes of amounts among the clear ones, as ratios. */
  ratios: number[]
  /** Odd ones by what is odd about them, in the order in which they came. */
  odd: OddPage[]
}

interface OddPage extends Oddity, PageMoment {}

/** What fell out. */
export interface Suspect extends Oddity, PageMoment {
  readonly handler: string
  /** Odd pages until then, of all since the first; epoch ms of the first. */
  readonly odd: number
  readonly pages: number
  readonly since: number
  /** Pages in a row that were as before. */
  good: number
  /** Pages that are held since, at most the last ones by name. */
  held: number
}

/** Memory of a host. */
export interface HealthMemory {
  /** Epoch ms of the first page. What is remembered beside goes with it: where this is gone, what is normal is learned anew. */
  since?: number
  held?: Record<string, HeldPages>
  suspect?: Suspect
}

/** What becomes of a page. */
export interface PageFate {
  /** Why it is held. */
  readonly hold?: string
  /** What becomes of all that was held. */
  readonly settle?: 'publish' | 'drop'
}

/** The page that is decided on. */
export interface Witness extends PageMoment {
  readonly handler: string
  readonly verdict: PageVerdict
  /** Pages of the handler that are remembered. */
  readonly known: number
  readonly isFew: boolean
  /** Pages of the handler were seen again. */
  readonly isLearned: boolean
  /** It is plain, and has a value that the last changed page has now. */
  readonly isAlike: boolean
  /** Another page of the handler was well some minutes ago. */
  readonly isRecent: boolean
  /** No other page of the host is in flight, or due. */
  readonly isLast: boolean
  /** The next page of the handler is not likely to come within seconds. */
  readonly isSlow: boolean
}

/** Pages that are well, for each odd one. */
const WITNESSES = 8
/** A suspect host is well when a round of its pages was as before, or so many. */
const MOST_GOOD = 40
const MAX_ODD = 20
const MAX_RATIOS = 8

/** Decides, and notes what it depends on. A page that is as expected, on a host where nothing is held, writes nothing. */
export function decideOn(memory: HealthMemory, page: Witness): PageFate {
  if (memory.suspect !== undefined) return ofSuspect(memory, memory.suspect, page)
  const held = memory.held?.[page.handler]
  const { verdict } = page
  if (held === undefined) {
    if (verdict.as !== 'odd' && page.isLast && memory.held !== undefined && areSure(memory.held)) {
      delete memory.held
      return { settle: 'publish' }
    }
    if (verdict.as === 'plain' || verdict.as === 'fresh') return {}
    if (isSure(page) && (page.isLast || page.known <= 1 || (page.isSlow && verdict.ratio !== undefined))) return {}
    memory.held = {
      ...memory.held,
      [page.handler]: note({ pages: 0, plain: 0, clear: 0, isSure: true, ratios: [], odd: [] }, page),
    }
    return { hold: reasonOf(verdict) }
  }
  note(held, page)
  if (page.isAlike) return {}
  return verdict.as === 'odd' ? afterOdd(memory, held, page) : afterGood(memory, held, page)
}

function note(held: HeldPages, page: Witness): HeldPages {
  const { verdict, isAlike, url, at } = page
  held.pages++
  if ((verdict.as === 'plain' && !isAlike) || verdict.as === 'fresh') held.plain++
  if (verdict.as === 'clear') held.clear++
  if (verdict.as !== 'plain' && verdict.as !== 'fresh') held.isSure &&= isSure(page)
  if (verdict.ratio !== undefined && held.ratios.length < MAX_RATIOS) held.ratios.push(verdict.ratio)
  if (verdict.odd !== undefined) {
    // The next visit of an odd page is no second one, unless there are hardly others.
    if (!page.isFew) held.odd = held.odd.filter((each) => each.url !== url)
    if (held.odd.length < MAX_ODD) held.odd.push({ ...verdict.odd, url, at })
  }
  return held
}

function afterOdd(memory: HealthMemory, held: HeldPages, { handler, isFew, verdict, at, url }: Witness): PageFate {
  const sign = signOf(verdict.odd)
  const same = held.odd.filter((each) => signOf(each) === sign)
  const share = same.length / held.pages
  const isBroken = isFew
    ? same.length >= 2 && (share > 0.7 || (sign === '' && share >= 0.5))
    : (same.length >= 3 && share >= 0.5) || (same.length >= 4 && share >= 0.25)
  if (!isBroken || verdict.odd === undefined) return { hold: reasonOf(verdict) }
  const [first = { ...verdict.odd, at, url }] = same
  const { kind, ...odd } = first.field === undefined ? verdict.odd : first
  memory.suspect = {
    ...odd,
    ...{ kind: mostFrequent(same) ?? kind, handler, odd: same.length, pages: held.pages },
    ...{ since: first.at, at, url, good: 0, held: held.pages - held.plain },
  }
  delete memory.held
  return { hold: suspectInWords(memory.suspect) }
}

function afterGood(memory: HealthMemory, held: HeldPages, page: Witness): PageFate {
  const { handler, verdict, known, isLast } = page
  const others = Object.entries(memory.held ?? {}).filter(([name]) => name !== handler)
  const isAlone = others.every(([, { odd }]) => odd.length === 0)
  const isClear = verdict.as === 'clear'
  if ((isBorneOut(held, verdict, known) || (isLast && held.isSure)) && isAlone) {
    delete memory.held
    return { settle: 'publish' }
  }
  return isClear && !isSure(page) ? { hold: reasonOf(verdict) } : {}
}

/** Its own page bears it out, and one that was well minutes ago. */
function isSure({ verdict, isRecent }: Witness): boolean {
  return verdict.as === 'clear' && verdict.isSure === true && isRecent
}

function areSure(held: Readonly<Record<string, HeldPages>>): boolean {
  return Object.values(held).every((each) => each.isSure)
}

function isBorneOut({ odd, plain, clear, ratios }: HeldPages, verdict: PageVerdict, known: number): boolean {
  const isSale = verdict.isSure === true && ratios.length >= Math.min(clear, MAX_RATIOS) && areAlike(ratios)
  if (odd.length === 0) return plain > 0 || clear >= (isSale ? 3 : 4)
  return plain + clear >= Math.min(WITNESSES * odd.length, Math.max(2, 2 * (known - odd.length)))
}

function ofSuspect(memory: HealthMemory, suspect: Suspect, { handler, verdict, known, isLearned }: Witness): PageFate {
  // In a first crawl pages that block or ask for a login made it suspect, and this is none; held, it would wait for a round that may never come.
  if (handler === suspect.handler && verdict.isNew && !isLearned) return {}
  const isWell =
    verdict.as === 'plain' || (verdict.as === 'fresh' && !verdict.isNew) || (verdict.as === 'clear' && verdict.isSure === true)
  if (handler === suspect.handler && (isWell || verdict.as === 'odd')) suspect.good = isWell ? suspect.good + 1 : 0
  if (handler === suspect.handler && isWell && suspect.good >= Math.min(MOST_GOOD, Math.max(2, known))) {
    delete memory.suspect
    return { settle: 'drop' }
  }
  suspect.held++
  return { hold: suspectInWords(suspect) }
}

/** Pages with one break are odd in the same field, or all of the page is. */
function signOf(odd: Oddity | undefined): string {
  return odd?.field ?? ''
}

function mostFrequent(odd: readonly OddPage[]): BreakKind | undefined {
  const counts = Map.groupBy(odd, ({ kind }) => kind)
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

function reasonOf({ odd, as }: PageVerdict): string {
  return as === 'odd' && odd !== undefined ? oddityInWords(odd) : 'a change, until another page of the host bears it out'
}

/** `wrong element: price was 24.99 and is 4.99`. */
function oddityInWords({ kind, field, before, after }: Oddity): string {
  if (field === undefined) return kind
  if (before === undefined && after === undefined) return `${kind}: ${field}`
  if (after === undefined) return `${kind}: ${field} was ${shown(before)} and is gone`
  return before === undefined
    ? `${kind}: ${field} is ${shown(after)}`
    : `${kind}: ${field} was ${shown(before)} and is ${shown(after)}`
}

function shown(value: Oddity['before']): string {
  return typeof value === 'string' && value.startsWith('#') ? 'another text' : String(value)
}

/** `suspect: field missing: price was 24.99 and is gone, on 3 of 3 pages of handler product`. */
export function suspectInWords(suspect: Suspect): string {
  return `suspect: ${oddityInWords(suspect)}, on ${suspect.odd} of ${suspect.pages} pages of handler ${suspect.handler}`
}
