// Tells a proxy that fails from hosts that fail behind it: what many hosts meet at one proxy is the proxy's, what one host meets is its own.
//
// Some failures are the proxy's for certain: it cannot be reached, refuses us, has limits of its own, or speaks another protocol. All others look alike from
// here: a tunnel that is not opened, a certificate for another name, silence. The evidence, by proxy, in this order:
//  1. It brought an answer of some host shortly before the exchange began, or since: the failure is the host's.
//  2. Three hosts failed since it last brought any: the proxy's.
//  3. Fewer: nobody's yet. The host rests and is asked again, three times in a row; then it is the host's.
// With an answer everything begins anew. A proxy that was blamed for an hour without one is blamed no longer for what hosts may have done: a crawl of
// dead hosts looks like a dead proxy, and would never end.
import type { FailureCode } from '../values/errors.ts'
import { Excuses } from './trouble.ts'

const FEW_HOSTS = 3
const UNPROVEN_TIMES = 3
/** An answer so long before an exchange began still says that the proxy works. */
const RECENTLY_MS = 10_000
const HOUR_MS = 3_600_000
/** Proxies that are remembered, at most: the one that was heard of first is forgotten. */
const MAX_PROXIES = 1_000

const CERTAIN: ReadonlySet<FailureCode> = new Set([
  'AVO_PROXY_UNREACHABLE',
  'AVO_PROXY_AUTH',
  'AVO_PROXY_LIMIT',
  'AVO_PROXY_PROTOCOL',
])
/** What a host may have done as well as the proxy before it. */
const DOUBTFUL: ReadonlySet<FailureCode> = new Set([
  'AVO_PROXY_REFUSED',
  'AVO_PROXY_TIMEOUT',
  'AVO_DNS_NOT_FOUND',
  'AVO_CONNECT_FAILED',
  'AVO_CONNECT_REFUSED',
  'AVO_CONNECT_TIMEOUT',
  'AVO_UNREACHABLE',
  'AVO_TLS_CERTIFICATE',
  'AVO_TLS_INTERMEDIATE',
  'AVO_TLS_HTTP2_ONLY',
  'AVO_TLS_FAILED',
  'AVO_FIRST_BYTE_TIMEOUT',
  'AVO_RESET',
  'AVO_CLOSED_EARLY',
  'AVO_PROTOCOL',
])

/** A failure of an exchange through a proxy. */
export interface ProxyEvidence {
  /** What tells it from others: `ProxyServer.id`. */
  readonly proxy: string
  readonly hostKey: string
  readonly code: FailureCode
  /** Epoch ms of the booking of the exchange. */
  readonly since: number
  readonly now: number
}

/** Whose a failure is; `elsewhere`: a proxy has nothing to do with it. Until `until` (epoch ms) the host rests. */
export type ProxyJudgement =
  | { readonly whose: 'elsewhere' }
  | { readonly whose: 'host' }
  | { readonly whose: 'unproven'; readonly until: number }
  | { readonly whose: 'proxy'; readonly until: number }

interface Known {
  /** Epoch ms of the last answer through it; 0 = none. */
  answeredAt: number
  /** Epoch ms of the first failure since. */
  failingSince: number
  /** Hosts that failed since, at most three. */
  readonly failed: Set<string>
}

/** Watches over all proxies. */
export class ProxyGuard {
  readonly #proxies = new Map<string, Known>()
  readonly #excuses = new Excuses()

  /** A host answered through it. */
  answered(proxy: string, hostKey: string, now: number): void {
    const known = this.#of(proxy, now)
    known.answeredAt = now
    if (known.failed.size > 0) known.failed.clear()
    this.#excuses.end(hostKey)
  }

  /** Whose this failure is. */
  judge({ proxy, hostKey, code, since, now }: ProxyEvidence): ProxyJudgement {
    if (CERTAIN.has(code)) return { whose: 'proxy', until: this.#excuses.give(hostKey, now) }
    if (!DOUBTFUL.has(code)) return { whose: 'elsewhere' }
    const known = this.#of(proxy, now)
    if (known.answeredAt > 0 && known.answeredAt >= since - RECENTLY_MS) return { whose: 'host' }
    if (known.failed.size === 0) known.failingSince = now
    if (known.failed.size < FEW_HOSTS) known.failed.add(hostKey)
    if (now - known.failingSince >= HOUR_MS) return { whose: 'host' }
    if (known.failed.size >= FEW_HOSTS) return { whose: 'proxy', until: this.#excuses.give(hostKey, now) }
    if (this.#excuses.of(hostKey, now).times >= UNPROVEN_TIMES) return { whose: 'host' }
    return { whose: 'unproven', until: this.#excuses.give(hostKey, now) }
  }

  #of(proxy: string, now: number): Known {
    const found = this.#proxies.get(proxy)
    if (found !== undefined) return found
    const known: Known = { answeredAt: 0, failingSince: now, failed: new Set() }
    this.#proxies.set(proxy, known)
    const oldest = this.#proxies.size > MAX_PROXIES ? this.#proxies.keys().next().value : undefined
    if (oldest !== undefined) this.#proxies.delete(oldest)
    return known
  }
}
