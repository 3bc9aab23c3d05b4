// The wheel of a crawl: the scheduler gives an exchange its turn, the turn becomes a page, the page a commit, the commit new turns.
//
// Here the parts are wired to each other and nothing else is decided: who goes next is the scheduler's word, what becomes of an exchange the
// plugins', what is kept the frontier's. Everything that happens ends in `go`: fill the slots, then tell the run to look whether it is over.
import type { CommitResult } from '../frontier.ts'
import type { Leased, Request } from '../request.ts'
import type { Response } from '../response.ts'
import { AdmissionCollector } from '../hooks/admission.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { Scheduler } from '../scheduler/scheduler.ts'
import { Slots } from '../scheduler/slots.ts'
import { LeasesByKey } from '../scheduler/leases-by-key.ts'
import { Window } from '../scheduler/window.ts'
import { acceptsOf } from './accepts.ts'
import { ClosedRequests } from '../discovery/closed-requests.ts'
import { CutPages } from '../waiting-links/cut-pages.ts'
import { rejected } from './rejected-turn.ts'
import { tellInHand } from '../pages/tell-in-hand.ts'
import { CommitGroup } from '../store/commit-group.ts'
import { detourRights } from '../exchange/detours.ts'
import type { ExchangeRun } from '../exchange/exchange-run.ts'
import { Exchanges } from '../exchange/exchanges.ts'
import { FaultJudge } from '../exchange/fault-judge.ts'
import { knownOf } from '../discovery/link-room.ts'
import { COST } from '../process/loop-budget.ts'
import { CANARIES, NetworkGuard } from '../exchange/network-guard.ts'
import { Pages } from '../pages/pages.ts'
import { Redirects } from '../exchange/redirects.ts'
import { Retirements } from './retirements.ts'
import { RequiredDocuments } from '../exchange/required-documents.ts'
import type { Totals } from '../run/tally.ts'
import { bareTurn, memoryTurn, type TurnDraft } from '../store/turn-draft.ts'
import type { WheelParts } from './wheel-parts.ts'

/** The parts of a crawl that turn. */
export class Wheel {
  readonly slots: Slots
  readonly scheduler: Scheduler
  readonly window: Window
  readonly commits: CommitGroup
  readonly pages: Pages
  readonly cutPages: CutPages
  totals: Totals
  readonly #exchanges: Exchanges
  readonly required: RequiredDocuments
  readonly #retirements: Retirements
  readonly leases: LeasesByKey
  readonly #network = new NetworkGuard()
  readonly #redirects: Redirects
  readonly #closed: ClosedRequests
  readonly #parts: WheelParts
  #stopped = false

  constructor(parts: WheelParts) {
    const { settings, memories, hooks } = parts
    const { clock, frontier } = settings
    const go = (): void => this.go()
    this.#parts = parts
    this.totals = parts.totals
    this.#closed = new ClosedRequests({
      ...parts,
      frontier: settings.frontier,
      turn: (draft) => this.#turn(draft),
      reopened: (host, count) => this.#reopened(host, count),
    })
    this.cutPages = new CutPages({ ...parts, frontier, check: go, reopened: (...of) => this.#reopened(...of) })
    this.#redirects = new Redirects(parts)
    this.slots = new Slots(settings.concurrency)
    this.commits = new CommitGroup({
      settings,
      calls: parts.calls,
      memories,
      ears: { committed: (draft, result) => this.#committed(draft, result), groupDone: go, failed: parts.failed },
    })
    this.window = new Window({
      frontier,
      make: (name, call) => parts.calls.make(name, call),
      bring: (name, requests, call) => settings.loop.whenRoom(COST.row * requests, () => parts.calls.make(name, call)),
      memories,
      optionsOf: settings.hostOptions,
      handedOut: (host, requests) => this.#closed.open(host, requests).map((request) => this.#redirects.inPlace(request)),
      lost: (host) => this.required.gone(host, 'another process has it'),
      clock,
      concurrency: settings.concurrency,
      scheduler: () => this.scheduler,
      answered: go,
      failed: parts.failed,
    })
    this.pages = this.#makePages()
    this.#exchanges = this.#makeExchanges()
    this.leases = new LeasesByKey({ frontier, clock, make: (name, call) => parts.calls.make(name, call), window: this.window })
    this.required = new RequiredDocuments({
      settings,
      leases: this.leases,
      begin: (host, request) => this.#exchanges.beginRequired(host, request),
      done: (host, document) => {
        hooks.onRequired.call(document)
        if (host.live) this.commits.add(memoryTurn(host))
      },
      learned: (host) => this.commits.add(memoryTurn(host)),
      place: (host) => this.#place(host),
      changed: (host) => this.#changed(host),
      go,
    })
    const { window } = this
    this.#retirements = new Retirements({
      hooks,
      clock,
      recrawl: parts.recrawl,
      required: this.required,
      window,
      place: (host) => this.#place(host),
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
    for (const host of [...this.window.hosts.values()])
      for (const exchange of [...host.exchanges]) if (!exchange.isSent) exchange.recall()
  }

  /** Lets go of everything in flight, and commits what is done. */
  abort(): void {
    for (const host of [...this.window.hosts.values()]) for (const exchange of [...host.exchanges]) exchange.abort()
    this.commits.flush()
    this.go()
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
      beginRequired: (host, required) => this.required.fetch(host, required),
      beginGuest: (host, request) => this.#exchanges.beginRequired(host, request),
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

  /** Requests of `host` wait again; `settled`: how many of them counted as settled, and do so no more. */
  #reopened(host: Pick<LiveHost, 'key'>, count: number, settled = count): void {
    const { waiting, settled: before } = this.totals
    this.totals = { ...this.totals, waiting: waiting + settled, settled: before - settled }
    this.window.gained([{ hostKey: host.key, count, topPriority: -Infinity }])
    this.go()
  }

  #makePages(): Pages {
    const { settings, hooks, tally, discoveries, traps, recrawl } = this.#parts
    const { spider, clock, handlerTimeoutMs, maxYields, maxHandlers, html } = settings
    return new Pages({
      spider,
      hooks,
      clock,
      tally,
      discoveries,
      traps,
      disk: this.#parts.disk,
      judged: (host, judgement) => this.#closed.judged(host, judgement),
      recrawl,
      limits: { timeoutMs: handlerTimeoutMs, maxYields },
      maxHandlers,
      bodyBudget: settings.bodyBudget,
      loop: settings.loop,
      secrets: settings.secrets,
      html,
      inHand: (requestIds) => {
        if (!this.#stopped) tellInHand(settings.frontier, requestIds, tally.problem)
      },
      turn: (draft) => this.#turn(draft),
      room: () => this.go(),
      known: (fingerprints) => knownOf(fingerprints, { ...this.#parts, frontier: settings.frontier }),
    })
  }

  #makeExchanges(): Exchanges {
    const { settings, hooks, tally, pause, headers, privateRights, discoveries } = this.#parts
    const headersFor = (url: string): ReturnType<typeof headers.for> => headers.for(url)
    const privateAllowed = (request: Pick<Request, 'url' | 'hostKey'>): boolean | Promise<boolean> => privateRights.of(request)
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
      headersFor,
      privateAllowed,
      detour: (run, to) => detourRights(run, to, { hooks, clock, discoveries, headersFor, privateAllowed }),
      hidden: (response, url) => settings.secrets.inAnswer(response, url),
      settle: (run, outcome) => this.#turn(bareTurn(run.host, run.request, outcome)),
      page: (run, response) => {
        if (run.leased) this.pages.visit(run, run.leased, response)
      },
      redirected: (run, response) => {
        if (run.leased) this.#redirected(run, run.leased, response)
      },
      required: (run, result) => this.required.ended(run, result),
      requiredUnsent: (run) => this.required.unsent(run),
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
    this.go()
  }

  #place(host: LiveHost): void {
    this.scheduler.place(host)
    if (host.guests.length > 0) this.required.placed(host)
    this.window.tend(host)
  }

  /** A turn is drafted. After an abort nobody waits for it: its request is still waiting in the store. */
  #turn(draft: TurnDraft): void {
    if (this.#stopped) return
    if (draft.outcome?.kind === 'done' && draft.request?.cut === undefined) this.#parts.pageDone()
    const { request, outcome } = draft
    if (!request || !outcome) return this.commits.add(draft)
    if (outcome.kind !== 'retry') this.#redirects.forget(request.id)
    const now = this.#parts.settings.clock.now()
    if (request.cut !== undefined) return this.commits.add(this.cutPages.settled(draft, now))
    this.commits.add({ ...draft, outcome: this.#parts.recrawl.afterTrouble(request, outcome, now) })
  }

  #committed(draft: TurnDraft, result: CommitResult): void {
    const { host, request, outcome } = draft
    const { tally, discoveries, hooks, settings } = this.#parts
    if (request) host.unsettled--
    this.window.gained(result.gained)
    if (outcome?.kind === 'done') host.gains.pending -= draft.links.length
    if (result.status === 'fenced') return this.window.lose(host)
    if (result.status === 'rejected')
      return rejected(draft, result.error, { ...this.#parts, turn: (failed) => this.#turn(failed) })
    this.totals = tally.committed(draft, result, this.totals)
    if (host.core.gave) host.core.gave.added += result.added
    if (outcome?.kind === 'retry') host.retryAt(outcome.at)
    else if (outcome?.again) host.retryAt(outcome.again.at)
    this.cutPages.committed(host, draft, result.added)
    discoveries.remember(draft.pairs)
    if (request && outcome)
      hooks.onSettled.call({ request, outcome, items: draft.items.length, added: result.added, now: settings.clock.now() })
    this.scheduler.placeAgain(host)
    this.window.tend(host)
  }
}
