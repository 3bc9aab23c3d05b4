// A frontier as simple as can be, to compare the real ones with: arrays, searched from end to end.

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
  /** Handed out by the visit under way. */
  out: boolean
}

/** A host of the model. */
export interface ModelHost {
  readonly hostKey: string
  readyAt: number
  /** When it is probed; Infinity = in a later run. */
  retired: number | undefined
  held: boolean
}

/** The model. */
export class FrontierModel {
  now = 0
  requests: ModelRequest[] = []
  readonly hosts: Map<string, ModelHost> = new Map()

  add(request: ModelRequest): boolean {
    if (this.requests.some(({ fingerprint }) => fingerprint === request.fingerprint)) return false
    this.requests.push(request)
    if (!this.hosts.has(request.hostKey)) {
      this.hosts.set(request.hostKey, { hostKey: request.hostKey, readyAt: 0, retired: undefined, held: false })
    }
    return true
  }

  waiting(hostKey: string): ModelRequest[] {
    return this.requests.filter((request) => request.hostKey === hostKey && request.state === 'waiting')
  }

  /** Waiting or due again. */
  queued(hostKey: string): ModelRequest[] {
    return this.requests.filter((request) => request.hostKey === hostKey && (request.state === 'waiting' || request.again))
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
