// Guests of hosts: requests of the crawl's own that belong to no page, such as those of a login. In RAM only, ahead of the queue of their host, at its pace.
import { failure, type Failure } from '../failure.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Request } from '../request.ts'
import type { Response } from '../response.ts'
import type { Run } from '../run/run.ts'
import type { LeasesByKey } from '../scheduler/leases-by-key.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
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

/** Sends them. */
export class Guests {
  readonly #ended = new WeakMap<Request, GuestEnded>()
  readonly #run: Run
  readonly #parts: GuestParts

  constructor(run: Run, parts: GuestParts) {
    this.#run = run
    this.#parts = parts
  }

  /** Requests `request` as soon as its host may be asked. */
  send(request: Request, ended: GuestEnded): void {
    const { leases } = this.#parts
    this.#ended.set(request, ended)
    const host = leases.held(request.hostKey)
    if (host !== undefined) return this.#invite(host, request)
    void leases.take(request, (taken) => {
      if (taken === 'held-elsewhere' || taken === 'given-up') this.refused(request, taken)
      else this.#invite(taken, request)
      this.#run.goOn()
    })
  }

  /** Whether `exchange` was one of a guest: then it has ended. */
  ended({ host, request }: LiveExchange, result: Response | Failure): boolean {
    const ended = this.#taken(request)
    if (ended === undefined) return false
    if (host.live) this.#parts.commits.add(memoryOnly(host))
    ended(result)
    return true
  }

  /** The same of one that was not sent: the guest waits as its host does. */
  unsent({ host, request }: LiveExchange, end: ExchangeEnd): boolean {
    if (!this.#ended.has(request)) return false
    if (end.kind === 'put-off' && end.verdict.kind === 'retry')
      host.rest = { until: Math.max(host.rest.until, end.verdict.at), why: end.verdict.reason }
    this.#invite(host, request)
    return true
  }

  /** A guest is sent away: its host must wait for long, is given up, or lost. */
  refused(request: Request, why: string): boolean {
    const ended = this.#taken(request)
    ended?.(failure('AVO_REQUIRED_ELSEWHERE', `${request.url} cannot be requested now (${why})`))
    return ended !== undefined
  }

  /** Has what the crawl remembers committed now, with the memory of a host: no page may follow that would take it along. */
  remember(hostKey: string): void {
    const host = this.#parts.leases.held(hostKey)
    if (host?.live === true) this.#parts.commits.add(memoryOnly(host))
  }

  #invite(host: LiveHost, request: Request): void {
    if (host.retiring !== undefined || !host.live) return void this.refused(request, host.retiring?.reason ?? 'held-elsewhere')
    host.guests.push(request)
    this.#parts.scheduler.place(host)
    this.#run.goOn()
  }

  #taken(request: Request): GuestEnded | undefined {
    const ended = this.#ended.get(request)
    this.#ended.delete(request)
    return ended
  }
}
