// Tells trouble of ours from hosts that fail: what many hosts meet at once is ours, what one host meets is its own.
//
// Without it a Wi-Fi that drops for half a minute, a captive portal or a wrong clock would slow, open or retire 800 hosts, each for a fault that
// none of them has. The evidence, in this order:
//  1. Something was received while the exchange waited: the network is there, the failure is the host's.
//  2. Trouble of this kind is known already: ours, until it has ended, or was probed for long enough in vain (`Trouble`).
//  3. Silence (no name, no connection, no first byte). Ten hosts since anything was last received; hosts that never answered count among
//     them as long as nothing was ever received, and beside three that did once nothing was for 10 s. Or, while a few still speak: within
//     10 s ten hosts that used to answer, and 30 % of all heard of.
//  4. No route: the kernel says so at once, before others have had time to answer, so ten that used to answer prove it only once nothing was
//     received for 10 s. Three do, at two addresses, if they used to answer and are more than half of what the crawl ever held at once.
//  5. Certificates: ten hosts since one was last fine, and 30 % of those and of all that answered without one since; or within 10 s ten and 30 %.
//     A host is evidence once, until its own is fine again.
//  6. This machine's own faults (no descriptors, no ports): three hosts within 10 s; one alone is excused a few times (`Excuses`).
// A host whose failures count already proves nothing more: in a quiet hour the few that are down are all that is heard, and would look like a
// network of ours. Failures that could still become evidence are not counted for a host's first three times: it rests, and is asked again when more is
// known. NXDOMAIN is silence and not an answer: it is what some resolvers say when they are offline. (Envoy bounds ejection for the same reason.)
import type { FailureCode } from '../values/errors.ts'
import { Excuses, RecentHosts, Trouble } from './trouble.ts'

const SPAN_MS = 10_000
const LEAST_HOSTS = 10
const LEAST_KNOWN = 3
/** A failure counts as silence only when nothing at all was received for so long, or since its exchange began. */
const QUIET_MS = 2_000
const ODD_RATIO = 0.3
/** Kernels say "no route", or "no descriptors", with certainty: fewer hosts prove it. */
const FEW_HOSTS = 3
const FEW_ADDRESSES = 2
/** Excuses of a host in a row. */
const UNPROVEN_TIMES = 3
/** The same while several hosts meet a fault of this machine, and others work. */
const SEVERAL_TIMES = 20
const HOUR_MS = 3_600_000
/** Longer than the crawl ever rests: what comes later is another time of trouble. */
const AGAIN_MS = 120_000
const MAX_SUSPECTS = 10_000
/** A host that fails alone is compared with what others received so long before, or since. */
const RECENTLY_MS = 60_000

type Kind = 'silence' | 'route' | 'certificate' | 'machine' | 'alive'

const KINDS: Partial<Readonly<Record<FailureCode, Kind>>> = {
  AVO_DNS_FAILED: 'silence',
  AVO_DNS_NOT_FOUND: 'silence',
  AVO_CONNECT_TIMEOUT: 'silence',
  AVO_CONNECT_FAILED: 'silence',
  AVO_FIRST_BYTE_TIMEOUT: 'silence',
  AVO_UNREACHABLE: 'route',
  AVO_TLS_CERTIFICATE: 'certificate',
  AVO_TLS_INTERMEDIATE: 'certificate',
  AVO_LOCAL_RESOURCES: 'machine',
  AVO_NETWORK_DOWN: 'machine',
  AVO_ABORTED: 'machine',
  // These came from somewhere.
  AVO_CONNECT_REFUSED: 'alive',
  AVO_RESET: 'alive',
  AVO_CLOSED_EARLY: 'alive',
  AVO_TRUNCATED: 'alive',
  AVO_PROTOCOL: 'alive',
  AVO_TOO_SLOW: 'alive',
  AVO_HEADERS_TOO_LARGE: 'alive',
  AVO_INTERIM_FLOOD: 'alive',
  AVO_BODY_TOO_LARGE: 'alive',
  AVO_BODY_BUDGET: 'alive',
  AVO_FILE_TYPE: 'alive',
  AVO_FILE_UNWRITABLE: 'alive',
  AVO_DECODED_TOO_LARGE: 'alive',
  AVO_DECODE_RATIO: 'alive',
  AVO_ENCODING_CHAIN: 'alive',
  AVO_DECODE_FAILED: 'alive',
}

const NO_NETWORK =
  'many hosts stopped responding at once: the network of this machine seems to be down; the crawl pauses until something is received'

const BAD_CERTIFICATES = `certificates of ${LEAST_HOSTS} hosts failed at once: a captive portal, or this machine's clock is wrong?`

/** Exchanges in flight at once while there is trouble. */
export const CANARIES = 3

/** What is known of a failure. */
export interface Evidence {
  readonly hostKey: string
  readonly code: FailureCode
  /** Where it was sent, if that is known. */
  readonly address?: string | undefined
  /** Whether this host ever answered. */
  readonly answered: boolean
  /** Whether a failure counted as its own since it last answered. */
  readonly isFailing: boolean
  /** Epoch ms of the booking of the exchange that failed. */
  readonly since: number
  readonly now: number
  /** Hosts that the crawl holds: fewer than it takes can prove nothing. */
  readonly hosts: number
}

/** Whose a failure is. `unproven`: nobody's yet; the host rests until then. `ours`: the crawl rests; `why` is one sentence, `begins` with the first. */
export type FaultJudgement =
  | { readonly whose: 'host' }
  | { readonly whose: 'unproven'; readonly until: number }
  | { readonly whose: 'ours'; readonly why: string; readonly begins: boolean }

const THEIRS: FaultJudgement = { whose: 'host' }

/** Watches over all hosts. */
export class NetworkGuard {
  /** Last words of the last ten seconds: whether a host that used to answer still does, and which were never heard. */
  readonly #heard = new RecentHosts<'spoke' | 'silent' | 'doubted'>(SPAN_MS)
  readonly #atFault = new RecentHosts<true>(SPAN_MS)
  /** Silent since anything was last received, at most ten, with their addresses: hosts that used to answer, and strangers. */
  readonly #known = new Map<string, string>()
  readonly #strangers = new Map<string, string>()
  /** Whose certificates failed for the first time since any was last fine. */
  readonly #doubted = new Set<string>()
  /** Whose certificates failed, and were not fine since: they are evidence once. */
  readonly #suspects = new Set<string>()
  /** Hosts that answered without TLS since a certificate was last fine; more than it takes need not be known. */
  readonly #plain = new Set<string>()
  readonly #excuses = new Excuses()
  readonly #silence = new Trouble()
  readonly #certificates = new Trouble()
  /** Epoch ms; 0 = never. */
  #receivedAt = 0
  #receivedFrom = ''
  #faultAt = 0
  /** What the crawl held at once: the few that are left when all others are done are not most of its hosts. */
  #mostHosts = 0

  /** Only a few exchanges at once may feel for the end of it. */
  get isDown(): boolean {
    return this.#silence.isOn || this.#certificates.isOn
  }

  /** A host answered, over TLS if `secure`. Returns whether that was the end of trouble. */
  received(hostKey: string, { now, secure }: { readonly now: number; readonly secure: boolean }): boolean {
    const wasDown = this.isDown
    this.#alive(now)
    this.#receivedFrom = hostKey
    this.#excuses.end(hostKey)
    this.#heard.note(hostKey, 'spoke', now)
    if (!secure) {
      if (this.#plain.size < MAX_SUSPECTS) this.#plain.add(hostKey)
      if (this.#certificates.isOn && this.#doubtedShare < ODD_RATIO) this.#certificates.end()
    }
    if (secure) {
      this.#certificates.end()
      if (this.#plain.size > 0) this.#plain.clear()
      if (this.#doubted.size > 0) this.#doubted.clear()
      if (this.#suspects.size > 0) this.#suspects.delete(hostKey)
    }
    return wasDown && !this.isDown
  }

  /** Whose this failure is. */
  judge(evidence: Evidence): FaultJudgement {
    const kind = KINDS[evidence.code]
    if (kind === 'alive') this.#alive(evidence.now)
    if (kind === 'machine') return this.#judgeMachine(evidence)
    if (kind === 'certificate') return this.#judgeCertificate(evidence)
    return kind === 'silence' || kind === 'route' ? this.#judgeSilence(evidence, kind) : THEIRS
  }

  /** Bytes came from somewhere: there is a network. */
  #alive(now: number): void {
    this.#receivedAt = now
    this.#silence.end()
    if (this.#known.size > 0) this.#known.clear()
    if (this.#strangers.size > 0) this.#strangers.clear()
  }

  #judgeSilence(evidence: Evidence, kind: 'silence' | 'route'): FaultJudgement {
    const { hostKey, isFailing, since, now, hosts } = evidence
    const isQuiet = this.#receivedAt <= Math.max(since, now - QUIET_MS)
    this.#mostHosts = Math.max(this.#mostHosts, hosts)
    if (!isQuiet) return kind === 'route' && hosts >= FEW_HOSTS ? this.#unproven(evidence) : THEIRS
    if (this.#silence.isOn || this.#silence.isSpent) return this.#within(this.#silence, evidence, NO_NETWORK)
    if (isFailing) return THEIRS

    this.#note(evidence)
    if (this.#isLost(kind, now)) {
      this.#silence.begin(hostKey, now)
      return { whose: 'ours', why: NO_NETWORK, begins: true }
    }
    const mayProve = kind === 'route' ? hosts >= FEW_HOSTS : this.#receivedAt === 0 && hosts >= LEAST_HOSTS
    return mayProve ? this.#unproven(evidence) : THEIRS
  }

  #note({ hostKey, address, answered, now }: Evidence): void {
    const silent = answered ? this.#known : this.#strangers
    if (silent.size < LEAST_HOSTS) silent.set(hostKey, address ?? hostKey)
    if (answered) this.#heard.note(hostKey, 'silent', now)
  }

  #isLost(kind: 'silence' | 'route', now: number): boolean {
    const known = this.#known.size
    const all = known + this.#strangers.size
    if (all >= LEAST_HOSTS && (this.#receivedAt === 0 || (known >= LEAST_KNOWN && now - this.#receivedAt >= SPAN_MS))) return true
    return this.#isMuch('silent', now) || (kind === 'route' ? this.#isCutOff : known >= LEAST_HOSTS)
  }

  get #isCutOff(): boolean {
    const isMost = this.#known.size >= FEW_HOSTS && this.#known.size > this.#mostHosts / 2
    return isMost && new Set(this.#known.values()).size >= FEW_ADDRESSES
  }

  #isMuch(word: 'silent' | 'doubted', now: number): boolean {
    const words = this.#heard.words(now)
    const hosts = words.filter((each) => each === word).length
    return hosts >= LEAST_HOSTS && hosts >= ODD_RATIO * words.length
  }

  /** Of those whose certificates failed and those that answered without one. */
  get #doubtedShare(): number {
    return this.#doubted.size / Math.max(1, this.#doubted.size + this.#plain.size)
  }

  #judgeCertificate(evidence: Evidence): FaultJudgement {
    const { hostKey, isFailing, now, hosts } = evidence
    const trouble = this.#certificates
    this.#alive(now)
    if (trouble.isOn || trouble.isSpent) return this.#within(trouble, evidence, BAD_CERTIFICATES)
    if (!isFailing && !this.#suspects.has(hostKey) && this.#suspects.size < MAX_SUSPECTS) {
      this.#suspects.add(hostKey)
      this.#doubted.add(hostKey)
      this.#heard.note(hostKey, 'doubted', now)
      if ((this.#doubted.size >= LEAST_HOSTS && this.#doubtedShare >= ODD_RATIO) || this.#isMuch('doubted', now)) {
        trouble.begin(hostKey, now)
        return { whose: 'ours', why: BAD_CERTIFICATES, begins: true }
      }
    }
    return !isFailing && hosts >= LEAST_HOSTS ? this.#unproven(evidence) : THEIRS
  }

  #judgeMachine(evidence: Evidence): FaultJudgement {
    const { hostKey, code, now } = evidence
    this.#atFault.note(hostKey, true, now)
    // The crawl rests for longer than the span: the first that feels for the end of it does not stand alone.
    const lasts = now - this.#faultAt <= AGAIN_MS && this.#receivedAt < this.#faultAt
    const several = lasts || this.#atFault.words(now).length >= FEW_HOSTS
    const { times, since } = this.#excuses.of(hostKey, now)
    // Of several that meet it the crawl rests, so what was received before proves nothing for long.
    const provenSince = several ? now - AGAIN_MS : since - RECENTLY_MS
    const othersWork = this.#receivedAt > provenSince && this.#receivedFrom !== hostKey
    const isEnough = othersWork ? times >= (several ? SEVERAL_TIMES : UNPROVEN_TIMES) : now - since >= HOUR_MS
    if (isEnough) return THEIRS
    const until = this.#excuses.give(hostKey, now)
    if (!several) return { whose: 'unproven', until }
    // Once an hour is over most failures count, and those that do not are far apart: it is the same outage until something was received.
    const isHeard = this.#faultAt === 0 || this.#receivedAt > this.#faultAt
    const begins = isHeard && now - this.#faultAt > AGAIN_MS
    this.#faultAt = now
    return { whose: 'ours', why: `this machine cannot open connections (${code}); the crawl rests until it can`, begins }
  }

  /** One more failure in trouble that is known. */
  #within(trouble: Trouble, { hostKey, now, hosts }: Evidence, why: string): FaultJudgement {
    // Of certificates only those can fail whose hosts have one: it is all of them that failed for an hour, however many others there are.
    const most = trouble === this.#certificates ? Math.min(hosts, this.#suspects.size) : hosts
    return trouble.excuses(hostKey, { now, hosts: most }) ? { whose: 'ours', why, begins: false } : THEIRS
  }

  #unproven({ hostKey, now }: Evidence): FaultJudgement {
    if (this.#excuses.of(hostKey, now).times >= UNPROVEN_TIMES) return THEIRS
    return { whose: 'unproven', until: this.#excuses.give(hostKey, now) }
  }
}
