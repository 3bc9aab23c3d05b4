// What the failures of all hosts say of what they share: the network, certificates, this machine, and proxies.
import { FAILURES, type FailureCode } from '../values/errors.ts'
import { Excuses, Trouble, type FaultJudgement, type Met, type TroubleKind } from './trouble.ts'

/** Exchanges in flight at once while there is trouble of ours. */
export const CANARIES = 3
/** Proxies that are remembered, at most: the one that was heard of first is forgotten. */
const MAX_PROXIES = 1_000
/** What is open while this machine has no descriptors goes on. */
const MACHINE_LASTS_MS = 10_000

const KINDS: Partial<Readonly<Record<FailureCode, Exclude<TroubleKind, 'proxy'> | 'certain'>>> = {
  AVO_DNS_FAILED: 'silence',
  AVO_DNS_NOT_FOUND: 'silence',
  AVO_CONNECT_TIMEOUT: 'silence',
  AVO_CONNECT_FAILED: 'silence',
  AVO_FIRST_BYTE_TIMEOUT: 'silence',
  AVO_IDLE_TIMEOUT: 'silence',
  AVO_TOTAL_TIMEOUT: 'silence',
  AVO_UNREACHABLE: 'route',
  AVO_TLS_CERTIFICATE: 'certificate',
  AVO_TLS_INTERMEDIATE: 'certificate',
  AVO_LOCAL_RESOURCES: 'machine',
  AVO_NETWORK_DOWN: 'machine',
  AVO_ABORTED: 'machine',
  // No host has to do with these.
  AVO_PROXY_UNREACHABLE: 'certain',
  AVO_PROXY_AUTH: 'certain',
  AVO_PROXY_LIMIT: 'certain',
  AVO_PROXY_PROTOCOL: 'certain',
  AVO_BROWSER_GONE: 'certain',
}

/** A failure, as it was met. */
export interface MetFailure extends Met {
  readonly code: FailureCode
  /** Something of the answer came. */
  readonly isUp: boolean
  /** What tells its proxy from others. */
  readonly proxy?: string | undefined
}

/** Whose a failure is, and what kind of trouble it is, or may be. */
export type Judged = FaultJudgement & { readonly kind?: TroubleKind | 'certain' }

/** Watches over all hosts. */
export class Evidence {
  readonly #excuses = new Excuses()
  readonly #network = new Trouble(this.#excuses)
  readonly #certificates = new Trouble(this.#excuses)
  readonly #machine = new Trouble(this.#excuses, MACHINE_LASTS_MS)
  readonly #proxies = new Map<string, Trouble>()

  /** A host answered. Returns whether that was the end of a network that is down, or of certificates that fail. */
  received(hostKey: string, how: { now: number; isSecure: boolean; proxy?: string | undefined }): boolean {
    const { now, isSecure, proxy } = how
    this.#excuses.end(hostKey)
    this.#machine.worked(now)
    const isTrusted = isSecure && this.#certificates.worked(now)
    if (proxy !== undefined) this.#proxyOf(proxy).worked(now)
    return this.#network.worked(now) || isTrusted
  }

  /** Whose this failure is. */
  judge(met: MetFailure): Judged {
    const { hostKey, code, proxy, now } = met
    const kind = KINDS[code]
    if (kind === 'certain') return { whose: 'ours', kind, until: this.#excuses.give(hostKey, now), begins: false }
    const { blame } = FAILURES[code]
    // What a host may have done, the proxy before it may have done as well.
    if (proxy !== undefined && (blame === 'host' || blame === 'proxy'))
      return { ...this.#proxyOf(proxy).judge('proxy', met), kind: 'proxy' }
    // Everything else that a host does comes from somewhere.
    if (met.isUp || (blame === 'host' && kind !== 'silence' && kind !== 'route')) this.#network.worked(now)
    if (kind === undefined) return { whose: 'host' }
    const trouble = kind === 'machine' ? this.#machine : kind === 'certificate' ? this.#certificates : this.#network
    return { ...trouble.judge(kind, met), kind }
  }

  #proxyOf(id: string): Trouble {
    const found = this.#proxies.get(id)
    if (found !== undefined) return found
    const trouble = new Trouble(this.#excuses)
    this.#proxies.set(id, trouble)
    const oldest = this.#proxies.size > MAX_PROXIES ? this.#proxies.keys().next().value : undefined
    if (oldest !== undefined) this.#proxies.delete(oldest)
    return trouble
  }
}
