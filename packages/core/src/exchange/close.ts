// Closes the books of exchanges: the slot is free again, the host's numbers are right and the plugins have voted, all in the tick in which one ends.
import { forbiddenAfter, isServed } from '../hosts/blocking.ts'
import type { Failure } from '../ports/failure.ts'
import { retryAfterAt } from '../laws/retry-after.ts'
import { isRefusal } from '../laws/statuses.ts'
import { trace } from '../hooks/hooks.ts'
import { answerVotes, failureVotes } from '../hooks/votes.ts'
import { isIdempotent } from '../ports/request.ts'
import type { Response } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { saysUp, type ProbeEnd } from '../scheduler/retirements.ts'
import type { Slots } from '../scheduler/slots.ts'
import { ACCEPT, fetchedAtOf, type Verdict } from '../ports/exchange.ts'
import type { CrawledPage } from '../ports/page.ts'
import { traced, type TracedVerdict } from '../ports/trace.ts'
import { againLater, lacksRoom, noteFailure, type FaultJudge } from './fault-judge.ts'
import type { ExchangeEnd, LiveExchange } from './live-exchange.ts'

/** What there is to judge once an exchange is over. */
export interface Closing {
  readonly verdict: Verdict
  /** It counts whatever the answer is. */
  readonly isInsisted?: boolean
  /** The answer, of the host or of a plugin, as plugins see it. */
  readonly response?: Response
  /** The failure as it counts, with the host to blame if this machine is not. Absent where there is none, or none that counts. */
  readonly cause?: Failure
  /** A plugin threw in the hook of its end. */
  readonly threw?: Failure | undefined
  /** What this says of a host that was given up. */
  readonly probe?: ProbeEnd | undefined
}

/** Why nothing of an exchange counts. */
interface Unsent extends TracedVerdict {
  readonly failure?: Failure
  readonly response?: Response
}

/** What came back, at one moment for all who keep something of it. */
interface OwnAnswer {
  readonly exchange: LiveExchange
  readonly response: Response
  readonly now: number
  readonly forbidden: boolean
}

/** Closes them. */
export class Closer {
  readonly #run: Run
  readonly #slots: Slots
  readonly #faults: FaultJudge

  constructor(run: Run, slots: Slots, faults: FaultJudge) {
    this.#run = run
    this.#slots = slots
    this.#faults = faults
  }

  /** Closes the books of an exchange that ended at `now`. */
  close(exchange: LiveExchange, end: ExchangeEnd, now: number): Closing {
    if (end.kind === 'answered') return this.#answered(exchange, end.response, now)
    if (end.kind === 'served') return this.#served(exchange, end.response, now)
    if (end.kind === 'failed') return this.#failed(exchange, end.failure, now)
    return this.#unsent(exchange, end.kind === 'put-off' ? end : { verdict: ACCEPT }, now)
  }

  #answered(exchange: LiveExchange, response: Response, now: number): Closing {
    const { hooks, tally, settings } = this.#run
    const { host } = exchange
    const wanted = exchange.isPage(response)
    this.#leave(exchange, now, { waitedMs: notWorkedMs(response) })
    tally.answered(host.key, response, now)
    const forbidden = !wanted && settings.blockedStatuses.has(response.status)
    const probe = host.probing === undefined ? undefined : 'answered'
    const answer = { exchange, response, now, wanted, forbidden, page: () => this.#pageOf(exchange, response) }
    this.#learn(answer)
    if (response.status === 401) this.#credentialsRefused(exchange)
    const votes = answerVotes(answer)
    hooks.onResponse.call(votes)
    trace(hooks, 'answered', () => ({ at: now, exchange: traced(exchange), response, ...votes.loudest.told }))
    return { verdict: votes.verdict, isInsisted: votes.insisted !== undefined, response, probe, threw: votes.threwAs }
  }

  #pageOf(exchange: LiveExchange, response: Response): CrawledPage {
    const { pages, userAgent } = this.#run.settings
    const fetchedAt = fetchedAtOf(exchange, response)
    return (exchange.page ??= pages.part({ request: exchange.request, response, userAgent, fetchedAt }))
  }

  /** Said once for an origin and a session. What a link sends in their place is its own. */
  #credentialsRefused({ request }: LiveExchange): void {
    if (request.headers['authorization'] !== undefined) return
    const { settings, tally } = this.#run
    const problem = settings.codec.current.credential(request.url, request.session)?.refused
    if (problem !== undefined) tally.problem(problem)
  }

  /** Nobody asked the host: its booking is given back. */
  #served(exchange: LiveExchange, response: Response, now: number): Closing {
    const shown = this.#run.settings.codec.current.answer(response, exchange.request.url, 'headers')
    return { ...this.#unsent(exchange, { verdict: ACCEPT, response: shown }, now), response: shown }
  }

  #failed(exchange: LiveExchange, reported: Failure, now: number): Closing {
    const { hooks } = this.#run
    const { host, required } = exchange
    const counted = this.#faults.counted(exchange, reported)
    // What the server may have acted on is not sent once more without a plugin's vote.
    const repeatable = !reported.sent || isIdempotent(exchange.request.method)
    const cause = counted ?? (repeatable ? undefined : reported)
    if (cause === undefined) return this.#unsent(exchange, { verdict: ACCEPT, failure: reported }, now)
    this.#leave(exchange, now, cause.sent ? { waitedMs: cause.timings?.waitedMs } : undefined)
    host.failed++
    const isUp = counted && saysUp(counted)
    if (cause.blame !== 'user') this.#run.tally.counts.failures++
    noteFailure(host, cause, isUp)
    const votes = failureVotes({ exchange, failure: cause, now })
    if (cause.blame === 'user') hooks.onUnsent.call(exchange)
    else hooks.onError.call(votes)
    if (repeatable && lacksRoom(cause)) votes.loudest.add(againLater(exchange, cause.code, now), 'core')
    const kind = cause.blame === 'user' ? 'unsent' : 'failed'
    trace(hooks, kind, () => ({ at: now, exchange: traced(exchange), failure: cause, ...votes.loudest.told }))
    const { verdict } = votes
    const ends = isUp === true ? 'answered' : 'in-vain'
    const probe = host.probing === undefined || isUp === undefined ? undefined : ends
    // Of a host that was given up no page is to blame: it waits as it did.
    if (probe === 'in-vain' && repeatable && !required) return { verdict: ACCEPT, probe }
    return { verdict, cause, probe, threw: votes.threwAs }
  }

  #unsent(exchange: LiveExchange, told: Unsent, now: number): Closing {
    this.#leave(exchange, now)
    exchange.takeBackStart()
    this.#run.hooks.onUnsent.call(exchange)
    trace(this.#run.hooks, 'unsent', () => ({ ...told, at: now, exchange: traced(exchange) }))
    return { verdict: told.verdict }
  }

  /** Gives the slot back and accounts for the time it was held; what it waited for us, or sent a file, says nothing about how much the host has to do. */
  #leave(exchange: LiveExchange, now: number, sent?: { readonly waitedMs: number | undefined }): void {
    const { host } = exchange
    host.exchanges.delete(exchange)
    this.#slots.give(exchange.onProbation)
    host.virtualTime += now - exchange.admittedAt - Math.max(1, host.core.lastDurationMs)
    if (sent === undefined) return
    host.core.lastEndAt = now
    host.core.lastDurationMs = now - (exchange.sentAt ?? exchange.admittedAt) - (sent.waitedMs ?? 0)
  }

  #learn(answer: OwnAnswer): void {
    const { exchange, response, now } = answer
    const { status } = response
    const { host, required } = exchange
    const { core } = host
    this.#faults.answered(exchange, now)
    core.answered = true
    core.failedFor = undefined
    host.answered++
    if (isRefusal(status)) this.#refused(answer)
    else if (status >= 500) core.consecutiveFailures++
    else core.consecutiveFailures = 0
    core.refusals = isRefusal(status) ? (core.refusals ?? 0) + 1 : undefined
    // A required document that is not there is as good an answer as any: most sites have no robots.txt, and are well.
    if (status < 400 || (required && (status === 404 || status === 410))) core.proven = true
    // A robots.txt that is forbidden says nothing about pages, and one that is there neither.
    if (!required) this.#learnPage(answer)
  }

  /** A Retry-After is kept by core, so that it holds under every rate policy, and under another one in the next run. */
  #refused({ exchange, response, now }: OwnAnswer): void {
    const { host, request } = exchange
    host.refused++
    // It was led to another host for its robots.txt: that one says nothing of this one's pages.
    if (request.hostKey !== host.key) return
    const askedUntil = retryAfterAt(response.headers, now, exchange.random('retry-after'))
    if (askedUntil !== undefined) host.core.askedUntil = Math.max(askedUntil, host.core.askedUntil ?? 0)
  }

  #learnPage({ exchange, response: { status }, forbidden, now }: OwnAnswer): void {
    const { seq, request } = exchange
    const { core } = exchange.host
    if (core.served === undefined && isServed({ status, forbidden })) core.served = true
    if (core.forbidden === undefined && !forbidden) return
    const wasPublic = request.earlier?.bodyHash !== undefined
    const answer = { status, forbidden, seq, now, again: request.attempts > 0, wasPublic }
    core.forbidden = forbiddenAfter(core.forbidden, answer)
  }
}

/** Ms of the exchange in which the host was not busy with the answer. A file is copied to the line: a host that sends one for an hour is not slow. */
function notWorkedMs({ timings: { waitedMs = 0, bodyMs }, saved }: Response): number {
  return saved === undefined ? waitedMs : waitedMs + bodyMs
}
