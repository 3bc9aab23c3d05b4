// Brings the schedule of a store in line with the rules of this run: rules may have come, gone or changed while nobody crawled.
import type { RecrawlRule } from '../config.ts'
import type { CrawlInfo, Frontier } from '../frontier.ts'
import type { RequestRecord } from '../frontier-reader.ts'
import { setBackMs } from '../setback.ts'
import { wasGone } from './probation.ts'
import type { Recrawl } from './recrawl.ts'
import type { StoreCalls } from '../store/store-calls.ts'

const PAGE = 1_000
/** A store keeps whole ms: of the beginning, of the duration, and of the moment. */
const ROUNDED_MS = 3

/** The store, and the patience with it. */
interface Store {
  readonly frontier: Frontier
  readonly calls: StoreCalls
}

/**
 * Has pages that a rule matches be due again, and those that none matches any more not.
 *
 * A page that was settled before there was a rule is due `everyMs` after it was fetched: at once, if that has passed.
 */
export async function scheduleAgain(
  { frontier, calls }: Store,
  recrawl: Recrawl,
  { info, now }: { readonly info: CrawlInfo; readonly now: number },
): Promise<void> {
  if (info.settled === 0 || (!recrawl.hasRules && info.again === undefined)) return
  for await (const record of settledOf({ frontier, calls }, ['done', 'failed', 'moved'])) {
    const wanted = record.flatMap((each) => {
      const at = dueAtOf(each, recrawl, now)
      return at === each.notBefore ? [] : [{ id: each.id, ...(at !== undefined && { at }) }]
    })
    if (wanted.length > 0) await calls.make('revisit', () => frontier.revisit(wanted))
  }
}

/** When a settled page is due again by the rules as they are; undefined: never. */
function dueAtOf(record: RequestRecord, recrawl: Recrawl, now: number): number | undefined {
  const { state, notBefore, attempts, durationMs = 0 } = record
  // Fetched in the future: by a clock that was ahead, which may have ended a probation before its day was over.
  const { fetchedAt: toldAt = 0 } = record
  const fetchedAt = Math.min(toldAt, now)
  const rule = recrawl.ruleOf(record)
  if (rule === undefined) return undefined
  // What is being tried again has its moment.
  if (notBefore !== undefined && attempts > 0) return notBefore
  if (state !== 'done') return dueAfterTrouble({ ...record, fetchedAt }, rule, setBackMs(toldAt, now) === 0)
  // By this rule it is at most a round after the end of the last visit: if it is later, the rule has become shorter since.
  const latest = fetchedAt + durationMs + rule.everyMs + ROUNDED_MS
  return notBefore !== undefined && notBefore <= latest ? notBefore : fetchedAt + rule.everyMs
}

/** When a page that failed or moved is due again; what killed its process three times is not, nor what is gone for good by a clock that was right (`inTime`). */
function dueAfterTrouble(record: RequestRecord, { everyMs }: RecrawlRule, inTime: boolean): number | undefined {
  const { notBefore, reason, fetchedAt = 0 } = record
  return notBefore !== undefined || reason === 'poison' || (inTime && wasGone(record)) ? notBefore : fetchedAt + everyMs
}

async function* settledOf(
  { frontier, calls }: Store,
  states: readonly RequestRecord['state'][],
): AsyncGenerator<readonly RequestRecord[]> {
  for (const state of states) {
    for (let afterId = 0; ;) {
      const page = await calls.make('schedule', () => frontier.reader.requests({ state, afterId, limit: PAGE }))
      yield page
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      afterId = last.id
    }
  }
}
