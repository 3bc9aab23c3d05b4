// A host as it meets requests: the one place where a model's laws become what happens to a request, for the simulated and the rough web alike.
import { seeded, type Chance } from '../seeded.ts'
import { capacityGate, type CapacityGate } from './capacity.ts'
import { deathAt } from './health.ts'
import type { DeathStyle, HostSpec } from './host-spec.ts'
import { latencyMs } from './latency.ts'

/** What a host does with a request: serve it, or refuse it with these header fields, after `latencyMs`. */
export type Reception =
  | { readonly kind: 'serve'; readonly latencyMs: number }
  | {
      readonly kind: 'refuse'
      readonly latencyMs: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
    }

/** The living state of one host: how many requests it has met, and how full its capacity is. */
export class HostLife {
  readonly spec: HostSpec
  readonly #seed: string
  readonly #startedAt: number
  readonly #latency: Chance
  readonly #gate: CapacityGate
  #met = 0

  /** `startedAt`: epoch ms from which the description counts time. */
  constructor(spec: HostSpec, seed: string, startedAt: number) {
    this.spec = spec
    this.#seed = seed
    this.#startedAt = startedAt
    this.#latency = seeded(seed, spec.name, 'latency')
    this.#gate = capacityGate(spec.capacity)
  }

  /** How it fails at `now` (epoch ms); undefined = it lives. */
  deathAt(now: number): DeathStyle | undefined {
    return deathAt(this.spec, now - this.#startedAt, this.#seed)
  }

  /** Meets a request that arrives at `now`. The n-th request has the n-th latency, whatever happens at other hosts. */
  receive(now: number): Reception {
    const n = this.#met++
    const waitMs = this.#gate.take(now - this.#startedAt)
    if (waitMs === 0)
      return { kind: 'serve', latencyMs: latencyMs(this.spec.latency ?? { law: 'fixed', ms: 50 }, this.#latency, n) }
    const { status, retryAfter, retryAfterSeconds, latencyMs: refusedAfterMs = 5 } = this.spec.refusal ?? { status: 429 }
    const seconds = retryAfterSeconds ?? Math.ceil(waitMs / 1_000)
    const fields: Record<string, string> = { 'content-type': 'text/plain; charset=utf-8' }
    if (retryAfter === 'seconds') fields['retry-after'] = String(seconds)
    // A date has whole seconds (RFC 9110 §5.6.7): round up, or the client would come too early.
    if (retryAfter === 'date') fields['retry-after'] = new Date(Math.ceil(now / 1_000 + seconds) * 1_000).toUTCString()
    return { kind: 'refuse', status, latencyMs: refusedAfterMs, headers: fields }
  }
}
