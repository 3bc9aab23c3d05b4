// Exchanges of the crawl's own, such as robots.txt: in RAM only, known to no frontier, seen by no handler.
//
// They take a slot, a pace, a breaker and timeouts like any exchange. One that is sent to a host is its guest: it goes ahead of the host's own requests, and
// holds no slot while the host must wait. A host that this process does not hold is leased by its key.
//
// A guest waits for as long as it must. What is next of something that has begun, such as the form of a login, goes before what has not.
import { failure, type Failure } from '../ports/failure.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Request } from '../ports/request.ts'
import type { Response } from '../ports/response.ts'
import { COST } from '../process/loop-budget.ts'
import type { Run } from '../run/run.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Window, WindowRules } from '../scheduler/window.ts'
import { PARKED_MS } from '../scheduler/leasing.ts'
import type { Commits } from '../store/commits.ts'
import { memoryOnly } from '../store/pending-unit.ts'
import type { ExchangeEnd, LiveExchange } from './live-exchange.ts'

/** How soon a host is wanted again that another process has. */
const HELD_AGAIN_MS = 1_000
const HELD_ELSEWHERE = 'it is held by another process'
/** And after so long: then what waits for the guest may go to that process. */
const HELD_LONG_MS = 10_000
const HELD_LONG_AGAIN_MS = PARKED_MS + 5_000

/** Whose request it is, and what becomes of it. */
export interface OwnRequest {
  /** Takes what came of it, once. The caller places the host of the exchange; absent where there was none. */
  readonly ended: (result: Response | Failure) => void
  /** It continues what has begun. */
  readonly isNext?: boolean
  /** A host waits for it, and asks for it anew if it was not sent. Absent: nobody does. */
  readonly unsent?: () => void
}

/** What holds hosts, and keeps what they taught. */
export interface OwnParts {
  readonly scheduler: Scheduler
  readonly window: Window
  readonly commits: Commits
  readonly scope: Pick<WindowRules, 'hears'>
}

/** One that comes again, epoch ms; since when another process has its host, where that is why. */
interface Later extends Disposable {
  readonly againAt: number
  readonly heldSince: number | undefined
}

/** Sends them. */
export class OwnExchanges {
  /** What is begun where it is needed is no guest. */
  readonly #own = new WeakMap<Request, OwnRequest>()
  readonly #later = new Map<Request, Later>()
  readonly #run: Run
  readonly #parts: OwnParts
  #isClosed = false
  /** Answers that wait for a turn of the event loop. */
  unread = 0

  constructor(run: Run, parts: OwnParts) {
    this.#run = run
    this.#parts = parts
  }

  /** Requests `request` as soon as its host may be asked. */
  send(request: Request, own: OwnRequest): void {
    this.#own.set(request, own)
    this.#go(request)
  }

  /** `request` is about to be requested. */
  begins(request: Request, own: OwnRequest): void {
    this.#own.set(request, own)
  }

  /** What `request` waits for, and until when, epoch ms; undefined where that is soon, or it is in flight. */
  parked(request: Request): { readonly hostKey: string; readonly until: number } | undefined {
    const { hostKey } = request
    const host = this.#parts.window.hosts.get(hostKey)
    const isInFlight = [...(host?.exchanges ?? [])].some((exchange) => exchange.request === request)
    const until = this.#later.get(request)?.againAt ?? (isInFlight ? 0 : (host?.constraint.readyAt ?? 0))
    return until - this.#now > PARKED_MS ? { hostKey, until } : undefined
  }

  /**
   * Takes the result of an exchange. The caller places its host. Who needs it reads it in one go: megabytes do not all have the same turn of the event loop,
   * and nothing is begun at a host whose answer waits for one.
   */
  ended(exchange: LiveExchange, result: Response | Failure): void {
    const { loop } = this.#run.settings
    const cost = 'body' in result ? COST.required * result.body.byteLength : 0
    if (loop.take(cost)) return this.#read(exchange, result)
    this.unread++
    exchange.host.unread++
    void loop.room(cost).then(() => {
      this.unread--
      exchange.host.unread--
      this.#read(exchange, result)
      this.#place(exchange.host)
      this.#run.goOn()
    })
  }

  /** An exchange was not sent: it waits as its host does, or until the moment that a plugin puts it off to, and with it who waits for it. */
  unsent({ host, request }: LiveExchange, end: ExchangeEnd): void {
    const own = this.#own.get(request)
    const { at, reason } = end.kind === 'put-off' && end.verdict.kind === 'retry' ? end.verdict : { at: 0, reason: '' }
    if (own?.unsent) {
      if (at > host.rest.until) host.rest = { until: at, why: reason }
      own.unsent()
    } else if (at > this.#now) this.#goAt(request, at)
    else this.#invite(host, request)
  }

  /** `host` is given up or lost: its guests do not get what they came for. */
  gone(host: LiveHost, why: string): void {
    for (const request of host.guests.splice(0)) this.#refuse(request, why)
  }

  /** Nothing comes again. */
  close(): void {
    this.#isClosed = true
    for (const later of this.#later.values()) later[Symbol.dispose]()
    this.#later.clear()
  }

  #read(exchange: LiveExchange, result: Response | Failure): void {
    const { host, request } = exchange
    this.#taken(request)?.ended(result)
    // What it taught is kept, whoever it was for.
    if (host.live) this.#parts.commits.add(memoryOnly(host))
  }

  #place(host: LiveHost): void {
    this.#parts.scheduler.place(host)
    this.#parts.window.review(host)
  }

  #go(request: Request): void {
    const host = this.#parts.window.hosts.get(request.hostKey)
    if (host !== undefined) return this.#invite(host, request)
    // Before it is a guest, the crawl does not go on, or its host would be given back as one that nobody needs.
    void this.#run.besides.begin(async () => {
      using _hold = this.#run.settings.clock.hold(`lease of ${request.hostKey}`)
      const taken = await this.#leased(request).catch(() => this.#parts.window.hosts.get(request.hostKey) ?? 'given-up')
      if (taken === 'given-up') this.#refuse(request, 'it was given up')
      else if (taken === 'held-elsewhere') this.#heldElsewhere(request)
      else this.#invite(taken, request)
    })
  }

  /** Its links may be out of scope, its turn may not have come: its host is leased like any other, so one process at a time asks it. */
  async #leased({ hostKey, url }: Request): Promise<LiveHost | 'held-elsewhere' | 'given-up'> {
    const { settings, tenure, calls } = this.#run
    const { frontier, clock } = settings
    const { window, scope } = this.#parts
    const isOwn = tenure.since()
    const lease = await calls.make(`lease of ${hostKey}`, () => frontier.leaseHost({ hostKey, url }, clock.now()))
    scope.hears(lease?.crawlMemories ?? [])
    if (lease !== undefined && isOwn()) return window.enter(lease)
    if (lease !== undefined) void window.release(window.enter(lease))
    if (lease !== undefined) return 'held-elsewhere'
    const record = await frontier.reader.host(hostKey)
    return window.hosts.get(hostKey) ?? (record?.retiredFor === undefined ? 'held-elsewhere' : 'given-up')
  }

  #invite(host: LiveHost, request: Request): void {
    const own = this.#own.get(request)
    if (own === undefined) return
    if (host.retiring !== undefined || !host.live) return this.#refuse(request, host.retiring?.reason ?? HELD_ELSEWHERE)
    this.#later.delete(request)
    const before = own.isNext === true ? host.guests.findIndex((guest) => this.#own.get(guest)?.isNext === false) : -1
    host.guests.splice(before === -1 ? host.guests.length : before, 0, request)
    this.#place(host)
    this.#run.goOn()
  }

  #heldElsewhere(request: Request): void {
    const now = this.#now
    const { heldSince = now } = this.#later.get(request) ?? {}
    this.#goAt(request, now + (now - heldSince < HELD_LONG_MS ? HELD_AGAIN_MS : HELD_LONG_AGAIN_MS), heldSince)
  }

  #goAt(request: Request, againAt: number, heldSince?: number): void {
    if (this.#isClosed) return
    const timer = this.#run.settings.clock.at(againAt, () => this.#go(request))
    this.#later.set(request, { againAt, heldSince, [Symbol.dispose]: () => timer[Symbol.dispose]() })
  }

  #refuse(request: Request, why: string): void {
    const { hostKey, url, shownUrl = url } = request
    const message = `${shownUrl} is on ${hostKey}, which cannot be requested now (${why})`
    this.#taken(request)?.ended(failure('AVO_REQUIRED_ELSEWHERE', message))
  }

  #taken(request: Request): OwnRequest | undefined {
    const own = this.#own.get(request)
    this.#own.delete(request)
    this.#later.delete(request)
    return own
  }

  get #now(): number {
    return this.#run.settings.clock.now()
  }
}
