// A host as it meets requests: the one place where a model's laws become what happens to a request, for the simulated and the rough web alike.
import { seeded, type Chance } from '../seeded.ts'
import type { Ban } from './capacity-law.ts'
import { addRateLimitFields, capacityGate, Recent, type CapacityGate } from './capacity.ts'
import type { Closure, DeathStyle, HostSpec, LatencyLaw, RefusalStyle } from './host-spec.ts'
import { changeAt } from './rate-factor.ts'

/** A drip: far below the 64 bytes a second that a crawl demands by default. */
export const DRIP_BYTES_PER_SECOND = 1

/** An endless body: ten seconds to the 10 MiB that a crawl takes by default. */
export const ENDLESS_BYTES_PER_SECOND: number = 2 ** 20

/** What a host does with a request: serve it, refuse it for want of capacity, or turn a banned client away. All after `latencyMs`. */
export type Reception =
  /** `headers`: fields that stand beside those of the page. */
  | { readonly kind: 'serve'; readonly latencyMs: number; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly kind: 'refuse' | 'banned'
      readonly latencyMs: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      /** What Retry-After asks for, ms from the answer; absent = nothing. */
      readonly restMs?: number
    }

type Fields = Record<string, string>

const DEFAULT_REFUSAL: RefusalStyle = { status: 429 }
const REFUSED_AFTER_MS = 5

/** Retry-After of a host that refuses by chance, unless it says otherwise. */
const CHANCE_RETRY_MS = 1_000

/** The living state of one host: how many requests it has met, and how full its capacity is. */
export class HostLife {
  readonly spec: HostSpec
  readonly #seed: string
  readonly #startedAt: number
  readonly #latency: Chance
  readonly #refusals: Chance
  readonly #gate: CapacityGate
  readonly #arrivals: Recent | undefined
  #bannedUntil = -Infinity
  #met = 0

  /** `startedAt`: epoch ms from which the description counts time. `gate`: one that it shares with other hosts, in place of its own. */
  constructor(spec: HostSpec, seed: string, startedAt: number, gate: CapacityGate = capacityGate(spec.capacity)) {
    this.spec = spec
    this.#seed = seed
    this.#startedAt = startedAt
    this.#latency = seeded(seed, spec.name, 'latency')
    this.#refusals = seeded(seed, spec.name, 'refusals')
    this.#gate = gate
    this.#arrivals = spec.ban && new Recent(spec.ban.requests)
  }

  /** How it fails at `now` (epoch ms); undefined = it lives. */
  deathAt(now: number): DeathStyle | undefined {
    return deathOf(this.spec, now - this.#startedAt, this.#seed)
  }

  /** Meets a request that arrives at `now`. The n-th request has the n-th latency, whatever happens at other hosts. */
  receive(now: number): Reception {
    const n = this.#met++
    const sinceMs = now - this.#startedAt
    const { ban, refuseRatio = 0, rateLimitFields, closures } = this.spec
    const closure = closures?.find(({ fromMs, untilMs }) => sinceMs >= fromMs && sinceMs < untilMs)
    if (closure !== undefined) return closed(closure, this.#startedAt + closure.untilMs - now, now)
    if (ban !== undefined && this.#isBanned(ban, sinceMs)) return banned(ban)
    if (refuseRatio > 0 && this.#refusals(n) < refuseRatio) return this.#refuse(n, now, CHANCE_RETRY_MS)
    const waitMs = this.#gate.take(sinceMs)
    if (waitMs > 0) return this.#refuse(n, now, waitMs)
    const workMs = this.#workMs(n, sinceMs)
    const answerMs = this.#gate.answerMs?.(sinceMs, workMs) ?? workMs
    if (rateLimitFields === undefined) return { kind: 'serve', latencyMs: answerMs }
    return { kind: 'serve', latencyMs: answerMs, headers: this.#saidLimits({}, now) }
  }

  #workMs(n: number, sinceMs: number): number {
    const { latency = DEFAULT_LATENCY, latencyChanges } = this.spec
    const drawn = latencyMs(latency, this.#latency, n)
    return latencyChanges === undefined ? drawn : drawn * changeAt(latencyChanges, sinceMs)
  }

  #isBanned(ban: Ban, sinceMs: number): boolean {
    if (sinceMs < this.#bannedUntil) return true
    const arrivals = this.#arrivals
    if (arrivals === undefined) return false
    if (arrivals.oldest() + ban.windowSeconds * 1_000 <= sinceMs) {
      arrivals.add(sinceMs)
      return false
    }
    this.#bannedUntil = sinceMs + ban.banSeconds * 1_000
    arrivals.clear()
    return true
  }

  #refuse(n: number, now: number, waitMs: number): Reception {
    const style = this.spec.refusal ?? DEFAULT_REFUSAL
    const { status, retryAfter, latencyMs: wanted = REFUSED_AFTER_MS } = style
    const seconds = style.retryAfterSeconds ?? Math.ceil(waitMs / 1_000)
    const answerMs = wanted === 'as-served' ? this.#workMs(n, now - this.#startedAt) : wanted
    const headers: Fields = this.#saidLimits({ 'content-type': 'text/plain; charset=utf-8' }, now)
    if (retryAfter === undefined) return { kind: 'refuse', status, latencyMs: answerMs, headers }
    if (retryAfter === 'seconds') {
      headers['retry-after'] = String(seconds)
      return { kind: 'refuse', status, latencyMs: answerMs, headers, restMs: seconds * 1_000 }
    }
    // A date has whole seconds (RFC 9110 §5.6.7): round up, or the client would come too early.
    const until = Math.ceil((now + answerMs) / 1_000 + seconds) * 1_000
    headers['retry-after'] = new Date(until).toUTCString()
    return { kind: 'refuse', status, latencyMs: answerMs, headers, restMs: until - now - answerMs }
  }

  #saidLimits(fields: Fields, now: number): Fields {
    const allowance = this.spec.rateLimitFields && this.#gate.allowance?.(now - this.#startedAt)
    if (this.spec.rateLimitFields !== undefined && allowance !== undefined)
      addRateLimitFields(fields, this.spec.rateLimitFields, { ...allowance, now })
    return fields
  }
}

function closed({ status = 503, retryAfter = 'seconds' }: Closure, waitMs: number, now: number): Reception {
  const answeredAt = now + REFUSED_AFTER_MS
  // Whole seconds in both forms: round up, or the client would come too early.
  const seconds = Math.max(1, Math.ceil((waitMs - REFUSED_AFTER_MS) / 1_000))
  const until = Math.ceil((now + waitMs) / 1_000) * 1_000
  const said = retryAfter === 'seconds' ? String(seconds) : new Date(until).toUTCString()
  const restMs = retryAfter === 'seconds' ? seconds * 1_000 : until - answeredAt
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'retry-after': said }
  return { kind: 'refuse', status, latencyMs: REFUSED_AFTER_MS, headers, restMs }
}

function banned({ status = 403 }: Ban): Reception {
  return { kind: 'banned', status, latencyMs: REFUSED_AFTER_MS, headers: { 'content-type': 'text/plain; charset=utf-8' } }
}

/** Style in which `host` fails `sinceMs` after the web was started; undefined = it lives. A death counts before an outage, that before flapping. */
function deathOf(host: HostSpec, sinceMs: number, seed: string): DeathStyle | undefined {
  if (host.death !== undefined) return host.death
  const outage = host.outages?.find(({ fromMs, untilMs = Infinity }) => sinceMs >= fromMs && sinceMs < untilMs)
  if (outage !== undefined) return outage.style
  if (host.flapping === undefined) return undefined
  const { periodMs, downRatio, style } = host.flapping
  // In the first part of each period it lives; the seed moves the beginning, so that hosts do not fail together.
  const phase = (sinceMs / periodMs + seeded(seed, host.name, 'flapping')(0)) % 1
  return phase >= 1 - downRatio ? style : undefined
}

// How long the n-th answer of a host takes. Pure: the law, a source of chance, the number of the request.

/** Of a host that says nothing of it. */
export const DEFAULT_LATENCY: LatencyLaw = { law: 'fixed', ms: 50 }

/** Ms from the `n`-th request to its headers. */
export function latencyMs(law: LatencyLaw, chance: Chance, n: number): number {
  if (law.law === 'fixed') return law.ms
  if (law.law === 'uniform') return law.minMs + (law.maxMs - law.minMs) * chance(n)
  return law.medianMs * Math.exp(law.spread * normal(chance, n))
}

/** A number of the standard normal distribution. Box and Muller 1958. */
function normal(chance: Chance, n: number): number {
  // 1 - chance is in (0, 1], so the logarithm is finite.
  return Math.sqrt(-2 * Math.log(1 - chance(2 * n))) * Math.cos(2 * Math.PI * chance(2 * n + 1))
}
