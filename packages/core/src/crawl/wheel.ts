// The wheel of a crawl: the scheduler gives an exchange its turn, the turn becomes a page, the page a commit, the commit new turns.
//
// Here the parts are wired to each other and nothing else is decided: who goes next is the scheduler's word, what becomes of an exchange the
// plugins', what is kept the frontier's. Everything that happens ends in `go`: fill the slots, then tell the run to look whether it is over.
import { AvocetError, messageOf } from '../errors.ts'
import type { CommitResult, Frontier } from '../frontier.ts'
import type { Leased } from '../request.ts'
import type { Response } from '../response.ts'
import { AdmissionCollector } from '../scheduler/admission.ts'
import type { LiveHost } from '../scheduler/live-host.ts'
import { Scheduler } from '../scheduler/scheduler.ts'
import { Slots } from '../scheduler/slots.ts'
import { Strangers, type StrangersParts } from '../scheduler/strangers.ts'
import { Window } from '../scheduler/window.ts'
import { acceptsOf } from './accepts.ts'
import { CommitGroup } from './commit-group.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { Exchanges } from './exchanges.ts'
import { FaultJudge } from './fault-judge.ts'
import { CANARIES, NetworkGuard } from './network-guard.ts'
import { Pages } from './pages.ts'
import { Redirects } from './redirects.ts'
import { Retirements } from './retirements.ts'
import { RequiredDocuments } from './required-documents.ts'
import type { Totals } from './status-of.ts'
import { bareTurn, memoryTurn, type TurnDraft } from './turn-draft.ts'
import type { WheelParts } from './wheel-parts.ts'

/** The parts of a crawl that turn. */
export class Wheel {
  readonly slots: Slots
  readonly scheduler: Scheduler
  readonly window: Window
  readonly commits: CommitGroup
  readonly pages: Pages
  totals: Totals
  readonly #exchanges: Exchanges
  readonly #required: RequiredDocuments
  readonly #retirements: Retirements
  readonly strangers: Strangers
  readonly #network = new NetworkGuard()
  readonly #redirects: Redirects
  readonly #parts: WheelParts
  #stopped = false

  constructor(parts: WheelParts) {
    const { settings, memories, hooks } = parts
    const { clock, frontier } = settings
    const go = (): void => this.go()
    this.#parts = parts
    this.totals = parts.totals
    this.#redirects = new Redirects(parts)
    this.slots = new Slots(settings.concurrency)
    this.commits = new CommitGroup({
      frontier,
      calls: parts.calls,
      memories,
      clock,
      ears: { committed: (draft, result) => this.#committed(draft, result), groupDone: go, failed: parts.failed },
    })
    this.window = new Window({
      frontier,
      make: (name, call) => parts.calls.make(name, call),
      memories,
      optionsOf: settings.hostOptions,
      inPlace: (request) => this.#redirects.inPlace(request),
      joined: (hostKey, atRest) => this.strangers.joined(hostKey, atRest),
      lost: (host) => this.#required.gone(host, 'another process has it'),
      clock,
      concurrency: settings.concurrency,
      scheduler: () => this.scheduler,
      answered: go,
      failed: parts.failed,
    })
    this.pages = this.#makePages()
    this.#exchanges = this.#makeExchanges()
    this.strangers = new Strangers({
      reader: frontier.reader,
      memories,
      clock,
      optionsOf: settings.hostOptions,
      lease: leaserOf(settings.frontier, parts),
      enter: (visit) => this.window.enter(visit),
      held: (hostKey) => this.window.hosts.get(hostKey),
      virtualTime: () => this.scheduler.virtualTime,
    })
    this.#required = new RequiredDocuments({
      keying: settings.hostKeying,
      clock,
      strangers: this.strangers,
      begin: (host, request) => this.#exchanges.beginRequired(host, request),
      done: (host, document) => {
        hooks.onRequired.call(document)
        if (this.strangers.isHeld(host)) this.commits.add(memoryTurn(host))
      },
      learned: (host) => this.commits.add(memoryTurn(host)),
      place: (host) => this.#place(host),
      go,
    })
    const { strangers, window } = this
    const place = (host: LiveHost): void => this.#place(host)
    this.#retirements = new Retirements({
      hooks,
      clock,
      recrawl: parts.recrawl,
      required: this.#required,
      strangers,
      window,
      place,
    })
    this.scheduler = this.#makeScheduler()
  }

  /** Fills the slots, then has the run look whether it is over. */
  go(): void {
    if (this.#stopped) return
    this.scheduler.pump()
    this.#parts.check()
  }

  /** Takes back what is booked and not sent. */
  recallUnsent(): void {
    for (const host of this.#hosts()) for (const exchange of [...host.exchanges]) if (!exchange.isSent) exchange.recall()
  }

  /** Lets go of everything in flight, and commits what is done. */
  abort(): void {
    for (const host of this.#hosts()) for (const exchange of [...host.exchanges]) exchange.abort()
    this.commits.flush()
    this.go()
  }

  #hosts(): readonly LiveHost[] {
    return [...this.window.hosts.values(), ...this.strangers.hosts]
  }

  /** Nothing turns any more; gives the hosts back when the store can still be written. */
  async close(writable: boolean): Promise<void> {
    this.#stopped = true
    this.scheduler.close()
    await this.window.close(writable)
  }

  #makeScheduler(): Scheduler {
    const admission = new AdmissionCollector(this.#parts.hooks)
    return new Scheduler(this.#parts.settings.clock, this.slots, {
      ask: (host, now) => admission.ask(host, now),
      begin: (host, request) => this.#exchanges.begin(host, request),
      beginRequired: (host, required) => this.#required.fetch(host, required),
      beginGuest: (host, request) => this.#required.beginGuest(host, request),
      open: () => !this.#stopped && this.pages.hasRoom && this.#parts.open() && (!this.#isFeeling || this.slots.used < CANARIES),
      hungry: (now) => {
        this.commits.flush()
        this.window.grow(now)
      },
      crowded: (now) => this.window.look(now),
      moreAt: () => this.window.moreAt,
      tend: (host) => this.window.tend(host),
      woken: () => this.go(),
      retire: (host, reason) => this.#retirements.retire(host, reason),
    })
  }

  /** Trouble of ours may last: whether only a few exchanges may feel for its end. */
  get #isFeeling(): boolean {
    return this.#network.isDown || this.#parts.pause.isFeeling
  }

  #makePages(): Pages {
    const { settings, hooks, tally, discoveries, recrawl } = this.#parts
    const { spider, clock, handlerTimeoutMs, maxYields, maxHandlers, html } = settings
    return new Pages({
      spider,
      hooks,
      clock,
      tally,
      discoveries,
      recrawl,
      limits: { timeoutMs: handlerTimeoutMs, maxYields },
      maxHandlers,
      bodyBudget: settings.bodyBudget,
      html,
      inHand: (requestIds) => this.#tellInHand(requestIds),
      turn: (draft) => this.#turn(draft),
      room: () => this.go(),
    })
  }

  /** What is lost when it fails is a suspicion. */
  #tellInHand(requestIds: readonly number[]): void {
    if (this.#stopped) return
    try {
      this.#parts.settings.frontier.inHand(requestIds)
    } catch (error) {
      this.#parts.tally.problem(`the store cannot be told which pages are in hand: ${messageOf(error)}`)
    }
  }

  #makeExchanges(): Exchanges {
    const { settings, hooks, tally, pause, headers } = this.#parts
    const { spider, clock, fetcher, timeLimits, randomSeed } = settings
    const hosts = (): number => this.window.hosts.size
    return new Exchanges({
      hooks,
      fetcher,
      slots: this.slots,
      tally,
      faults: new FaultJudge({ network: this.#network, pause, tally, clock, hosts }),
      clock,
      limits: timeLimits,
      randomSeed,
      blockedStatuses: settings.blockedStatuses,
      accepts: acceptsOf(spider, tally.problem),
      headersFor: (url) => headers.for(url),
      privateAllowed: (request) => this.#parts.privateRights.of(request),
      settle: (run, outcome) => this.#turn(bareTurn(run.host, run.request, outcome)),
      page: (run, response) => {
        if (run.leased) this.pages.visit(run, run.leased, response)
      },
      redirected: (run, response) => {
        if (run.leased) this.#redirected(run, run.leased, response)
      },
      required: (run, result) => this.#required.ended(run, result),
      requiredUnsent: (run) => this.#required.unsent(run),
      probed: (host, end) => this.#retirements.probed(host, end),
      changed: (host) => this.#changed(host),
    })
  }

  #redirected(run: ExchangeRun, leased: Leased, response: Response): void {
    const now = this.#parts.settings.clock.now()
    const end = this.#redirects.follow(run, leased, { response, now })
    if (end.kind === 'turn') return this.#turn(end.turn)
    // Nothing is settled: it stays handed out, and waits for its admission like any request.
    run.host.unsettled--
    run.host.queue.add(end.leased, now)
    this.commits.add(memoryTurn(run.host))
  }

  /** Something about a host changed: ask again what holds it, and go on. */
  #changed(host: LiveHost): void {
    this.#retirements.heard(host)
    this.#place(host)
    // It was a stranger when its exchange began, and is held now.
    const held = this.window.hosts.get(host.key)
    if (held !== undefined && held !== host) this.#place(held)
    this.go()
  }

  #place(host: LiveHost): void {
    this.scheduler.place(host)
    if (host.guests.length > 0) this.#required.placed(host)
    this.window.tend(host)
  }

  /** A turn is drafted. After an abort nobody waits for it: its request is still waiting in the store. */
  #turn(draft: TurnDraft): void {
    if (this.#stopped) return
    if (draft.outcome?.kind === 'done') this.#parts.pageDone()
    const { request, outcome } = draft
    if (!request || !outcome) return this.commits.add(draft)
    if (outcome.kind !== 'retry') this.#redirects.forget(request.id)
    const now = this.#parts.settings.clock.now()
    this.commits.add({ ...draft, outcome: this.#parts.recrawl.afterTrouble(request, outcome, now) })
  }

  #committed(draft: TurnDraft, result: CommitResult): void {
    const { host, request, outcome } = draft
    const { tally, discoveries, hooks, settings } = this.#parts
    if (request) host.unsettled--
    if (result.status === 'fenced') return this.window.lose(host)
    if (result.status === 'rejected') return this.#rejected(draft, result.error ?? 'it gave no reason')
    this.totals = tally.committed(draft, result, this.totals)
    if (outcome?.kind === 'retry') host.retryAt(outcome.at)
    else if (outcome?.again) host.retryAt(outcome.again.at)
    discoveries.remember(draft.pairs)
    this.window.gained(result.gained)
    if (request && outcome)
      hooks.onSettled.call({ request, outcome, items: draft.items.length, added: result.added, now: settings.clock.now() })
    this.scheduler.placeAgain(host)
    this.window.tend(host)
  }

  /** The store would not take a turn: the page is settled as failed instead, without its links and items. */
  #rejected({ host, request, outcome }: TurnDraft, error: string): void {
    this.#parts.tally.problem(`the store refused a turn of ${request?.url ?? host.key}: ${error}`)
    if (!request) return
    if (outcome?.kind === 'failed' && outcome.reason === 'turn-rejected') {
      return this.#parts.failed(new AvocetError('AVO_INTERNAL', `the store refused even the failure of ${request.url}: ${error}`))
    }
    host.unsettled++
    this.#turn(bareTurn(host, request, { kind: 'failed', reason: 'turn-rejected' }))
  }
}

/** Leases by key, in the order of all calls to the store; undefined where the frontier cannot. */
function leaserOf(frontier: Frontier, { calls, settings: { clock } }: WheelParts): StrangersParts['lease'] {
  if (frontier.leaseHost === undefined) return undefined
  return (host) => calls.make(`lease of ${host.hostKey}`, async () => frontier.leaseHost?.(host, clock.now()))
}
