// Guests of hosts: requests of the crawl's own that belong to no page, such as those of a login. In RAM only, ahead of the queue of their host, at its pace.
//
// A guest waits for as long as its host must: it holds no slot, and no other host waits for it. A host that another process has is asked for again. One that a
// plugin puts off, as where the proxy of its session rests, waits alone: what its host has for others goes on. What is next of a login that has begun goes
// before those that have not, for its form grows old.
import { failure, type Failure } from '../ports/failure.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Request } from '../ports/request.ts'
import type { Response } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import type { LeasesByKey } from '../scheduler/leases-by-key.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { PARKED_MS } from '../scheduler/window-size.ts'
import { memoryOnly, type Commits } from '../store/commits.ts'
import type { ExchangeEnd, LiveExchange } from './live-exchange.ts'

/** What holds hosts, and keeps what they taught. */
export interface GuestParts {
  readonly scheduler: Scheduler
  readonly leases: LeasesByKey
  readonly commits: Commits
}

/** Takes what came of a guest, once. */
export type GuestEnded = (result: Response | Failure) => void

/** How soon a host is wanted again that another process has. */
const HELD_AGAIN_MS = 1_000
/** And after so long: then what waits for the guest may go to that process. */
const HELD_LONG_MS = 10_000
const HELD_LONG_AGAIN_MS = PARKED_MS + 5_000

/** What is known of one. */
interface Guest {
  readonly ended: GuestEnded
  /** It is not the first request of what it belongs to. */
  readonly isNext: boolean
}

/** One that comes again, epoch ms; since when another process has its host, where that is why. */
interface Later extends Disposable {
  readonly againAt: number
  readonly heldSince: number | undefined
}

/** Sends them. */
export class Guests {
  readonly #guests = new WeakMap<Request, Guest>()
  readonly #later = new Map<Request, Later>()
  readonly #run: Run
  readonly #parts: GuestParts
  #isClosed = false

  constructor(run: Run, parts: GuestParts) {
    this.#run = run
    this.#parts = parts
  }

  /** Requests `request` as soon as its host may be asked; `isNext`: it continues what has begun. */
  send(request: Request, ended: GuestEnded, isNext = false): void {
    this.#guests.set(request, { ended, isNext })
    this.#go(request)
  }

  /** Epoch ms before which `request` cannot go; in the past where nothing holds it, or it is in flight. */
  waitsUntil(request: Request): number {
    const later = this.#later.get(request)
    if (later !== undefined) return later.againAt
    const host = this.#parts.leases.held(request.hostKey)
    if (host === undefined || [...host.exchanges].some((exchange) => exchange.request === request)) return 0
    return host.constraint.readyAt
  }

  /** Nothing comes again. */
  close(): void {
    this.#isClosed = true
    for (const later of this.#later.values()) later[Symbol.dispose]()
    this.#later.clear()
  }

  #go(request: Request): void {
    const { leases } = this.#parts
    const host = leases.held(request.hostKey)
    if (host !== undefined) return this.#invite(host, request)
    void leases.take(request, (taken) => {
      if (taken === 'held-elsewhere') this.#goLater(request)
      else if (taken === 'given-up') this.refused(request, taken)
      else this.#invite(taken, request)
    })
  }

  /** Another process has its host. */
  #goLater(request: Request): void {
    const now = this.#run.settings.clock.now()
    const { heldSince = now } = this.#later.get(request) ?? {}
    this.#goAt(request, now + (now - heldSince < HELD_LONG_MS ? HELD_AGAIN_MS : HELD_LONG_AGAIN_MS), heldSince)
  }

  #goAt(request: Request, againAt: number, heldSince?: number): void {
    if (this.#isClosed) return
    const timer = this.#run.settings.clock.at(againAt, () => this.#go(request))
    this.#later.set(request, { againAt, heldSince, [Symbol.dispose]: () => timer[Symbol.dispose]() })
  }

  /** Whether `exchange` was one of a guest: then it has ended. */
  ended({ host, request }: LiveExchange, result: Response | Failure): boolean {
    const ended = this.#taken(request)
    if (ended === undefined) return false
    if (host.live) this.#parts.commits.add(memoryOnly(host))
    ended(result)
    return true
  }

  /** The same of one that was not sent: the guest waits as its host does, or until the moment that a plugin puts it off to. */
  unsent({ host, request }: LiveExchange, end: ExchangeEnd): boolean {
    if (!this.#guests.has(request)) return false
    const at = end.kind === 'put-off' && end.verdict.kind === 'retry' ? end.verdict.at : 0
    if (at > this.#run.settings.clock.now()) this.#goAt(request, at)
    else this.#invite(host, request)
    return true
  }

  /** A guest is sent away: its host is given up, or lost. */
  refused(request: Request, why: string): boolean {
    const ended = this.#taken(request)
    ended?.(failure('AVO_REQUIRED_ELSEWHERE', `${request.url} cannot be requested now (${why})`))
    return ended !== undefined
  }

  #invite(host: LiveHost, request: Request): void {
    if (host.retiring !== undefined || !host.live) return void this.refused(request, host.retiring?.reason ?? 'held-elsewhere')
    this.#later.delete(request)
    const isNext = this.#guests.get(request)?.isNext === true
    const before = isNext ? host.guests.findIndex((guest) => this.#guests.get(guest)?.isNext === false) : -1
    host.guests.splice(before === -1 ? host.guests.length : before, 0, request)
    this.#parts.scheduler.place(host)
    this.#run.goOn()
  }

  #taken(request: Request): GuestEnded | undefined {
    const guest = this.#guests.get(request)
    this.#guests.delete(request)
    this.#later.delete(request)
    return guest?.ended
  }
}
