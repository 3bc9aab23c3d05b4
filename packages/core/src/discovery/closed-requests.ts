// Requests that are settled instead of being sent: those for a handler that this run does not have (`handler-unknown`), and what the scope excludes by now
// (`out-of-scope`). They wait again in a run that may send them.
import { inspect } from 'node:util'
import { reasonOf } from '../ports/failure.ts'
import type { Outcome } from '../ports/frontier.ts'
import type { Leased, NewRequest } from '../ports/request.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { requestOf } from '../hosts/request-of.ts'
import { outcomeOnly, type PendingUnit } from '../run/pending-unit.ts'
import type { Settings } from '../run/settings.ts'
import { compileScope } from '../url/scope.ts'

/** Reason of requests whose handler is missing. */
export const HANDLER_UNKNOWN: string = reasonOf('AVO_HANDLER_UNKNOWN')
/** Reason of requests that the scope excludes by now. */
export const OUT_OF_SCOPE = 'out-of-scope'

/** That a request of `host` which was handed out is settled instead of being sent. */
export function settledUnsent(host: LiveHost, request: Leased, { reason }: Exclusion): PendingUnit {
  host.unsettled++
  return outcomeOnly(host, requestOf(request), { kind: 'failed', reason })
}

/** Whether the request is not sent in this run: it is due in none of its rounds, and waits again in a run that may send it. */
export function isLeftOut(outcome: Outcome): boolean {
  if (outcome.kind !== 'failed' || outcome.fetched !== undefined) return false
  return outcome.reason === HANDLER_UNKNOWN || outcome.reason === OUT_OF_SCOPE
}

// Requests of earlier runs that the scope of today excludes by name: a host whose owner asked to be left alone is left alone from the next run on.
//
// Hosts that are only no longer included (`within`, `hosts`) do not count: those of seeds that a function yields later are not known yet. Nor do depths: what
// is a seed by now may have been found deeper.

/** Why a request is not sent. */
interface Exclusion {
  readonly reason: string
  /** What the report says, counted: how many there are says what to do about it. */
  readonly problem: string
}

/** What excludes a request; undefined: nothing. */
export type ExclusionOf = (request: Pick<NewRequest, 'url' | 'handler'>) => Exclusion | undefined

/** The question, of a run. */
export function exclusionsOf({ spider, documents }: Pick<Settings, 'spider' | 'documents'>): ExclusionOf {
  const { exclusion, documentRefusal } = compileScope(spider.scope ?? {}, [], () => {})
  return ({ url, handler }) => {
    const isDocument = documents.has(handler)
    // A body without the plugin that reads it would be requested for nothing, a file of gigabytes as a page.
    if (!isDocument && !Object.hasOwn(spider.handlers, handler)) {
      const known = Object.keys(spider.handlers).join(', ')
      const problem = `requests for the handler ${handler}, which neither the spider (it has: ${known}) nor a plugin has, are not sent; the next run that has it sends them`
      return { reason: HANDLER_UNKNOWN, problem }
    }
    const rule = isDocument ? documentRefusal(url) : exclusion(url)
    if (rule === undefined) return undefined
    const problem = `requests of earlier runs that the scope excludes now (${rule}) are not sent; once it lets them in, the next run sends them`
    return { reason: OUT_OF_SCOPE, problem }
  }
}

/** All rules that exclude something, as text: the same for rules that are the same. */
export function exclusionText({ spider, documents, dropped }: Pick<Settings, 'spider' | 'documents' | 'dropped'>): string {
  const rules = [spider.scope, dropped.names, [...documents.keys(), ...Object.keys(spider.handlers)]]
  return inspect(rules, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity })
}
