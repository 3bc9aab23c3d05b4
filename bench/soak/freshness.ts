// Holds the crawl to its rounds: every page that there is was visited when it was due, or within one round after its trouble ended.
//
// A page has a deadline at every moment: a round after its last good visit, and later only for troubles of its own or of all (trouble.ts). A visit
// after the deadline is late; a deadline that passes without one is missed, and is told once, at the end of the day, with what the store says.
import type { FrontierReader } from '@avocet/core'
import { momentOf, type Findings } from './findings.ts'
import type { PageLife } from './page-life.ts'
import { deadlineOf } from './trouble.ts'

/** A page that is heard of is asked for at once: nobody waits a round for the first visit. */
const FIRST_MS = 0
/** Gone for good is what was missing in several visits in a row, spread over a day at least; so it may still be asked for that long. */
const PROBATION_MS = 24 * 3_600_000

/** Keeps the deadlines. */
export class Freshness {
  readonly #findings: Findings
  /** Longest that a page was late with no trouble near, ms after its round; for the table. */
  visits = 0

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** The crawl hears of a page. */
  known(page: PageLife, nowMs: number): void {
    if (page.knownMs === Infinity) page.knownMs = nowMs
  }

  asked(page: PageLife, nowMs: number): void {
    if (nowMs < page.untilMs + PROBATION_MS) return
    const lastMs = deadlineOf(page.untilMs, page.everyMs, page.troubles, PROBATION_MS + 2 * page.everyMs)
    if (nowMs > lastMs)
      this.#findings.add(
        'asked for what is gone',
        about(page, page.untilMs, lastMs),
        `${page.url}: gone ${momentOf(page.untilMs)}, asked for ${momentOf(nowMs)}`,
      )
  }

  /** A good visit. */
  served(page: PageLife, nowMs: number): void {
    this.visits++
    const deadlineMs = this.#deadlineOf(page)
    if (nowMs > deadlineMs && page.missedMs !== deadlineMs) this.#late(page, deadlineMs, `came ${momentOf(nowMs)}`)
    page.servedMs = nowMs
    this.known(page, nowMs)
    for (const child of page.children) if (nowMs < child.untilMs && isOpen(child, nowMs)) this.known(child, nowMs)
  }

  /** Looks for pages whose deadline has passed. */
  async endOfDay(pages: Iterable<PageLife>, nowMs: number, reader: FrontierReader): Promise<void> {
    for (const page of pages) {
      const deadlineMs = this.#deadlineOf(page)
      if (deadlineMs >= nowMs || page.missedMs === deadlineMs) continue
      this.#late(page, deadlineMs, `not yet ${momentOf(nowMs)}: ${await storeSays(reader, page)}`)
      page.missedMs = deadlineMs
    }
  }

  #deadlineOf(page: PageLife): number {
    const { servedMs, knownMs, everyMs, troubles, untilMs } = page
    if (knownMs === Infinity) return Infinity
    const deadlineMs = servedMs < 0 ? deadlineOf(knownMs, everyMs, troubles, FIRST_MS) : deadlineOf(servedMs, everyMs, troubles)
    return deadlineMs >= untilMs ? Infinity : deadlineMs
  }

  #late(page: PageLife, deadlineMs: number, what: string): void {
    const sinceMs = page.servedMs < 0 ? page.knownMs : page.servedMs
    const since = page.servedMs < 0 ? 'known' : 'last'
    this.#findings.add(
      'late',
      about(page, sinceMs, deadlineMs),
      `${page.url}: ${since} ${momentOf(sinceMs)}, due by ${momentOf(deadlineMs)}, ${what}`,
    )
  }
}

/** The troubles that reach into a time, in words. */
function about({ troubles }: PageLife, fromMs: number, untilMs: number): string {
  const near = troubles.filter((trouble) => trouble.fromMs < untilMs && trouble.untilMs + trouble.graceMs > fromMs)
  const words = [...new Set(near.map(({ kind, how }) => (how === kind ? kind : `${kind} ${how}`)))]
  return words.length === 0 ? 'in fair weather' : `after ${words.slice(0, 4).join(', ')}${words.length > 4 ? ' and more' : ''}`
}

/** A shop that has not opened cannot be heard of: the directory lists it from its first moment. */
function isOpen(page: PageLife, nowMs: number): boolean {
  return nowMs >= page.bornMs
}

async function storeSays(reader: FrontierReader, { url, host }: PageLife): Promise<string> {
  const [record] = await reader.history(url)
  if (record === undefined) return 'the store does not know it'
  const { state, reason, notBefore, attempts } = record
  const at = await reader.host(host)
  return [
    `${state}${reason === undefined ? '' : ` (${reason})`}`,
    notBefore === undefined ? 'no next visit' : `not before ${new Date(notBefore).toISOString()}`,
    `${String(attempts)} attempts`,
    ...(at?.retiredFor === undefined ? [] : [`host retired: ${at.retiredFor}`]),
    ...(at === undefined || at.readyAt === 0 ? [] : [`host ready ${new Date(at.readyAt).toISOString()}`]),
    ...(at?.held === true ? ['host held'] : []),
  ].join(', ')
}
