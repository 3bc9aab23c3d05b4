// The engine of a crawl. Read it from top to bottom: dispatch → fetch → judge → handle → commit.
//
// The scheduler decides which host is next, the plugins what follows from an exchange, the spider what a page yields, and the frontier keeps it. The engine
// calls each of them in turn. Everything that happens ends in `go`: it fills the free slots, then checks whether the crawl has finished.
import { exclusionsOf, isLeftOut, settledUnsent, type ExclusionOf } from '../discovery/closed-requests.ts'
import { Closer } from '../exchange/close.ts'
import { FaultJudge } from '../exchange/fault-judge.ts'
import { judge } from '../exchange/judge.ts'
import type { ExchangeEnd, LiveExchange } from '../exchange/live-exchange.ts'
import { CANARIES } from '../faults/evidence.ts'
import { Redirects } from '../exchange/redirects.ts'
import { RequiredDocuments } from '../exchange/required-documents.ts'
import { Sender } from '../exchange/send.ts'
import type { CommitResult } from '../ports/frontier.ts'
import { AdmissionCollector } from '../hooks/admission.ts'
import { trace } from '../hooks/hooks.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { Pages } from '../pages/pages.ts'
import { requestOf } from '../hosts/request-of.ts'
import type { Leased, Request } from '../ports/request.ts'
import type { Response } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { Alarm, Scheduler, type Next } from '../scheduler/scheduler.ts'
import { Retirements } from '../scheduler/retirements.ts'
import { Slots } from '../scheduler/slots.ts'
import { Window, type WindowRules } from '../scheduler/window.ts'
import { Commits } from '../run/commits.ts'
import { outcomeOnly, type PendingUnit, refusedUnit } from '../run/pending-unit.ts'
import { EndWatch, type End } from './ending.ts'
import { LiveOrders } from './live-orders.ts'
import type { Opened } from './open-run.ts'

/** The parts of a crawl that work together, and their work. */
export class Engine {
  readonly slots: Slots
  readonly window: Window
  readonly pages: Pages
  readonly orders: LiveOrders
  readonly #scheduler: Scheduler
  readonly #retirements: Retirements
  readonly #closer: Closer
  readonly #sender: Sender
  readonly #required: RequiredDocuments
  readonly #redirects: Redirects
  readonly #commits: Commits
  readonly #exclusionOf: ExclusionOf
  readonly #endWatch: EndWatch
  readonly #alarm: Alarm
  readonly #run: Run
  readonly #opened: Opened
  /** Whether handlers, and units that wait to be committed, are still waited for. */
  #waitsFor: 'all' | 'commits' | 'nothing' = 'all'
  /** Exchanges that are being judged: a handler that stops the crawl has a page on its way. */
  #judging = 0
  #isGoing = false
  #goAgain = false
  #isClosed = false

  constructor(run: Run, opened: Opened) {
    const { hooks, tally, pause, revisits } = run
    const { clock, concurrency } = run.settings
    this.#run = run
    this.#opened = opened
    this.slots = new Slots(concurrency)
    this.#alarm = new Alarm(clock, () => this.go())
    this.#retirements = new Retirements({ hooks, clock, revisits, retired: (host) => this.window.review(host) })
    const rules = {
      admission: new AdmissionCollector(hooks, run.settings.fetcher.part.rendering),
      retirements: this.#retirements,
    }
    const scheduler = (this.#scheduler = new Scheduler(this.slots, rules))
    const window = (this.window = new Window(run, scheduler, {
      wanted: (host, requests) => this.#wanted(host, requests),
      hears: this.hears,
    }))
    const commits = (this.#commits = new Commits(run, (unit, result) => this.#committed(unit, result)))
    this.orders = new LiveOrders(run, { window, opened })
    this.#required = new RequiredDocuments(run, { window, commits, discoveries: opened.discoveries })
    const faults = new FaultJudge({ pause, tally, clock, hosts: () => window.hosts.size })
    this.#closer = new Closer(run, this.slots, faults)
    this.#sender = new Sender(run, this.slots, opened)
    this.#redirects = new Redirects(run, opened)
    this.pages = new Pages(run, opened)
    this.#exclusionOf = exclusionsOf(run.settings)
    this.#endWatch = new EndWatch(run, { window, faults, flow: opened.flow })
  }

  /** Begins the crawl; resolves with its end. */
  begin(): Promise<End> {
    this.#run.tenure.begin(() => this.window.loseAll())
    this.orders.begin()
    this.go()
    return this.#endWatch.over
  }

  /** Other processes wrote this into their crawl memories. */
  readonly hears: WindowRules['hears'] = (crawlMemories) => this.#opened.hears(crawlMemories)

  /**
   * Something has changed: fills the slots, and looks whether the crawl is over. Safe to call from anywhere, also from inside itself. `asked`: a host that was
   * placed just before, so that its plugins need not be asked again.
   */
  go(asked?: LiveHost): void {
    if (this.#isClosed) return
    this.#goAgain = true
    if (this.#isGoing) return
    this.#isGoing = true
    try {
      let placed = asked
      while (this.#goAgain) {
        this.#goAgain = false
        this.#dispatch(placed)
        placed = undefined
      }
    } finally {
      this.#isGoing = false
    }
    // While nothing may begin, time alone changes nothing.
    this.#alarm.set(this.slots.free > 0 && this.#mayBegin ? Math.min(this.#scheduler.nextReadyAt, this.window.moreAt) : Infinity)
    this.#check()
  }

  /** 1. Dispatch: each free slot goes to the host whose turn it is. */
  #dispatch(asked: LiveHost | undefined): void {
    let now = this.#now
    for (const host of this.#scheduler.placeDue(now, asked)) this.window.review(host, now)
    while (this.slots.free > 0 && this.#mayBegin) {
      const next = this.#scheduler.next(now)
      if (next === undefined) {
        if (this.slots.used === 0) this.#commits.flush()
        return this.window.grow(now)
      }
      if (next.kind !== 'later') this.#begin(next)
      now = this.#now
      this.#scheduler.place(next.host, now)
    }
    // A few, for others may reach them: those that feel for the end of trouble would be the same again and again, and may be down themselves.
    if (this.#run.pause.isFeeling || this.slots.free === 0)
      this.window.look(now, this.#run.pause.isFeeling ? CANARIES : undefined)
  }

  #begin(next: Exclude<Next, { kind: 'later' }>): void {
    const { host } = next
    if (next.kind === 'request') return this.#fetch(host, requestOf(next.leased), next.leased)
    const request = this.#required.wanted(host, next.document)
    if (request !== undefined) this.#fetch(host, request)
  }

  /** 2. Fetch: the exchange is booked and sent, and ends by itself, once. */
  #fetch(host: LiveHost, request: Request, leased?: Leased): void {
    this.#endWatch.begun()
    this.#sender.begin({ host, request, leased }, (exchange, end) => this.#judge(exchange, end))
  }

  /** 3. Judge: the books are closed, the plugins vote, and the result decides which step follows. */
  #judge(exchange: LiveExchange, end: ExchangeEnd): void {
    const { host, request, leased } = exchange
    const endedAt = this.#now
    this.#judging++
    const closing = this.#closer.close(exchange, end, endedAt)
    if (closing.probe === 'answered') this.window.revive(host)
    const judgement = judge(exchange, end, closing, endedAt)
    if (judgement.kind === 'page' && leased) this.#handle(exchange, leased, judgement.response)
    else if (judgement.kind === 'redirect' && leased) this.#commit(this.#redirects.follow(exchange, leased, judgement.response))
    else if (judgement.kind === 'document') this.#required.ended(exchange, judgement.result)
    else if (judgement.kind === 'retry' || judgement.kind === 'failed')
      this.#commit(outcomeOnly(host, request, judgement.outcome))
    else if (judgement.kind === 'unsent') exchange.requeue()
    if (judgement.kind === 'unsent' && exchange.required) this.#required.unsent(exchange, end)
    if (closing.probe === 'in-vain') this.#retirements.probedInVain(host)
    this.#judging--
    if (end.kind === 'recalled') return // What takes exchanges back places their host.
    this.#retirements.retireSilent(host)
    this.window.changed(host)
    this.go(host)
  }

  /** 4. Handle: the spider sees the page, and what it yields becomes a unit to commit. */
  #handle(exchange: LiveExchange, leased: Leased, response: Response): void {
    const handled = this.pages.handle(exchange, leased, response)
    if (!(handled instanceof Promise)) return this.#commit(handled.unit)
    void handled.then((result) => {
      this.pages.finished(response, result)
      this.#commit(result.unit)
      this.go()
    })
  }

  /** 5. Commit: outcome, links, items and memory in one transaction. After an abort nobody waits for it: its request is still waiting in the store. */
  #commit(unit: PendingUnit | undefined): void {
    if (this.#isClosed || unit === undefined) return
    const { host, request, outcome } = unit
    if (request && outcome && outcome.kind !== 'retry') this.#redirects.settled(request, outcome)
    if (!request || !outcome || isLeftOut(outcome)) return this.#commits.add(unit)
    const after = this.#run.revisits.afterTrouble({ host, request }, outcome, this.#now)
    this.#commits.add({ ...unit, outcome: this.#sender.conditions.after(request, after) })
  }

  /** The store has answered for a unit: it is committed, rejected, or fenced because another process has the host. */
  #committed(unit: PendingUnit, result: CommitResult): void {
    const { host, request, outcome } = unit
    if (request) host.unsettled--
    if (result.status === 'committed') this.#run.tally.settled(unit, result)
    this.window.gained(result.gained)
    if (outcome?.kind === 'done' && !unit.isListing) host.pendingLinks -= unit.links.length
    if (result.status === 'fenced') return this.window.lose(host)
    if (result.status === 'rejected') return this.#commit(refusedUnit(unit, result.error, this.#run))
    if (outcome?.kind === 'retry') host.retryAt(outcome.at)
    else if (outcome?.again) host.retryAt(outcome.again.at)
    this.#opened.discoveries.known.remember(unit.pairs)
    const [now, came] = [this.#now, { items: unit.items.length, added: result.added }]
    if (request && outcome) this.#run.hooks.onSettled.call({ request, outcome, ...came, now })
    if (request && outcome) trace(this.#run.hooks, 'committed', () => ({ at: now, request, outcome, ...came }))
    this.#scheduler.placeAgain(host, now)
    this.window.review(host, now)
  }

  /** Of requests that are handed out, those to be sent, where their redirects have led. */
  #wanted(host: LiveHost, requests: readonly Leased[]): readonly Leased[] {
    const open = requests.filter((request) => {
      const exclusion = this.#exclusionOf(request)
      if (exclusion === undefined) return true
      this.#run.tally.problem(exclusion.problem)
      this.#commit(settledUnsent(host, request, exclusion))
      return false
    })
    return open.map((request) => this.#sender.conditions.withoutRefused(this.#redirects.inPlace(request)))
  }

  get #now(): number {
    return this.#run.settings.clock.now()
  }

  get #mayBegin(): boolean {
    const { settings, pause, tally, tenure } = this.#run
    if (this.#endWatch.stopping || pause.why !== undefined || !this.pages.hasRoom || this.#commits.isFull) return false
    // Trouble of ours may last: only a few exchanges feel for its end.
    if (pause.isFeeling && this.slots.used >= CANARIES) return false
    return tally.handled + this.#commits.pending + this.slots.used + this.pages.running < settings.maxPages && tenure.holds
  }

  #check(): void {
    const handling = this.#waitsFor === 'all' ? this.pages.running : 0
    const committing = this.#waitsFor === 'nothing' ? 0 : this.#commits.pending
    const underWay = this.slots.used + this.#judging + handling + committing + (this.#run.besides.busy ? 1 : 0)
    this.#endWatch.check(underWay, () => this.nextAt)
  }

  /** When something can be requested next, epoch ms; Infinity: at no moment that is known. */
  get nextAt(): number {
    return this.#scheduler.ready > 0 ? this.#now : Math.min(this.#scheduler.nextReadyAt, this.window.moreAt)
  }

  /** Begins nothing more, for this reason unless there is one already. What is not sent is taken back, `alsoSent`: and what may be sent twice. */
  stop(end: End, alsoSent = false): void {
    this.#endWatch.stopping ??= end
    for (const exchange of this.window.exchanges) exchange.takeBack(alsoSent)
    this.go()
  }

  /** Lets go of everything in flight, and commits what is done. `broken`: the store cannot be written, and that is the reason of the end. */
  abort(broken?: End): void {
    if (broken) this.#endWatch.stopping = broken
    if (this.#waitsFor !== 'nothing') this.#waitsFor = broken ? 'nothing' : 'commits'
    for (const exchange of this.window.exchanges) exchange.abort()
    this.#commits.flush()
    this.go()
  }

  /** Nothing continues any more; gives the hosts back when the store can still be written. */
  async close(writable: boolean): Promise<void> {
    this.#isClosed = true
    this.#alarm[Symbol.dispose]()
    await this.window.close(writable)
  }
}
