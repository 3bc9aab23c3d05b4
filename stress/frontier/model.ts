// A frontier as simple as can be, to compare the real ones with: arrays, searched from end to end.
import type { NewRequest, Outcome } from '@avocet/core/store'
import { newRequest } from '../../packages/testkit/src/contracts/frontier/story.ts'

/** A request of the model. */
export interface ModelRequest {
  readonly fingerprint: string
  readonly hostKey: string
  readonly path: string
  readonly priority: number
  notBefore: number | undefined
  attempts: number
  state: 'waiting' | 'done' | 'failed'
  /** Settled, and due again at `notBefore`. */
  again: boolean
  /** When its next visit was due; absent on the first. */
  dueAt?: number
  /** Handed out by the visit in progress. */
  out: boolean
  /** A link asked for its next visit. */
  asked: boolean
  /** Failed, and nobody needs to look at it. */
  dropped: boolean
  /** The run in which it was settled. */
  visitedIn?: number
}

/** A request that is offered to both. */
export interface OfferedRequest {
  readonly host: string
  readonly path: number
  readonly priority: number
  readonly notBefore: number | null
  readonly again: boolean
}

/** A host of the model. */
export interface ModelHost {
  readonly hostKey: string
  readyAt: number
  /** When it is probed; Infinity = in a later run. */
  retired: number | undefined
  held: boolean
  onProbation: boolean
}

/** The model. */
export class FrontierModel {
  now = 0
  run = 1
  requests: ModelRequest[] = []
  readonly hosts: Map<string, ModelHost> = new Map()

  add(request: ModelRequest): boolean {
    if (this.requests.some(({ fingerprint }) => fingerprint === request.fingerprint)) return false
    this.requests.push(request)
    if (!this.hosts.has(request.hostKey)) {
      this.hosts.set(request.hostKey, {
        hostKey: request.hostKey,
        readyAt: 0,
        retired: undefined,
        held: false,
        onProbation: true,
      })
    }
    return true
  }

  /** A link asks at `now` for a visit in this run. Returns whether it is due now and was not. */
  ask({ fingerprint }: ModelRequest): boolean {
    const request = this.requests.find((known) => known.fingerprint === fingerprint)
    if (request === undefined || request.state === 'waiting' || request.visitedIn === this.run) return false
    const isTried = request.again && request.attempts > 0
    if (request.asked || request.out || isTried || (request.again && (request.notBefore ?? 0) <= this.now)) return false
    request.attempts = 0
    request.again = request.asked = true
    request.dueAt = Math.max(request.dueAt ?? 0, this.now)
    request.notBefore = this.now
    return true
  }

  waiting(hostKey: string): ModelRequest[] {
    return this.requests.filter((request) => request.hostKey === hostKey && request.state === 'waiting')
  }

  /** Waiting or due again. */
  queued(hostKey: string): ModelRequest[] {
    return this.requests.filter((request) => request.hostKey === hostKey && (request.state === 'waiting' || request.again))
  }

  /** Failed for good, and not dropped. */
  givenUp(hostKey: string): ModelRequest[] {
    return this.requests.filter(
      (each) => each.hostKey === hostKey && each.state === 'failed' && !each.again && !each.dropped && !each.out,
    )
  }

  /** What waits under a host that was given up and that nobody holds. */
  leftUnderRetired(hostKey: string): ModelRequest[] {
    const host = this.hosts.get(hostKey)
    return host?.retired === undefined || host.held ? [] : this.waiting(hostKey)
  }

  /** What may be handed out now. Order of discovery is not the model's business: a store may number the requests of one call as it likes. */
  due(hostKey: string): ModelRequest[] {
    return this.queued(hostKey).filter(({ out, notBefore }) => !out && (notBefore === undefined || notBefore <= this.now))
  }

  /** When a free host has something to do; Infinity = never, as it is. */
  dueAt({ hostKey, held, retired, readyAt }: ModelHost): number {
    if (held) return Infinity
    const moments = this.queued(hostKey).map(({ notBefore }) => notBefore ?? 0)
    return Math.max(readyAt, retired ?? 0, Math.min(Infinity, ...moments))
  }

  /** Priority of a free host: its least and its most where several requests are delayed until the same moment. */
  priority({ hostKey }: ModelHost): { least: number; most: number } {
    const queued = this.queued(hostKey)
    const ready = queued.filter(({ notBefore }) => notBefore === undefined).map(({ priority }) => priority)
    if (ready.length > 0) return { least: Math.max(...ready), most: Math.max(...ready) }
    const first = Math.min(...queued.map(({ notBefore = 0 }) => notBefore))
    const delayed = queued.filter(({ notBefore }) => notBefore === first).map(({ priority }) => priority)
    return { least: Math.min(...delayed), most: Math.max(...delayed) }
  }

  /** Whether `chosen` is the one of the best priority among `hosts`, of those the one due longest. */
  isBest(chosen: ModelHost, hosts: readonly ModelHost[]): boolean {
    const mine = this.priority(chosen)
    return hosts.every((other) => {
      const { least, most } = this.priority(other)
      if (least > mine.most) return false
      const isEqual = least === mine.most && most === mine.least
      return !isEqual || this.dueAt(chosen) <= this.dueAt(other)
    })
  }

  /** Whether hosts were taken in turns, by priority and by time; `turn` is 0 when it was by priority first. */
  isInTurns({
    due,
    chosen,
    turn,
    onProbation,
  }: {
    due: ModelHost[]
    chosen: ModelHost[]
    turn: number
    onProbation: number
  }): boolean {
    const left = new Set(due)
    let places = onProbation
    return chosen.every((host, index) => {
      const eligible = [...left].filter((other) => !other.onProbation || places > 0)
      left.delete(host)
      if (host.onProbation) places--
      if (!eligible.includes(host)) return false
      if ((turn + index) % 2 === 0) return this.isBest(host, eligible)
      return eligible.every((other) => this.dueAt(host) <= this.dueAt(other))
    })
  }

  /** What was handed out waits again. */
  takeBack(fingerprint: string): void {
    for (const request of this.requests) if (request.fingerprint === fingerprint) request.out = false
  }

  /** Writes down what became of what was handed out. */
  conclude({ fingerprint }: { readonly fingerprint: string }, outcome: Outcome): void {
    const request = this.requests.find((candidate) => candidate.fingerprint === fingerprint)
    if (request === undefined) return
    request.out = false
    if (outcome.kind === 'retry') {
      request.attempts++
      request.notBefore = outcome.at
      return
    }
    request.asked = request.dropped = false
    request.visitedIn = this.run
    request.state = outcome.kind === 'failed' ? 'failed' : 'done'
    request.again = outcome.again !== undefined
    if (outcome.again !== undefined) request.dueAt = outcome.again.at
    request.notBefore = outcome.again?.at
    request.attempts = 0
  }

  free(host: ModelHost): void {
    host.held = false
    for (const request of this.queued(host.hostKey)) request.out = false
  }

  counts(): object {
    const of = (state: string): number => this.requests.filter((request) => request.state === state).length
    const retired = [...this.hosts.values()].filter((host) => host.retired !== undefined)
    const again = this.requests.filter((request) => request.again).length
    return {
      ...(again > 0 && { again }),
      known: this.requests.length,
      waiting: of('waiting'),
      done: of('done'),
      failed: of('failed'),
      hosts: this.hosts.size,
      retiredHosts: retired.length,
      retired: retired.reduce((sum, { hostKey }) => sum + this.waiting(hostKey).length, 0),
    }
  }
}

/** The offer as a request that asks, if it does, at `now`. */
export function newOf({ host, path, priority, notBefore, again }: OfferedRequest, now: number): NewRequest {
  return newRequest(`${host}/${path}`, { priority, ...(notBefore !== null && { notBefore }), ...(again && { again: now }) })
}

/** The offer as a request of the model. */
export function modelOf(offer: OfferedRequest): ModelRequest {
  const { fingerprint, hostKey, url, priority, notBefore } = newOf(offer, 0)
  return {
    fingerprint,
    hostKey,
    path: url,
    priority,
    notBefore,
    attempts: 0,
    state: 'waiting',
    again: false,
    out: false,
    asked: false,
    dropped: false,
  }
}
