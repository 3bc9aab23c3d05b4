// The stations of an exchange, always in this order: booked, beforeRequest, fetched, judged. What is judged becomes a turn, or a page.
//
// Everything from the arrival of an answer to the next dispatch decision happens in one tick: the hooks hear of it, the slot is free, what is
// booked above the host's new limit is recalled, and the next exchange may begin.
import { forbiddenAfter, isServed } from '../blocking.ts'
import type { Clock } from '../clock.ts'
import type { Failure } from '../failure.ts'
import type { BodyWish, Outbound, TimeLimits } from '../fetcher.ts'
import type { Outcome } from '../frontier.ts'
import { isTapped, type CrawlHooks } from '../hooks/hooks.ts'
import { isIdempotent } from '../is-idempotent.ts'
import type { Leased, Request } from '../request.ts'
import type { Response, ResponseHead } from '../response.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Slots } from '../scheduler/slots.ts'
import { ACCEPT, louder, type Verdict } from '../verdict.ts'
import type { Detours, DetourTo, DetourWord, SecretFetcher } from '../secrets/secret-fetcher.ts'
import { OpenBallot } from '../hooks/ballot.ts'
import { ExchangeRun, type ExchangeEnds } from './exchange-run.ts'
import { noteFailure, type FaultJudge } from './fault-judge.ts'
import { againLater, lacksMemory } from './no-memory.ts'
import { awaiting, fetchedOf, reasonOf } from './outcome.ts'
import { isRedirect } from './redirect.ts'
import { conditionsOf, isUnchanged } from '../recrawl/recrawl.ts'
import { prepare } from './prepare.ts'
import { requestOf } from '../request-of.ts'
import { saysUp, type ProbeEnd } from '../scheduler/retirement.ts'
import { OpenSending } from '../hooks/sending.ts'
import type { Tally } from '../run/tally.ts'

/** Refused statuses are judged at their headers: nothing in their bodies is worth a round trip of delay. */
const REFUSALS = new Set([429, 503])
/** Of a required document: what a host's memory can keep of it (RFC 9309 §2.5 asks for 500 KiB). */
const REQUIRED_BYTES = 512 * 1024

/** What exchanges need of the crawl around them. */
export interface ExchangeWorld {
  readonly hooks: CrawlHooks
  readonly fetcher: SecretFetcher
  readonly slots: Slots
  readonly tally: Tally
  readonly faults: FaultJudge
  readonly clock: Clock
  readonly limits: TimeLimits
  readonly randomSeed: string
  readonly blockedStatuses: ReadonlySet<number>
  accepts(status: number): boolean
  headersFor(url: string): Readonly<Record<string, string>>
  /** A promise while it is being found out. */
  privateAllowed(request: Pick<Request, 'url' | 'hostKey'>): boolean | Promise<boolean>
  /** Whether another page may be asked in the exchange of a request, and with what. */
  detour(run: ExchangeRun, to: DetourTo): Promise<DetourWord>
  /** An answer that did not come by the fetcher, without secrets. */
  hidden(response: Response, url: string): Response
  /** The outcome of a request that no handler will see. */
  settle(run: ExchangeRun, outcome: Outcome): void
  /** A page for a handler. */
  page(run: ExchangeRun, response: Response): void
  redirected(run: ExchangeRun, response: Response): void
  required(run: ExchangeRun, result: Response | Failure): void
  requiredUnsent(run: ExchangeRun): void
  /** A host that was given up has answered its probe, or not. */
  probed(host: LiveHost, end: ProbeEnd): void
  /** Something about this host changed: ask again, and go on. */
  changed(host: LiveHost): void
}

/** Begins exchanges and judges their ends. */
export class Exchanges implements ExchangeEnds {
  readonly #world: ExchangeWorld

  constructor(world: ExchangeWorld) {
    this.#world = world
  }

  /** Books an exchange and sends it on its way, in this tick unless a plugin's `beforeRequest` takes time. */
  begin(host: LiveHost, leased: Leased): void {
    this.#book(host, requestOf(leased), leased)
  }

  /** The same for a document that a plugin requires. */
  beginRequired(host: LiveHost, request: Request): void {
    this.#book(host, request)
  }

  #book(host: LiveHost, request: Request, leased?: Leased): void {
    const { hooks, slots, clock, limits, randomSeed } = this.#world
    const admittedAt = clock.now()
    const run = new ExchangeRun({
      host,
      request,
      leased,
      required: leased === undefined,
      admittedAt,
      limits,
      randomSeed,
      now: () => clock.now(),
      ends: this,
    })
    host.exchanges.add(run)
    if (leased) host.unsettled++
    run.previousStartAt = host.core.lastStartAt
    host.core.lastStartAt = admittedAt
    host.virtualTime += Math.max(1, host.core.lastDurationMs)
    slots.take(run.onProbation)
    hooks.onAdmit.call(run)
    if (run.refused) run.fail(run.refused)
    else if (isTapped(hooks.beforeRequest)) this.#prepare(run)
    else this.#send(run, this.#outgoing(run))
  }

  #prepare(run: ExchangeRun): void {
    const sending = new OpenSending(run, this.#world.clock.now(), this.#outgoing(run))
    prepare(sending, this.#world, { done: () => this.#prepared(run, sending), late: (cause) => run.fail(cause) })
  }

  #prepared(run: ExchangeRun, sending: OpenSending): void {
    if (run.isOver) return
    if (sending.failure) run.fail(sending.failure)
    else if (sending.verdict.kind === 'accept' && sending.served) run.serve(sending.served)
    else if (sending.verdict.kind === 'accept') this.#send(run, sending.headers)
    else this.#unsentFor(run, sending.verdict)
  }

  #outgoing(run: ExchangeRun): Record<string, string> {
    return { ...this.#world.headersFor(run.request.url), ...conditionsOf(run.request), ...run.request.headers }
  }

  #send(run: ExchangeRun, headers: Readonly<Record<string, string>>): void {
    const allowed = this.#world.privateAllowed(run.request)
    if (typeof allowed === 'boolean') return this.#fetch(run, headers, allowed)
    void allowed.then((found) => {
      if (!run.isOver) this.#fetch(run, headers, found)
    })
  }

  #fetch(run: ExchangeRun, headers: Readonly<Record<string, string>>, privateAllowed: boolean): void {
    const { url, method, body } = run.request
    const some = { ...(body !== undefined && { body }), ...(run.required && { keepBytes: REQUIRED_BYTES }) }
    const outbound: Outbound = { url, method, headers, limits: run.limits, privateAllowed, ...some }
    const detours: Detours = {
      memory: run.host.core,
      rights: (to) => this.#world.detour(run, to),
      putOff: (at) => this.#unsentFor(run, awaiting(at)),
      begins: (struggled) => (run.struggled = struggled),
    }
    run.underWay(this.#world.fetcher.fetch(outbound, run, detours))
  }

  sent(): void {
    this.#world.tally.counts.requests++
  }

  wish(run: ExchangeRun, head: ResponseHead): BodyWish {
    if (isUnchanged(run.request, head.status)) return 'discard'
    if (!run.required && this.#world.accepts(head.status)) return 'read'
    return REFUSALS.has(head.status) || isRedirect(head) ? 'discard' : 'read'
  }

  answered(run: ExchangeRun, response: Response): void {
    const { hooks, tally, clock } = this.#world
    const wanted = !run.required && this.#isPage(run, response)
    this.#leave(run, true, response.timings.waitedMs)
    tally.answered(run.host.key, response, clock.now())
    const forbidden = !wanted && this.#world.blockedStatuses.has(response.status)
    this.#learn(run, response, forbidden)
    const ballot = new OpenBallot(wanted || run.required)
    hooks.onResponse.call({ exchange: run, response, now: clock.now(), wanted, forbidden }, ballot)
    if (run.struggled) this.#detoured(run, ballot.verdict, response)
    else if (ballot.failure && !run.required) this.#settleFailed(run, ballot.failure, response)
    else this.#goOn(run, response, ballot.verdict)
    this.#world.changed(run.host)
  }

  /** Nobody asked the host: its booking is given back, and the page goes on. */
  served(run: ExchangeRun, response: Response): void {
    this.#leave(run, false)
    this.#world.hooks.onUnsent.call(run)
    this.#goOn(run, this.#world.hidden(response, run.request.url), ACCEPT)
    this.#world.changed(run.host)
  }

  #goOn(run: ExchangeRun, response: Response, verdict: Verdict): void {
    if (run.required) this.#world.required(run, response)
    else if (this.#isPage(run, response)) this.#world.page(run, response)
    else if (isRedirect(response)) this.#world.redirected(run, response)
    else this.#judge(run, verdict, `http-${response.status}`, response)
  }

  /** Whether the spider hears of it: a status that it wants, or that the page is as it was. */
  #isPage({ request }: ExchangeRun, { status, detour }: Response): boolean {
    return detour === undefined && (this.#world.accepts(status) || isUnchanged(request, status))
  }

  failed(run: ExchangeRun, reported: Failure): void {
    const { hooks, clock, faults } = this.#world
    const { host } = run
    const counted = faults.counted(run, reported)
    // What the server may have acted on is not sent once more without a plugin's vote.
    const repeatable = !reported.sent || isIdempotent(run.request.method)
    const cause = counted ?? (repeatable ? undefined : reported)
    if (cause === undefined) {
      this.unsent(run, true)
      return this.#world.changed(host)
    }
    this.#leave(run, cause.sent, cause.timings?.waitedMs)
    host.failed++
    const isUp = counted && saysUp(counted)
    noteFailure(host, isUp)
    const ballot = new OpenBallot(run.required)
    if (cause.blame === 'user') hooks.onUnsent.call(run)
    else hooks.onError.call({ exchange: run, failure: cause, now: clock.now() }, ballot)
    const verdict = repeatable && lacksMemory(cause) ? louder(againLater(run, clock.now()), ballot.verdict) : ballot.verdict
    const answered = host.probing === undefined ? undefined : isUp
    if (run.required) this.#world.required(run, cause)
    // Of a host that was given up no page is to blame: it waits as it did.
    else if (answered === false && repeatable) run.requeue()
    else if (run.struggled) this.#detoured(run, verdict)
    else if (ballot.failure || verdict.kind === 'accept') this.#settleFailed(run, ballot.failure ?? cause)
    else this.#judge(run, verdict, reasonOf(cause.code), undefined, cause)
    if (answered !== undefined)
      this.#world.probed(host, answered ? 'answered' : faults.isVouched(run, cause) ? 'in-vain' : 'doubtful')
    this.#world.changed(host)
  }

  /** Accounts for it, and no more: whoever takes exchanges back places their host afterwards. */
  unsent(run: ExchangeRun, requeue: boolean): void {
    this.#leave(run, false)
    run.takeBackStart()
    this.#world.hooks.onUnsent.call(run)
    if (requeue) run.requeue()
    if (run.required) this.#world.requiredUnsent(run)
  }

  /** Gives the slot back and accounts for the time it was held; what our own memory made it wait says nothing about the host. */
  #leave(run: ExchangeRun, sent: boolean, waitedMs = 0): void {
    const { host } = run
    const now = this.#world.clock.now()
    host.exchanges.delete(run)
    this.#world.slots.give(run.onProbation)
    host.virtualTime += now - run.admittedAt - Math.max(1, host.core.lastDurationMs)
    if (!sent) return
    host.core.lastEndAt = now
    host.core.lastDurationMs = now - (run.sentAt ?? run.admittedAt) - waitedMs
  }

  #learn(run: ExchangeRun, { status }: Response, forbidden: boolean): void {
    const { host } = run
    const { core } = host
    this.#world.faults.answered(run)
    core.answered = true
    host.answered++
    if (host.probing !== undefined) this.#world.probed(host, 'answered')
    if (REFUSALS.has(status)) host.refused++
    else if (status >= 500) core.consecutiveFailures++
    else core.consecutiveFailures = 0
    // A required document that is not there is as good an answer as any: most sites have no robots.txt, and are well.
    if (status < 400 || (run.required && (status === 404 || status === 410))) core.proven = true
    // A robots.txt that is forbidden says nothing about pages, and one that is there neither.
    if (!run.required) this.#learnPage(run, status, forbidden)
  }

  #learnPage({ host: { core }, seq, request }: ExchangeRun, status: number, forbidden: boolean): void {
    if (core.served === undefined && isServed({ status, forbidden })) core.served = true
    if (core.forbidden === undefined && !forbidden) return
    const answer = { status, forbidden, seq, now: this.#world.clock.now(), again: request.attempts > 0 }
    core.forbidden = forbiddenAfter(core.forbidden, answer)
  }

  /** What comes of another page is no outcome of the request. */
  #detoured(run: ExchangeRun, verdict: Verdict, response?: Response): void {
    if (response?.detour?.isAnswered) return this.#world.redirected(run, response)
    const at = run.struggled?.() ?? 0
    this.#world.settle(run, awaiting(verdict.kind === 'retry' ? Math.max(at, verdict.at) : at))
  }

  /** What becomes of an answer or error that the spider does not want and that plugins voted on. */
  #judge(run: ExchangeRun, verdict: Verdict, reason: string, response?: Response, cause?: Failure): void {
    const fetched = fetchedOf(run, this.#world.clock.now(), response, cause)
    if (verdict.kind === 'retry') return this.#world.settle(run, { ...verdict, fetched })
    const settled = verdict.kind === 'drop' ? verdict.reason : reason
    this.#world.settle(run, { kind: 'failed', reason: settled, fetched, ...(cause && { failure: cause }) })
  }

  #settleFailed(run: ExchangeRun, cause: Failure, response?: Response): void {
    const fetched = fetchedOf(run, this.#world.clock.now(), response, cause)
    this.#world.settle(run, { kind: 'failed', reason: reasonOf(cause.code), failure: cause, fetched })
  }

  /** A plugin's `beforeRequest` said not to send it. */
  #unsentFor(run: ExchangeRun, verdict: Verdict): void {
    run.unsent(false)
    const { kind } = verdict
    if (!run.required && kind === 'retry') this.#world.settle(run, { ...verdict, counted: false })
    else if (!run.required && kind === 'drop') this.#world.settle(run, { kind: 'failed', reason: verdict.reason })
    this.#world.changed(run.host)
  }
}
