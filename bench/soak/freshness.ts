// Holds the crawl to its rounds: every page that there is was visited when it was due, or within one round after its trouble ended.
//
// A page has a deadline at every moment: a round after its last good visit, and later only for troubles of its own or of all (trouble.ts). A visit
// after the deadline is late; a deadline that passes without one is missed, and is told once, at the end of the day, with what the store says.
import type { FrontierReader } from '@avocet/core/store'
import { momentOf, type Findings } from './findings.ts'
import type { PageLife } from './page-life.ts'
import { afterTroubles } from './after-troubles.ts'
import { deadlineOf } from './trouble.ts'

/** A page that is heard of is asked for at once: nobody waits a round for the first visit. */
const FIRST_MS = 0

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

  /** A good visit is over, of the page as it was at `sentMs`. */
  served(page: PageLife, { nowMs, sentMs }: { nowMs: number; sentMs: number }): void {
    this.visits++
    const deadlineMs = this.#deadlineOf(page)
    if (nowMs > deadlineMs && page.missedMs !== deadlineMs) this.#late(page, deadlineMs, `came ${momentOf(nowMs)}`)
    page.servedMs = nowMs
    this.known(page, nowMs)
    for (const child of page.children) if (sentMs < child.untilMs && isOpen(child, sentMs)) this.known(child, nowMs)
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
      afterTroubles(page.troubles, { fromMs: sinceMs, untilMs: deadlineMs }),
      `${page.url}: ${since} ${momentOf(sinceMs)}, due by ${momentOf(deadlineMs)}, ${what}`,
    )
  }
}

/** A shop that has not opened cannot be heard of: the directory lists it from its first moment. */
function isOpen(page: PageLife, atMs: number): boolean {
  return atMs >= page.bornMs
}

async function storeSays(reader: FrontierReader, { url, host }: PageLife): Promise<string> {
  const [record] = await reader.requests({ url })
  if (record === undefined) return 'the store does not know it'
  const { state, reason, notBefore, attempts } = record
  const [at] = await reader.hosts({ hostKey: host })
  return [
    `${state}${reason === undefined ? '' : ` (${reason})`}`,
    notBefore === undefined ? 'no next visit' : `not before ${new Date(notBefore).toISOString()}`,
    `${String(attempts)} attempts`,
    ...(at?.retiredFor === undefined ? [] : [`host retired: ${at.retiredFor}`]),
    ...(at === undefined || at.readyAt === 0 ? [] : [`host ready ${new Date(at.readyAt).toISOString()}`]),
    ...(at?.held === true ? ['host held'] : []),
  ].join(', ')
}
