// Between a gatekeeper and the engine: what rests goes to the store, and an answer is looked at before it counts.
import type { LiveHost } from '../hosts/live-host.ts'
import { requestOf } from '../hosts/request-of.ts'
import { reasonOf } from '../ports/failure.ts'
import type { Gatekeeper, OpenGatekeeper } from '../ports/gatekeeper.ts'
import type { Leased } from '../ports/request.ts'
import { isRedirect } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { locationOf } from '../url/host-key.ts'
import { parseUrl } from '../url/parse-url.ts'
import { outcomeOnly, type PendingUnit } from '../store/commits.ts'
import type { Closing } from './close.ts'
import type { Judgement } from './judge.ts'
import { fetchedOf } from '../ports/exchange.ts'
import type { LiveExchange } from './live-exchange.ts'
import { visit, type VisitParts } from './own-visits.ts'

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
