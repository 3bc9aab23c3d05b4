// What is published, held, or given up for wrong, page after page of one host: a page with a change is borne out by others, or it is not.
//
// A change that is clear waits for four pages that are as they were: those right before it count, but for the last one; a new page does, too, where most
// pages were seen again. Or for other changes: five that are alike, eight prices that go one way, or eight others. An odd page waits for eight pages that are
// well, for each odd one: a break that has half of all pages would leave no such row. Of a few pages, it must say the same twice.
// Three odd pages in the same field, and half of all since the first of them, or four and a quarter, make the host suspect: then all of the handler is held,
// or of the host where its pages are others, until a round of them is as before. Pages without items count only where they are many: a few neighbours may be
// sold out. A page that stays odd in the same way counts once, until it has been well: else the same pages would make the host suspect in each round.
import type { HandlerPast } from './handler-past.ts'
import { blocks, isOfPage, type BreakKind, type Oddity } from './page-evidence.ts'
import { areAlike, isSale, isSmall, type PageVerdict } from './verdict.ts'

/** A page of which something is told. Epoch ms. */
export interface PageMoment {
  readonly url: string
  readonly at: number
}

/** Pages of a handler that are held. */
interface HeldPages {
  /** Since the first of them: all pages, those that are as they were or have a change that is sure, the latter alone. */
  pages: number
  good: number
  sure: number
  /** Pages that were not there before. */
  news: number
  /** Pages in a row that were as they were, right before the last change, and after it. */
  before: number
  after: number
  /** Changes of amounts among the clear ones, as ratios: those that are sure, and the others. */
  ratios: number[]
  doubts: number[]
  /** Those that are odd, in the order in which they came. */
  odd: OddPage[]
}

interface OddPage extends Oddity, PageMoment {
  /** The how manieth page it is since the first one that is held; 0: it stays odd, or was never well. */
  readonly place: number
  /** It may be sold out. */
  readonly isSmall?: boolean
}

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
  /** When what was held last was accepted. */
  acceptedAt?: number
  held?: Record<string, HeldPages>
  suspect?: Suspect
}

/** What becomes of a page. */
export interface PageFate {
  /** Why it is held. */
  readonly hold?: string
  /** With this page the host becomes suspect. */
  readonly becomesSuspect?: true
  /** What becomes of all that was held. */
  readonly settle?: 'publish' | 'drop'
}

/** The page that is decided on. */
export interface Witness extends PageMoment {
  readonly handler: string
  readonly verdict: PageVerdict
  /** Of the handler: how many pages are remembered and are odd, whether they are few, and whether some were seen again, or most. */
  readonly past: Pick<HandlerPast, 'pages' | 'isFew' | 'isSteady' | 'isLearned' | 'oddPages'>
  /** The same was odd when it was visited last: that is no sign of a break. */
  readonly staysOdd: boolean
  /** So many pages of the handler right before it were well. */
  readonly before: number
}

/** Pages that are as they were, for a clear change: in a break up to a quarter of all pages are. */
const PLAIN_WITNESSES = 4
/** Clear changes that bear each other out: those of a sale, and any. */
const ALIKE = 5
const UNLIKE = 8
/** Pages that are well, for each odd one. */
const WITNESSES = 8
/** A suspect host is well when a round of its pages was as before; or so many, where few others are still odd. */
const MOST_GOOD = 40
/** Pages without items are a break where they are a quarter of so many, or of all; pages that lead elsewhere, half. */
const ROUND = 32
/** What is new so soon after an odd page is held with it, though there is no room to remember it. */
const NEAR_MS = 60_000
const MAX_ODD = 20
const LEVEL: BreakKind = 'all values equal'
const MAX_RATIOS = 8

/** Whether the pages of a handler are held: the host is suspect for one of them, or for what all pages are now. */
export function isSuspect({ suspect }: HealthMemory, handler: string): boolean {
  return suspect !== undefined && (suspect.handler === handler || isOfPage(suspect))
}

/** Decides, and notes what it depends on. A page that is as expected, on a host where nothing is held, writes nothing. */
export function decideOn(memory: HealthMemory, page: Witness): PageFate {
  if (memory.suspect !== undefined && isSuspect(memory, page.handler)) return ofSuspect(memory, memory.suspect, page)
  const held = memory.held?.[page.handler]
  const { verdict } = page
  if (held === undefined) {
    if (verdict.as === 'plain' || (verdict.as === 'fresh' && !isUnproven(page)) || isSure(page)) return {}
    const first = { pages: 0, good: 0, sure: 0, news: 0, before: 0, after: 0, ratios: [], doubts: [], odd: [] }
    memory.held = { ...memory.held, [page.handler]: note(first, page) }
    return { hold: reasonOf(verdict) }
  }
  note(held, page)
  return verdict.as === 'odd' ? afterOdd(memory, held, page) : afterGood(memory, held, page)
}

function note(held: HeldPages, page: Witness): HeldPages {
  const { verdict, url, at, staysOdd } = page
  held.pages++
  if (verdict.as === 'plain' || (verdict.as === 'fresh' && !verdict.isNew)) {
    held.good++
    held.after++
  }
  if (isUnproven(page)) {
    ;[held.before, held.after] = [page.before, 0]
    held.news++
  }
  if (verdict.as === 'clear') {
    ;[held.before, held.after] = [page.before, 0]
    const ratios = verdict.isSure === true ? held.ratios : held.doubts
    if (verdict.ratio !== undefined && ratios.length < MAX_RATIOS) ratios.push(verdict.ratio)
    if (verdict.isSure === true) {
      held.good++
      held.sure++
    }
  }
  if (verdict.odd !== undefined) {
    // The next visit of an odd page is no second one, unless there are hardly others.
    const others = held.odd.filter((each) => page.past.isFew || each.url !== url)
    const isNoSign = staysOdd || (verdict.isFirst === true && isWhole(verdict.odd))
    const odd = { ...verdict.odd, url, at, place: isNoSign ? 0 : held.pages, ...(verdict.isSmall && { isSmall: true }) }
    held.odd = [...others, odd].slice(-MAX_ODD)
  }
  return held
}

function afterOdd(memory: HealthMemory, held: HeldPages, { handler, past, verdict, at, url, staysOdd }: Witness): PageFate {
  const { odd: latest, hasMoved } = verdict
  if (latest === undefined) return {}
  const same = held.odd.filter((each) => each.place > 0 && isAlike(each, latest))
  const [first = { ...latest, at, url, place: held.pages }] = same
  const pages = held.pages - first.place + 1
  const share = same.length / pages
  const others = past.pages - past.oddPages + same.length
  const least = isWhole(latest) ? Math.min(others, ROUND) / (hasMoved ? 2 : 4) : 0
  // One of a few products is sold out.
  const isOne = past.pages > 1 && isWhole(latest) && same.every((each) => each.isSmall && each.url === url)
  const isBroken = past.isFew
    ? same.length >= 2 && !isOne && (share > 0.7 || (latest.field === undefined && share >= 0.5))
    : same.length >= least && ((same.length >= 3 && share >= 0.5) || (same.length >= 4 && share >= 0.25))
  if (!isBroken || staysOdd || memory.suspect !== undefined) return { hold: reasonOf(verdict) }
  const { place: _, ...said } = first.field === undefined ? { ...latest, place: 0 } : first
  return suspected(memory, held, { ...said, kind: latest.kind, handler, odd: same.length, pages, since: first.at, at, url })
}

function suspected(memory: HealthMemory, held: HeldPages, suspect: Omit<Suspect, 'good' | 'held'>): PageFate {
  memory.suspect = { ...suspect, good: 0, held: held.pages - held.good + held.sure }
  delete memory.held
  return { hold: suspectInWords(memory.suspect), becomesSuspect: true }
}

function afterGood(memory: HealthMemory, held: HeldPages, page: Witness): PageFate {
  const { handler, verdict, past, at, url } = page
  // What is held of a page that was odd goes with this visit.
  const isReplaced = held.odd.some((odd) => odd.url === url)
  held.odd = held.odd.filter((odd) => odd.url !== url)
  if (!isReplaced && isBorneOut(held, past)) {
    const { [handler]: _, ...others } = memory.held ?? {}
    if (Object.keys(others).length > 0) memory.held = others
    else delete memory.held
    return { settle: 'publish' }
  }
  // Each page has what another product costs, and hardly any is as it was: a handler that reads the wrong product.
  if (
    held.doubts.length >= MAX_RATIOS &&
    held.good * 4 <= held.pages &&
    !areAlike(held.doubts) &&
    !isSale(held.doubts) &&
    !memory.suspect
  ) {
    const odd = held.pages - held.good
    return suspected(memory, held, { kind: 'wrong element', handler, odd, pages: held.pages, since: at, at, url })
  }
  const isDoubtful = verdict.isNew === true && past.isLearned && held.odd.some((odd) => at - odd.at <= NEAR_MS)
  return verdict.as === 'clear' || isDoubtful || isUnproven(page) ? { hold: reasonOf(verdict) } : {}
}

/** A break would have to begin right before it, and look like a small change. */
function isSure({ before, verdict: { as, isSure: bears, ratio = 1 } }: Witness): boolean {
  return as === 'clear' && bears === true && before >= PLAIN_WITNESSES && isSmall(ratio)
}

/** It may be the first page of a break. */
function isUnproven({ verdict: { as, isFirst, record = [0] }, past }: Witness): boolean {
  return as === 'fresh' && isFirst === true && record.length > 1 && past.isSteady
}

function isBorneOut(
  { odd, good, sure, news, before, after, ratios, doubts }: HeldPages,
  { pages, isFew }: Witness['past'],
): boolean {
  // Of a few pages, those that are well bear out an odd one once it says the same twice.
  const isOnce = isFew && odd.some(({ url }) => !saysTheSame(odd.filter((each) => each.url === url).slice(-2)))
  const least = isOnce ? Infinity : Math.max(2, 2 * (pages - odd.length))
  if (odd.length > 0 && good < Math.min(WITNESSES * odd.length, least)) return false
  if (after > 0 && before + after >= Math.min(PLAIN_WITNESSES, pages - 1)) return true
  const areAll = news === 0 && ratios.length >= Math.min(sure, MAX_RATIOS) && areAlike(ratios)
  if (odd.length === 0 && isSale([...ratios, ...doubts])) return true
  return sure + news >= Math.min(areAll ? ALIKE : UNLIKE, pages + 1)
}

function saysTheSame([one, other]: readonly OddPage[]): boolean {
  return other !== undefined && one?.after === other.after
}

function ofSuspect(memory: HealthMemory, suspect: Suspect, { handler, verdict, past, staysOdd }: Witness): PageFate {
  // In a first crawl pages that block or ask for a login made it suspect, and this is none; held, it would wait for a round that may never come.
  if (handler === suspect.handler && verdict.isNew && !past.isLearned) return {}
  const isWell =
    verdict.as === 'plain' || (verdict.as === 'fresh' && !verdict.isNew) || (verdict.as === 'clear' && verdict.isSure === true)
  const isOfIt = handler === suspect.handler
  if (isOfIt && isWell) suspect.good++
  else if (isOfIt && verdict.as === 'odd') suspect.good = staysOdd ? Math.max(0, suspect.good - WITNESSES) : 0
  const round = Math.max(2, past.pages + past.oddPages)
  if (isOfIt && isWell && suspect.good >= (WITNESSES * past.oddPages < round ? Math.min(MOST_GOOD, round) : round)) {
    delete memory.suspect
    return { settle: 'drop' }
  }
  suspect.held++
  return { hold: suspectInWords(suspect) }
}

function isWhole(odd: Oddity): boolean {
  return odd.field === undefined && !blocks(odd)
}

/** Pages with one break show the same, are odd in the same field, or as a whole; those that say the same say the same as each other. */
function isAlike(a: Oddity, b: Oddity): boolean {
  if (isOfPage(a) && a.kind === b.kind) return true
  return a.field === b.field && (a.after === b.after || a.kind !== LEVEL || b.kind !== LEVEL)
}

function reasonOf({ odd, as }: PageVerdict): string {
  return as === 'odd' && odd !== undefined ? oddityInWords(odd) : 'a change, until another page of the host bears it out'
}

/** `wrong element: price was 24.99 and is 4.99`. */
function oddityInWords({ kind, field, before, after }: Oddity): string {
  if (field === undefined) return kind
  const was = before === undefined ? '' : `was ${shown(before)} and `
  return `${kind}: ${field} ${was}is ${after === undefined ? 'gone' : shown(after)}`
}

function shown(value: Oddity['before']): string {
  return typeof value === 'string' && value.startsWith('#') ? 'another text' : String(value)
}

/** `suspect: field missing: price was 24.99 and is gone, on 3 of 3 pages of handler product`. */
export function suspectInWords(suspect: Suspect): string {
  return `suspect: ${oddityInWords(suspect)}, on ${suspect.odd} of ${suspect.pages} pages of handler ${suspect.handler}`
}
