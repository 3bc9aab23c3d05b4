// One page of a host: its verdict, what becomes of it, and what is remembered of it.
import type { HostPast } from './host-past.ts'
import type { FieldValue } from './laws/handler-past.ts'
import { learnSigns, type PageContent } from './laws/page-evidence.ts'
import { verdictOf } from './laws/verdict.ts'
import { decideOn, type PageFate, type HealthMemory, type PageMoment } from './laws/witnesses.ts'

/** A page that its handler is done with. */
export interface PageOfHost extends PageContent, PageMoment {
  readonly handler: string
}

/** Writes to `host` and `memory` what it learns. */
export function judgePage(host: HostPast, memory: HealthMemory, page: PageOfHost): PageFate {
  const { handler, url, at } = page
  const past = host.of(handler)
  const closely = memory.held !== undefined || memory.suspect !== undefined || past.isTurn()
  const verdict = verdictOf(page, past, closely)
  const decision = decideOn(memory, { handler, verdict, url, at, past, before: past.wellBefore(at) })
  if (decision.settle !== undefined) host.settle(decision.settle)
  const { as, isNew, record, changes = NONE } = verdict
  const isWell = as === 'plain' || (as === 'fresh' && isNew !== true)
  past.noteLately(at, isWell, memory.held === undefined ? changes : [...past.pending, ...changes])
  if (memory.suspect !== undefined) past.settle('drop')
  if (decision.hold !== undefined) {
    if (record !== undefined && memory.suspect === undefined) past.hold(page.id, record)
  } else if (as === 'plain') past.compared((past.of(page.id)?.length ?? 1) - 1)
  else if (record !== undefined) {
    past.publish(page.id, record)
    if (as === 'fresh') learnSigns(page, past)
  }
  return decision
}

const NONE: readonly FieldValue[] = []
const LOGIN = /log-?in|sign-?in|auth|account|anmeld|konto/i

/** A page that always had items leads elsewhere: where a page of login is, or all of them do, the host is suspect. There is nothing of it to be held. */
export function judgeMove(
  host: HostPast,
  memory: HealthMemory,
  page: Pick<PageOfHost, 'id' | 'handler' | 'url' | 'at'> & { readonly target: string },
): void {
  const past = host.of(page.handler)
  if ((past.of(page.id)?.length ?? 0) < 2) return
  const odd = { kind: LOGIN.test(page.target) ? 'login wall' : 'empty list' } as const
  const { handler, url, at } = page
  decideOn(memory, { handler, url, at, past, verdict: { as: 'odd', odd }, before: 0 })
}
