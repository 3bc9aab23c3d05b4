// The schedule of a store: which settled pages are due again, by the rules of today.
//
// It is worked out when a crawl opens, page by page, and only if its rules are others than those that the store has seen: each of several processes would
// read all that was ever settled, and what is settled meanwhile gets its moment with its outcome. The rules that it was worked out by are a part of the crawl
// memory; what settles pages past a crawl takes that part away.
import { hash } from 'node:crypto'
import type { RecrawlRule } from '../ports/config.ts'
import type { CrawlInfo } from '../ports/crawl-info.ts'
import { droppedReason } from '../ports/change.ts'
import type { Frontier } from '../ports/frontier.ts'
import type { RequestRecord } from '../ports/frontier-reader.ts'
import { setBackMs } from '../values/setback.ts'
import type { StoreCalls } from '../store/store-calls.ts'
import { wasGone } from './probation.ts'
import type { Recrawl } from './recrawl.ts'

/** Part of the crawl memory: by which rules the schedule of the store was worked out. What settles pages past a crawl removes it. */
const SCHEDULE_PART = 'core:schedule'

const PAGE = 1_000
/** A store keeps whole ms: of the beginning, of the duration, and of the moment. */
const ROUNDED_MS = 3

/** The store, and the patience with it. */
interface Store {
  readonly frontier: Frontier
  readonly calls: StoreCalls
}

/** What the schedule follows from. */
export interface ScheduleParts {
  readonly info: CrawlInfo
  readonly recrawl: Recrawl
  /** Epoch ms. */
  readonly now: number
  /** What excludes a request, and all that excludes any, as text. */
  readonly exclusion: { readonly of: (record: RequestRecord) => object | undefined; readonly text: string }
}

/**
 * Has pages that a rule matches be due again, and those that none matches any more, or the scope excludes by now, not.
 *
 * A page that was settled before there was a rule is due `everyMs` after it was fetched: at once, if that has passed.
 */
export async function scheduleAgain(store: Store, parts: ScheduleParts): Promise<void> {
  const { info, recrawl, exclusion } = parts
  const marks = info.crawlMemories.flatMap((memory) => memory[SCHEDULE_PART] ?? [])
  const mark = JSON.stringify(hash('sha1', `${recrawl.text}\n${exclusion.text}`))
  const isMade = info.setBackMs === undefined && marks.length > 0 && marks.every((each) => each === mark)
  if (isMade) return
  if (info.settled > 0 && (recrawl.hasRules || info.again !== undefined)) await workOut(store, parts)
  // Known only once it is worked out: a run that is killed meanwhile leaves it to the next.
  if (recrawl.hasRules || marks.length > 0)
    await store.calls.make('schedule', () => store.frontier.note({ [SCHEDULE_PART]: mark }))
}

async function workOut({ frontier, calls }: Store, { recrawl, now, exclusion }: ScheduleParts): Promise<void> {
  for await (const record of settledOf({ frontier, calls }, ['done', 'failed', 'moved'])) {
    const wanted = record.flatMap((each) => {
      const at = exclusion.of(each) === undefined ? dueAtOf(each, recrawl, now) : undefined
      return at === each.notBefore ? [] : [{ id: each.id, ...(at !== undefined && { at }) }]
    })
    if (wanted.length > 0) await calls.make('revisit', () => frontier.change({ kind: 'revisit', wanted }))
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

/**
 * When a page that failed or moved is due again; what killed its process three times is not, nor what an operator dropped, nor what is gone for good by a
 * clock that was right (`inTime`).
 */
function dueAfterTrouble(record: RequestRecord, { everyMs }: RecrawlRule, inTime: boolean): number | undefined {
  const { notBefore, reason = '', fetchedAt = 0 } = record
  const isSettledForGood = reason === 'poison' || droppedReason(reason) === undefined || (inTime && wasGone(record))
  return notBefore !== undefined || isSettledForGood ? notBefore : fetchedAt + everyMs
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
