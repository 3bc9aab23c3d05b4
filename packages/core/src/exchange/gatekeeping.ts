// Between a gatekeeper and the engine: what rests goes to the store, an answer is looked at before it counts, and pages that the gatekeeper wants are exchanges
// of the crawl's own whose redirects are followed one by one, each on the terms of its host.
import type { LiveHost } from '../hosts/live-host.ts'
import { requestOf, requiredRequest } from '../hosts/request-of.ts'
import { reasonOf, type Failure } from '../ports/failure.ts'
import type { Gatekeeper, OpenGatekeeper, OwnPage, OwnVisit, VisitPutOff } from '../ports/gatekeeper.ts'
import type { Leased } from '../ports/request.ts'
import { isRedirect, type Response } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { locationOf, hostKeyOf } from '../url/host-key.ts'
import { parseUrl } from '../url/parse-url.ts'
import { outcomeOnly, type PendingUnit } from '../store/pending-unit.ts'
import type { Closing } from './close.ts'
import type { Judgement } from './judge.ts'
import { fetchedOf } from '../ports/exchange.ts'
import type { LiveExchange } from './live-exchange.ts'
import type { Discoveries } from '../discovery/discovery.ts'
import { lowerCased } from '../values/header-names.ts'
import { hiddenTargetOf, withHiddenParts, withoutUrl, type HiddenParts } from './hidden-parts.ts'
import type { OwnExchanges } from './own-exchanges.ts'

/** Opens `keeper`. */
export function openGatekeeper(keeper: Gatekeeper, parts: VisitParts): OpenGatekeeper {
  const { settings, memories, calls, tally, fail, goOn } = parts.run
  const save = (): Promise<void> => settings.frontier.note(memories.changedPart(keeper.remembers.name))
  const { spider, clock, handlerTimeoutMs, hostKeying } = settings
  return keeper.open({
    ...{ spider, clock, handlerTimeoutMs, hostKeying, goOn },
    memory: memories.crawl.at(-1),
    plugins: settings.plugins.map(({ name }) => name),
    sessions: [...settings.sessions.keys()],
    visit: (wish, ended) => visit(wish, parts, ended),
    save: () => void calls.make(`memory of ${keeper.remembers.name}`, save).catch(fail),
    tell: (message, as) => tally[as](message),
    hidden: settings.codec.text,
  })
}

/** Requests in the queue of `host` that rest, where nothing else is in it: in the store they wait as well, and others come. */
export function putOff({ putOffFor: reason }: OpenGatekeeper, host: LiveHost): readonly PendingUnit[] {
  const { queue } = host
  if (reason === undefined || queue.held()?.isResting !== true) return []
  const restsUntil = (request: Leased): number => {
    const gate = queue.gate?.(request)
    return gate?.isResting === true ? gate.until : 0
  }
  return queue
    .takeAll((request) => restsUntil(request) > 0)
    .map((request) => {
      host.unsettled++
      const outcome = { kind: 'retry', at: restsUntil(request), counted: false, reason } as const
      return { ...outcomeOnly(host, requestOf(request), outcome), isPutOff: true }
    })
}

/** `judged`, or what becomes of the request instead. What is not modified has no body, and says nothing. */
export function reviewed(
  gate: OpenGatekeeper | undefined,
  judged: Judgement,
  { exchange, response, run }: Pick<Closing, 'response'> & { readonly exchange: LiveExchange; readonly run: Run },
): Judgement {
  const { pages, html, userAgent, blockedStatuses, clock } = run.settings
  const { request, admittedAt, leased } = exchange
  const { kind } = judged
  if (!gate || !leased || !response || response.status === 304 || kind === 'document' || kind === 'unsent') return judged
  // A policy may take what is forbidden for a ban, and have it wait: the page says more. Other trouble says nothing.
  if (kind === 'retry' && !blockedStatuses.has(response.status)) return judged
  const fetched = fetchedOf(exchange, clock.now(), response)
  const page = (exchange.page = pages.part({ request, response, html, userAgent, fetchedAt: fetched.at }))
  const target = isRedirect(response) ? parseUrl(locationOf(response.headers), request.url) : undefined
  const review = gate.reviewed({ request, admittedAt, kind, page, target })
  if (review === undefined) return judged
  if (review.kind === 'again') return { kind: 'unsent' }
  if (review.kind === 'retry') return { kind: 'retry', outcome: { ...review, counted: false, fetched } }
  const { failure } = review
  return { kind: 'failed', outcome: { kind: 'failed', reason: reasonOf(failure.code), failure, fetched } }
}

/** Redirects of one answer. */
const MAX_HOPS = 5
/** Half of a body with a content coding cannot be decoded, and what is required is cut at half a megabyte. */
const PLAIN = { 'accept-encoding': 'identity' }

/** What requests them. */
export interface VisitParts {
  readonly run: Run
  readonly own: Pick<OwnExchanges, 'send'>
  readonly discoveries: Pick<Discoveries, 'documentRefusal'>
  /** Those that this process holds. */
  readonly hosts: ReadonlyMap<string, LiveHost>
}

/** Visits a page. */
function visit(wish: OwnVisit, parts: VisitParts, ended: (came: OwnPage | VisitPutOff | string) => void): void {
  const { url, method = 'GET', headers = {}, body, session, handler, known, isNext } = wish
  const { codec, hostKeying, pages, html, clock } = parts.run.settings
  const host = parts.hosts.get(wish.hostKey)
  if (host === undefined) return ended({ notBefore: 0 })
  const go = (sent: HiddenParts, before: readonly string[], redirectedFrom?: string): void => {
    const isLed = redirectedFrom !== undefined
    const request = withHiddenParts(
      {
        ...requiredRequest(sent.url, hostKeyOf(sent.url, hostKeying)),
        ...(session !== undefined && { session }),
        ...{ handler, headers: PLAIN, hops: before.length },
        ...(isLed && { redirectedFrom }),
        // The user named the host of `known`, and no other.
        ...(new URL(sent.url).host !== new URL(known).host && { isElsewhere: true as const }),
      },
      sent,
      { known, isLed },
    )
    const { shownUrl = request.url } = request
    const refusal = parts.discoveries.documentRefusal(request.url)
    if (refusal !== undefined) return ended(`it leads to ${shownUrl}, which the scope refuses (${refusal})`)
    const way = [...before, sent.url]
    const answered = (result: Response | Failure): void => {
      if (!('status' in result)) return ended(result.message)
      const target = hiddenTargetOf(request)
      if (isRedirect(result) && target !== undefined && way.length <= MAX_HOPS)
        return go(redirected(sent, target, result.status), way, shownUrl)
      if (isRedirect(result)) return ended(`${shownUrl} redirects ${target === undefined ? 'nowhere' : 'again and again'}`)
      if (result.status >= 400) return ended(`${shownUrl} answered ${result.status}`)
      const page = pages.part({ request: { ...request, url: sent.url }, response: result, html, fetchedAt: clock.now() })
      ended({ page, shownUrl, way, shown: (text) => withoutUrl(text, sent.url, shownUrl) })
    }
    const send = (isFirst: boolean): void => parts.own.send(host, request, { ended: answered, unsent, isNext: isFirst })
    const unsent = (until: number): void =>
      until > 0 || !host.live || host.retiring !== undefined ? ended({ notBefore: until }) : send(true)
    send(isNext || isLed)
  }
  const fields = codec.current.fields(lowerCased(headers), { url, identity: undefined })
  go({ url, method: method.toUpperCase(), body, fields }, [])
}

/** 307 and 308 keep method and body (RFC 9110 §15.4); a password goes to no other origin. */
function redirected(sent: HiddenParts, url: string, status: number): HiddenParts {
  const isKept = (status === 307 || status === 308) && new URL(url).origin === new URL(sent.url).origin
  return isKept ? { ...sent, url } : { url, method: 'GET', body: undefined, fields: {} }
}
