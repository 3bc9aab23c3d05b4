// Whether a page may be asked in the exchange of a request that lacks a secret, and with which header fields: the exchange was admitted for the URL of its
// request, and the scope, robots.txt and other plugins may say otherwise of another.
//
// A page that was visited before is in the crawl. What a redirect led to, or a URL without its parameter, is a discovery like any other. Plugins are asked by
// `beforeRequest`, as of a request of its own: what they would drop or serve is not asked, and what they put off, or throw at, is asked later. Header fields of the request go along to its own origin.
import type { Clock } from '../clock.ts'
import type { Exchange } from '../exchange.ts'
import type { Failure } from '../failure.ts'
import { isTapped, type CrawlHooks } from '../hooks/hooks.ts'
import type { Request } from '../request.ts'
import type { DetourTo, DetourWord } from '../secrets/secret-fetcher.ts'
import { originOf } from '../url/origin.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { prepare } from './prepare.ts'
import { requiredRequest } from '../request-of.ts'
import { OpenSending } from '../hooks/sending.ts'

/** They belong to the request itself. */
const OWN_FIELD = /^(?:if-|content-|range$)/

/** What it needs of the crawl. */
export interface DetourParts {
  readonly hooks: CrawlHooks
  readonly clock: Clock
  readonly discoveries: Pick<Discoveries, 'refusalInPlace'>
  headersFor(url: string): Readonly<Record<string, string>>
  privateAllowed(request: Pick<Request, 'url' | 'hostKey'>): boolean | Promise<boolean>
}

/** What the request for `to`, in the exchange `run`, is sent with, if it may be asked now. */
export async function detourRights(run: ExchangeRun, to: DetourTo, parts: DetourParts): Promise<DetourWord> {
  const { hooks, clock, discoveries } = parts
  const { request: of } = run
  const { url, depth } = to
  if (!to.isVisited && discoveries.refusalInPlace(url, depth, of) !== undefined) return { kind: 'refused' }
  const request: Request = { ...requiredRequest(url, of.hostKey), handler: of.handler, depth, headers: ownFields(of, url) }
  const sending = new OpenSending(viewOf(run, request), clock.now(), { ...parts.headersFor(url), ...request.headers })
  if (isTapped(hooks.beforeRequest)) {
    const failure = await new Promise<Failure | undefined>((resolve) =>
      prepare(sending, { hooks, clock }, { done: () => resolve(sending.failure), late: resolve }),
    )
    if (failure !== undefined) return { kind: 'failed', why: failure.message }
    const { served, verdict } = sending
    if (verdict.kind === 'retry') return { kind: 'later', at: verdict.at }
    if (verdict.kind === 'drop' || served !== undefined) return { kind: 'refused' }
  }
  return { kind: 'granted', rights: { headers: sending.headers, privateAllowed: await parts.privateAllowed(request) } }
}

/** What says who asks. */
function ownFields({ headers, url: own }: Request, url: string): Readonly<Record<string, string>> {
  if (originOf(own) !== originOf(url)) return {}
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_FIELD.test(name)))
}

/** The exchange as one of another request. */
function viewOf(run: ExchangeRun, request: Request): Exchange {
  const { host, seq, admittedAt, required, limits } = run
  return {
    request,
    host,
    seq,
    admittedAt,
    required,
    limits,
    limit: (tighter) => run.limit(tighter),
    random: (salt) => run.random(salt),
  }
}
