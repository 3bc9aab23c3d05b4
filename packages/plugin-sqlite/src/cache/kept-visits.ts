// Which visit a kept response is of, for each handler that got it: what was known of the visits before, as the handler saw it.
import type { Request } from '@avocet/core'
import type { Earlier } from '@avocet/core/store'

/** A handler and what was known when its visit began; null on the first visit. */
type HandlerVisit = readonly [handler: string, earlier: Earlier | null]

/** Handlers of one response, the last one last. More names than a page has handlers at a time: then those of long ago go. */
const MAX_HANDLERS = 8

/** The visits of a response, as JSON; null where what was requested is no visit, but a page that is read again for its links. */
export function visitOf({ handler, earlier, cut }: Pick<Request, 'handler' | 'earlier' | 'cut'>): string | null {
  return cut === undefined ? JSON.stringify([[handler, earlier ?? null]] satisfies HandlerVisit[]) : null
}

/** Those that were kept, and after them those that come. */
export function mergedVisits(kept: string | null, coming: string | null): string | null {
  if (kept === null || coming === null) return coming ?? kept
  const added = visitsIn(coming)
  const others = visitsIn(kept).filter(([handler]) => added.every(([other]) => other !== handler))
  return JSON.stringify([...others, ...added].slice(-MAX_HANDLERS))
}

/** Whether `handler` got the response. */
export function isVisitOf(handler: string, visits: string | null): boolean {
  return visitsIn(visits).some(([name]) => name === handler)
}

/** What was known before the visit of `handler`; of the last handler where it got none, for it may have another name today. Undefined on the first visit. */
export function earlierIn(visits: string | null, handler: string): Earlier | undefined {
  const all = visitsIn(visits)
  const [, earlier] = all.find(([name]) => name === handler) ?? all.at(-1) ?? []
  return earlier ?? undefined
}

/** None where the text is damaged: then it says nothing of visits. */
function visitsIn(json: string | null): readonly HandlerVisit[] {
  try {
    return (JSON.parse(json ?? '[]') as HandlerVisit[]).slice()
  } catch {
    return []
  }
}
