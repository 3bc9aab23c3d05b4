// One page of a host: its verdict, what becomes of it, and what is remembered of it.
import type { HostPast } from './host-past.ts'
import { learnSigns, type PageContent } from './laws/page-evidence.ts'
import { verdictOf } from './laws/verdict.ts'
import { decideOn, type PageFate, type HealthMemory, type PageMoment } from './laws/witnesses.ts'

/** A page that its handler is done with. */
export interface PageOfHost extends PageContent, PageMoment {
  readonly handler: string
  /** More of its host are in flight, or due. */
  readonly hasMore: boolean
}

/** Writes to `host` and `memory` what it learns. */
export function judgePage(host: HostPast, memory: HealthMemory, page: PageOfHost): PageFate {
  const { handler, url, at } = page
  const past = host.of(handler)
  const closely = memory.held !== undefined || memory.suspect !== undefined || host.isTurn(handler)
  const verdict = verdictOf(page, past, { last: host.lastOdd(handler), closely })
  const decision = decideOn(memory, {
    ...{ handler, verdict, url, at, known: past.pages, isLast: !page.hasMore },
    ...{ isRecent: host.isRecent(handler, at), isSlow: host.isSlow(handler, at) },
    isAlike: verdict.as === 'plain' && memory.held !== undefined && host.isAlike(page.id, handler),
  })
  if (decision.settle !== undefined) host.settle(decision.settle)
  const isHeld = decision.hold !== undefined
  host.note(page, verdict, { isHeld, isHolding: memory.held !== undefined, isSuspect: memory.suspect !== undefined })
  if (verdict.as === 'fresh' && !isHeld) learnSigns(page, past)
  return decision
}
