// Whether a page may be asked in the exchange of a request that lacks a secret, and with which header fields: the exchange was admitted for the URL of its
// request, and the scope, robots.txt and other plugins may say otherwise of another.
//
// A page that was visited before is in the crawl. What a redirect led to, or a URL without its parameter, is a discovery like any other. Plugins are asked by
// `beforeRequest`, as of a request of its own: what they would drop or serve is not asked, and what they put off, or throw at, is asked later. Header fields of
// the request go along to its own origin.
import type { Clock } from '../clock.ts'
import type { Exchange } from '../exchange.ts'
import { isTapped, type CrawlHooks } from '../hooks/hooks.ts'
import type { Request } from '../request.ts'
import type { DetourTo, DetourWord } from '../secrets/secret-fetcher.ts'
import { originOf } from '../url/origin.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import type { Headers } from './headers.ts'
import type { LiveExchange } from './live-exchange.ts'
import { prepare } from './prepare.ts'
import type { PrivateRights } from './private-rights.ts'
import { requiredRequest } from '../request-of.ts'
import { OutgoingRequestCollector } from '../hooks/outgoing-request.ts'

/** They belong to the request itself. */
const OWN_FIELD = /^(?:if-|content-|range$)/

/** What it goes by. */
export interface DetourParts {
  readonly hooks: CrawlHooks
  readonly settings: { readonly clock: Clock }
  readonly discoveries: Pick<Discoveries, 'refusalInPlace'>
  readonly headers: Pick<Headers, 'for'>
  readonly privateRights: Pick<PrivateRights, 'of'>
}

/** What the request for `to`, in `exchange`, is sent with, if it may be asked now. */
export async function detourRights(exchange: LiveExchange, to: DetourTo, parts: DetourParts): Promise<DetourWord> {
  const { hooks, settings, discoveries, headers, privateRights } = parts
  const { clock } = settings
  const { request: of } = exchange
  const { url, depth } = to
  if (!to.isVisited && discoveries.refusalInPlace(url, depth, of) !== undefined) return { kind: 'refused' }
  const request: Request = {
    ...requiredRequest(url, of.hostKey),
    handler: of.handler,
    depth,
    headers: ownFields(of, url),
    ...goesAs(of),
  }
  const fields = { ...headers.for(url, of.session), ...request.headers }
  // What would save the body of the request is not asked to save this one.
  const outgoing = new OutgoingRequestCollector(viewOf(exchange, request), { now: clock.now(), headers: fields, maySave: true })
  if (isTapped(hooks.beforeRequest)) {
    const failure = await prepare(outgoing, { hooks, clock })
    if (failure !== undefined) return { kind: 'failed', why: failure.message }
    const { served, loudest } = outgoing
    const { verdict } = loudest
    if (verdict.kind === 'retry') return { kind: 'later', at: verdict.at }
    if (verdict.kind === 'drop' || served !== undefined) return { kind: 'refused' }
  }
  const { proxy } = outgoing
  if (proxy !== undefined) exchange.goThrough(proxy)
  return {
    kind: 'granted',
    rights: { headers: outgoing.headers, privateAllowed: await privateRights.of(request), ...(proxy && { proxy }) },
  }
}

/** It goes through the proxy of the request that it is for. */
function goesAs({ session, proxySession = session }: Request): Pick<Request, 'proxySession'> {
  return proxySession === undefined ? {} : { proxySession }
}

/** What says who asks. */
function ownFields({ headers, url: own }: Request, url: string): Readonly<Record<string, string>> {
  if (originOf(own) !== originOf(url)) return {}
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_FIELD.test(name)))
}

/** The exchange as one of another request. */
function viewOf(exchange: LiveExchange, request: Request): Exchange {
  const { host, seq, admittedAt, required, limits } = exchange
  return {
    request,
    host,
    seq,
    admittedAt,
    required,
    limits,
    limit: (tighter) => exchange.limit(tighter),
    random: (salt) => exchange.random(salt),
  }
}
