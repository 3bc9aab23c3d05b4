// One page of a host: its verdict, what becomes of it, and what is remembered of it.
import type { HostPast } from './host-past.ts'
import { learnSigns, type PageContent } from './laws/page-evidence.ts'
import { FULL, verdictOf } from './laws/verdict.ts'
import { isSuspect, decideOn, type PageFate, type HealthMemory, type PageMoment } from './laws/witnesses.ts'

/** A page that its handler is done with. */
export interface PageOfHost extends PageContent, PageMoment {
  readonly handler: string
}

/** Writes to `host` and `memory` what it learns. */
export function judgePage(host: HostPast, memory: HealthMemory, page: PageOfHost): PageFate {
  const { handler, at } = page
  const past = host.of(handler)
  const closely = memory.held?.[handler] !== undefined || isSuspect(memory, handler) || past.isTurn()
  past.seenAgain(page.id)
  const verdict = verdictOf(page, past, closely)
  const isSame = past.noteOdd(page.id, verdict.odd?.field ?? verdict.odd?.kind) && !past.isFew
  // A page that always read the wrong element was never well.
  const staysOdd = isSame && (verdict.odd?.field === undefined || past.of(page.id) !== undefined)
  const decision = decideOn(memory, { ...page, verdict, past, staysOdd, before: past.wellBefore(at) })
  if (decision.hold === undefined) past.replaceHeld(page.id)
  if (decision.settle !== undefined) host.settle(decision.settle, handler)
  const { as, isNew, record, changes = [] } = verdict
  const isWell = as === 'plain' || (as === 'fresh' && isNew !== true)
  past.noteLately(at, isWell, memory.held?.[handler] === undefined ? changes : [...past.pending, ...changes])
  const isHeld = isSuspect(memory, handler)
  if (isHeld) past.settle('drop')
  if (as === 'fresh' && record !== undefined && !isHeld) learnSigns(page, past)
  if (decision.hold !== undefined) {
    if (record !== undefined && !isHeld) past.hold(page.id, record)
  } else if (as === 'plain') past.compared((past.of(page.id)?.length ?? 1) - 1)
  else if (record !== undefined) past.publish(page.id, record)
  return decision
}

const LOGIN = /(?:^|[^a-z])(?:log-?[io]n|sign-?in|o?auth\w*|(?:my-?)?account|anmeld\w*|\w*konto)(?:[^a-z]|$)/i

/** A page that always had items leads elsewhere: where that is a login, or half of them do, the host is suspect. There is nothing of it to be held. */
export function judgeMove(
  host: HostPast,
  memory: HealthMemory,
  page: Pick<PageOfHost, 'id' | 'handler' | 'url' | 'at'> & { readonly target: string },
): PageFate {
  const past = host.of(page.handler)
  const items = (past.of(page.id)?.length ?? 1) - 1
  if (items === 0) return {}
  const odd = { kind: LOGIN.test(pathOf(page.target)) ? 'login wall' : 'empty list' } as const
  if (past.noteOdd(page.id, odd.kind) && !past.isFew) return {}
  return decideOn(memory, {
    ...page,
    past,
    verdict: { as: 'odd', odd, hasMoved: true, isSmall: items < FULL },
    staysOdd: false,
    before: 0,
  })
}

/** The name of a shop may have the word. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
