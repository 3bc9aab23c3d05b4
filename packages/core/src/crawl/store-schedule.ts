// The schedule of a store: which settled pages are due again, by the plans of today.
//
// It is worked out when a crawl opens, page by page, and only if its plans are others than those that the store has seen: each of several processes would
// read all that was ever settled, and what is settled meanwhile gets its moment with its outcome. The plans that it was worked out by are a part of the crawl
// memory; what settles pages past a crawl takes that part away.
import { hash } from 'node:crypto'
import { exclusionsOf, exclusionText } from '../discovery/closed-requests.ts'
import type { CrawlInfo } from '../ports/crawl-info.ts'
import type { Frontier } from '../ports/frontier.ts'
import type { RevisitPlan } from '../ports/revisit.ts'
import type { Run } from '../run/run.ts'
import type { StoreCalls } from '../store/store-calls.ts'

/** Part of the crawl memory: by which plans the schedule of the store was worked out. What settles pages past a crawl removes it. */
const SCHEDULE_PART = 'core:schedule'

const PAGE = 1_000

type DueAt = RevisitPlan['dueAt']

/** Has pages be due again as plugins plan it, and those that none plans any more, or the scope excludes by now, not. */
export async function updateSchedule({ settings, calls, revisits }: Run, info: CrawlInfo): Promise<void> {
  const { frontier } = settings
  const marks = info.crawlMemories.flatMap((memory) => memory[SCHEDULE_PART] ?? [])
  const mark = JSON.stringify(hash('sha1', `${revisits.rules}\n${exclusionText(settings)}`))
  if (info.setBackMs === undefined && marks.length > 0 && marks.every((each) => each === mark)) return
  const exclusionOf = exclusionsOf(settings)
  const dueAt: DueAt = (record) => (exclusionOf(record) === undefined ? revisits.dueAt(record) : undefined)
  if (info.settled > 0 && (revisits.watches || info.again !== undefined)) await workOut(frontier, calls, dueAt)
  // Known only once it is worked out: a run that is killed meanwhile leaves it to the next.
  if (revisits.watches || marks.length > 0) await calls.make('schedule', () => frontier.note({ [SCHEDULE_PART]: mark }))
}

async function workOut(frontier: Frontier, calls: StoreCalls, dueAt: DueAt): Promise<void> {
  for (const state of ['done', 'failed', 'moved'] as const)
    for (let afterId = 0, isMore = true; isMore;) {
      const query = { state, afterId, limit: PAGE }
      const page = await calls.make('schedule', () => frontier.reader.requests(query))
      const wanted = page.flatMap((each) => {
        const at = dueAt(each)
        return at === each.notBefore ? [] : [{ id: each.id, ...(at !== undefined && { at }) }]
      })
      if (wanted.length > 0) await calls.make('revisit', () => frontier.change({ kind: 'revisit', wanted }))
      afterId = page.at(-1)?.id ?? 0
      isMore = page.length === PAGE
    }
}
