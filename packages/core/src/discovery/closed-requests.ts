// Requests that are settled instead of being sent: documents of a plugin and pages of a handler that this run does not have (`plugin-missing`,
// `handler-unknown`), and what the scope excludes by now (`out-of-scope`). They wait again in a run that may send them.
import { inspect } from 'node:util'
import { pluginOf } from '../ports/document-handler.ts'
import { reasonOf } from '../ports/failure.ts'
import type { Outcome } from '../ports/frontier.ts'
import type { Leased, NewRequest } from '../ports/request.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { requestOf } from '../hosts/request-of.ts'
import type { Run } from '../run/run.ts'
import { outcomeOnly, type PendingUnit } from '../store/pending-unit.ts'
import type { Settings } from '../run/settings.ts'
import type { Spider } from '../ports/spider.ts'
import { compileScope } from '../url/scope.ts'

/** Reason of documents whose plugin is missing. */
export const PLUGIN_MISSING: string = reasonOf('AVO_PLUGIN_MISSING')
/** Reason of pages whose handler is missing. */
export const HANDLER_UNKNOWN: string = reasonOf('AVO_HANDLER_UNKNOWN')
/** Reason of requests that the scope excludes by now. */
export const OUT_OF_SCOPE = 'out-of-scope'
/** What is not sent in this run, whenever it is due. */
const LEFT_OUT: ReadonlySet<string> = new Set([PLUGIN_MISSING, HANDLER_UNKNOWN, OUT_OF_SCOPE])

/** Requests that are handed out, sorted: those to be sent, and those that are settled instead. */
export interface Sorted {
  readonly open: readonly Leased[]
  readonly settled: readonly PendingUnit[]
}

/** Settles them. */
export class ClosedRequests {
  readonly #run: Run
  readonly #exclusionOf: ExclusionOf
  /** Plugins, and rules of the scope, of which that was said. */
  readonly #said = new Set<string>()

  constructor(run: Run) {
    this.#run = run
    this.#exclusionOf = exclusionsOf(run.settings)
  }

  /** Of requests that are handed out. */
  sorted(host: LiveHost, requests: readonly Leased[]): Sorted {
    const settled: PendingUnit[] = []
    const open = requests.filter((request) => {
      const reason = this.#unsentFor(request)
      if (reason === undefined) return true
      settled.push(settledAs(host, request, reason))
      return false
    })
    return { open, settled }
  }

  /** Why it is not sent in this run, whatever its pattern. */
  #unsentFor(request: Leased): string | undefined {
    const exclusion = this.#exclusionOf(request)
    if (exclusion === undefined) return undefined
    const { reason, rule } = exclusion
    const { tally, settings } = this.#run
    const isNew = !this.#said.has(rule)
    this.#said.add(rule)
    // Counted: how many there are says what to do about it.
    if (reason === HANDLER_UNKNOWN) tally.problem(withoutHandler(rule, settings.spider))
    else if (isNew) tally.problem(unsent(reason, rule, settings.codec.text(request.url)))
    return reason
  }
}

/** Whether the request is not sent in this run: it is due in none of its rounds, and waits again in a run that may send it. */
export function isLeftOut(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.fetched === undefined && LEFT_OUT.has(outcome.reason)
}

function unsent(reason: string, rule: string, url: string): string {
  if (reason === PLUGIN_MISSING)
    return `requests of the plugin ${rule}, such as ${url}, are not sent, because the configuration does not have it; the next run that has it requests them`
  return `requests of earlier runs that the scope excludes now (${rule}), such as ${url}, are not sent; once it lets them in, the next run requests them`
}

function withoutHandler(handler: string, { handlers }: Spider): string {
  const known = Object.keys(handlers).join(', ')
  return `pages for the handler ${handler}, which the spider does not have (it has: ${known}), are not requested; the next run that has it requests them`
}

function settledAs(host: LiveHost, request: Leased, reason: string): PendingUnit {
  host.unsettled++
  return outcomeOnly(host, requestOf(request), { kind: 'failed', reason })
}

// Requests of earlier runs that the scope of today excludes by name: a host whose owner asked to be left alone is left alone from the next run on.
//
// Hosts that are only no longer included (`within`, `hosts`) do not count: those of seeds that a function yields later are not known yet. Nor do depths: what
// is a seed by now may have been found deeper.

/** Why a request is not sent: a rule of the scope, or the name of a plugin or a handler that is missing. */
interface Exclusion {
  readonly reason: string
  readonly rule: string
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
      const plugin = pluginOf(handler)
      return plugin === undefined ? { reason: HANDLER_UNKNOWN, rule: handler } : { reason: PLUGIN_MISSING, rule: plugin }
    }
    const rule = isDocument ? documentRefusal(url) : exclusion(url)
    return rule === undefined ? undefined : { reason: OUT_OF_SCOPE, rule }
  }
}

/** All rules that exclude something, as text: the same for rules that are the same. */
export function exclusionText({ spider, documents, dropped }: Pick<Settings, 'spider' | 'documents' | 'dropped'>): string {
  const rules = [spider.scope, dropped.names, [...documents.keys(), ...Object.keys(spider.handlers)]]
  return inspect(rules, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity })
}
