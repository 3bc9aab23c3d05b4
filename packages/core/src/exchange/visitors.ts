// Requests of the crawl's own that belong to no page, such as those of a login: guests at their host, ahead of its queue, at its pace. In RAM only.
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
export interface VisitorParts {
  readonly scheduler: Scheduler
  readonly leases: LeasesByKey
  readonly commits: Commits
}

/** Takes the result of a visit, once. */
export type Visited = (result: Response | Failure) => void

/** Sends them. */
export class Visitors {
  readonly #visits = new WeakMap<Request, Visited>()
  readonly #run: Run
  readonly #parts: VisitorParts

  constructor(run: Run, parts: VisitorParts) {
    this.#run = run
    this.#parts = parts
  }

  /** Requests `request` as soon as its host may be asked. */
  visit(request: Request, visited: Visited): void {
    const { leases } = this.#parts
    this.#visits.set(request, visited)
    const host = leases.held(request.hostKey)
    if (host !== undefined) return this.#invite(host, request)
    void leases.take(request, (taken) => {
      if (taken === 'held-elsewhere' || taken === 'given-up') this.refused(request, taken)
      else this.#invite(taken, request)
      this.#run.goOn()
    })
  }

  /** Whether `exchange` was such a visit: then it is over. */
  ended({ host, request }: LiveExchange, result: Response | Failure): boolean {
    const visited = this.#taken(request)
    if (visited === undefined) return false
    if (host.live) this.#parts.commits.add(memoryOnly(host))
    visited(result)
    return true
  }

  /** The same of one that was not sent: it waits as its host does. */
  unsent({ host, request }: LiveExchange, end: ExchangeEnd): boolean {
    if (!this.#visits.has(request)) return false
    if (end.kind === 'put-off' && end.verdict.kind === 'retry')
      host.rest = { until: Math.max(host.rest.until, end.verdict.at), why: end.verdict.reason }
    this.#invite(host, request)
    return true
  }

  /** A guest is sent away: its host must wait for long, is given up, or lost. */
  refused(request: Request, why: string): boolean {
    const visited = this.#taken(request)
    visited?.(failure('AVO_REQUIRED_ELSEWHERE', `${request.url} cannot be requested now (${why})`))
    return visited !== undefined
  }

  #invite(host: LiveHost, request: Request): void {
    if (host.retiring !== undefined || !host.live) return void this.refused(request, host.retiring?.reason ?? 'held-elsewhere')
    host.guests.push(request)
    this.#parts.scheduler.place(host)
    this.#run.goOn()
  }

  #taken(request: Request): Visited | undefined {
    const visited = this.#visits.get(request)
    this.#visits.delete(request)
    return visited
  }
}
