// Tells a lost network of ours from hosts that fail: when many hosts that used to answer fall silent at once, it is us.
//
// Without it a laptop's Wi-Fi that drops for half a minute would slow, open or retire 800 hosts, each for a fault that none of them has.
// Evidence is silence only: no name, no connection, no first byte. A refused connection or a reset came from somewhere. Hosts that never answered
// prove nothing, for dead ones are always among those of a new crawl. Within 10 s, at least 10 hosts that used to answer, and 30 % of all
// that were heard of: then the network is down until anything at all is received. Meanwhile three exchanges at a time feel for it.
// (Envoy bounds ejection for the same reason, `max_ejection_percent`.)
import type { FailureCode } from '../errors.ts'

const WINDOW_MS = 10_000
const LEAST_HOSTS = 10
/** A failure counts only when nothing at all was received for so long, or since its exchange began. */
const QUIET_MS = 2_000
const SILENT_RATIO = 0.3

/** Failures in which nothing was received. */
const SILENCE: ReadonlySet<FailureCode> = new Set([
  'AVO_DNS_FAILED',
  'AVO_DNS_NOT_FOUND',
  'AVO_CONNECT_TIMEOUT',
  'AVO_CONNECT_FAILED',
  'AVO_FIRST_BYTE_TIMEOUT',
])

/** Exchanges under way at once while the network is down. */
export const CANARIES = 3

/** What is known of a failure. */
export interface Silence {
  readonly hostKey: string
  readonly code: FailureCode
  /** Whether this host ever answered. */
  readonly answered: boolean
  /** Epoch ms of the booking of the exchange that failed. */
  readonly since: number
  readonly now: number
}

/** Watches over all hosts. */
export class NetworkGuard {
  /** Last word of each host of the last ten seconds: whether it was silence, and when. Oldest first. */
  readonly #heard = new Map<string, { readonly at: number; readonly silent: boolean }>()
  #silent = 0
  #receivedAt = 0
  isDown = false

  /** Something was received from a host. */
  received(hostKey: string, now: number): void {
    this.isDown = false
    this.#receivedAt = now
    this.#note(hostKey, now, false)
  }

  /** Whether this failure is ours and not the host's. */
  isOurs({ hostKey, code, answered, since, now }: Silence): boolean {
    // Something came from somewhere while this exchange waited: the network is there.
    if (!SILENCE.has(code) || this.#receivedAt > Math.max(since, now - QUIET_MS)) return false
    if (this.isDown) return true
    if (!answered) return false
    this.#note(hostKey, now, true)
    this.isDown = this.#silent >= LEAST_HOSTS && this.#silent >= SILENT_RATIO * this.#heard.size
    return this.isDown
  }

  #note(hostKey: string, now: number, silent: boolean): void {
    this.#forget(hostKey)
    this.#heard.set(hostKey, { at: now, silent })
    if (silent) this.#silent++
    for (const [key, { at }] of this.#heard) {
      if (at > now - WINDOW_MS) break
      this.#forget(key)
    }
  }

  #forget(hostKey: string): void {
    const last = this.#heard.get(hostKey)
    if (last === undefined) return
    if (last.silent) this.#silent--
    this.#heard.delete(hostKey)
  }
}
