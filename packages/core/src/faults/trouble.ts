// Tells trouble that many hosts meet at once, which is ours or their proxy's, from hosts that fail.
//
// Without it a Wi-Fi that drops for half a minute, a captive portal or a wrong clock would slow, open or retire 800 hosts, each for a fault that none of them
// has. Each kind of trouble has its rules (`KINDS`), and keeps which hosts met it since something last worked. A failure is, in this order:
//  1. the host's, if something worked while the exchange waited;
//  2. ours, in trouble that is known: until something works, or an hour has passed in vain, for a crawl of dead hosts looks like a dead network;
//  3. ours, if enough hosts have met it since something last worked;
//  4. nobody's, where more hosts may still prove it: the host rests, and is asked again when more is known. After three times it is the host's.
// A host whose failures count already proves nothing: in a quiet hour the few that are down are all that is heard, and would look like a network of ours.
// NXDOMAIN is silence and not an answer: it is what some resolvers say when they are offline. (Envoy bounds ejection for the same reason.)

const HOUR_MS = 3_600_000
/** Kernels and proxies say it with certainty: fewer hosts prove it. */
const FEW_HOSTS = 3
const MANY_HOSTS = 10
/** Excuses of a host in a row while others work: before trouble is proven, and in it. */
const UNPROVEN_TIMES = 3
const PROVEN_TIMES = 20

/** One failure. */
export interface Met {
  readonly hostKey: string
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

/** What it may be trouble with. */
export type TroubleKind = 'silence' | 'route' | 'certificate' | 'machine' | 'proxy'

interface Kind {
  /** So many hosts prove it, of `hosts` that the crawl held at once. */
  least(hosts: number): number
  /** From so many hosts on a failure that proves nothing yet is excused. */
  readonly excusedFrom: number
  /** Whether what worked at `workedAt` (epoch ms) says that the failure is the host's. Default: it does not. */
  works?(workedAt: number, met: Met): boolean
  /** A failure is evidence once nothing has worked for so long: others may not have had time to answer. Default 0. */
  readonly quietMs?: number
  /** Hosts that never answered prove nothing once anything worked, and nothing in a crawl of few: a list of hosts may have many that are dead. */
  readonly needsAnswered?: true
  /** Hosts that were failing before are excused, and prove it, as well as others. Default: their failures go on counting. */
  readonly excusesFailing?: true
}

const many = (): number => MANY_HOSTS
const few = (): number => FEW_HOSTS
const received = (workedAt: number, { since, now }: Met): boolean => workedAt > Math.max(since, now - 2_000)

const KINDS: Readonly<Record<TroubleKind, Kind>> = {
  /** No name, no connection, no byte or no more of them: an answer of any host says that there is a network. */
  silence: { least: many, excusedFrom: MANY_HOSTS, works: received, needsAnswered: true },
  /** The kernel says so at once, of hosts that are down as well: most of the hosts prove it. */
  route: {
    least: (hosts) => Math.max(FEW_HOSTS, Math.floor(hosts / 2) + 1),
    excusedFrom: FEW_HOSTS,
    works: received,
    quietMs: 2_000,
    needsAnswered: true,
  },
  /** A captive portal, or a wrong clock: an answer over TLS says that there is neither. */
  certificate: { least: many, excusedFrom: MANY_HOSTS, quietMs: 2_000 },
  /** No descriptors, no ports, no device: connections that are open go on. */
  machine: { least: few, excusedFrom: 1, excusesFailing: true },
  proxy: { least: few, excusedFrom: 1, excusesFailing: true, works: (workedAt, { since }) => workedAt >= since - 10_000 },
}

/** Whose a failure is. `unproven`: nobody's yet. Until `until` (epoch ms) the host rests. */
export type FaultJudgement =
  | { readonly whose: 'host' }
  | { readonly whose: 'unproven'; readonly until: number }
  /** `begins`: it is the first. */
  | { readonly whose: 'ours'; readonly until: number; readonly begins: boolean }

const THEIRS: FaultJudgement = { whose: 'host' }

/** Trouble with one thing that many hosts need. */
export class Trouble {
  readonly #excuses: Excuses
  /** Hosts that met it since it last worked, as many as prove it. */
  readonly #met = new Set<string>()
  /** Epoch ms; 0 = never. */
  #workedAt = 0
  #failedAt = 0
  /** What the crawl held at once: the few that are left when all others are done are not most of its hosts. */
  #mostHosts = 0
  /** Epoch ms of the proof; undefined = there is none. */
  #since: number | undefined
  /** It lasted for too long to be an excuse. */
  #isSpent = false
  readonly #lastsMs: number

  /** `excuses`: of all hosts, for trouble of any kind. `lastsMs`: what works within so long after a failure ends nothing. */
  constructor(excuses: Excuses, lastsMs = 0) {
    this.#excuses = excuses
    this.#lastsMs = lastsMs
  }

  /** It works. Returns whether that was the end of trouble. */
  worked(now: number): boolean {
    this.#workedAt = now
    if (this.#since === undefined && this.#met.size === 0) return false
    if (now - this.#failedAt < this.#lastsMs) return false
    const wasOn = this.#since !== undefined && !this.#isSpent
    this.#met.clear()
    this.#since = undefined
    this.#isSpent = false
    return wasOn
  }

  /** Whose this failure is. */
  judge(name: TroubleKind, met: Met): FaultJudgement {
    const kind = KINDS[name]
    const { hostKey, now, hosts } = met
    const { times, since } = this.#excuses.of(hostKey, now)
    const othersWork = this.#workedAt > since
    this.#failedAt = now
    this.#mostHosts = Math.max(this.#mostHosts, hosts)
    if (kind.works?.(this.#workedAt, met) === true || (othersWork && times >= PROVEN_TIMES)) return THEIRS
    if (this.#since !== undefined && now - this.#since >= HOUR_MS) this.#isSpent = true
    if (this.#since !== undefined && !this.#isSpent) return { ...this.#excuse(met), whose: 'ours', begins: false }
    if (this.#isSpent || (met.isFailing && kind.excusesFailing !== true)) return THEIRS

    if (this.#proves(kind, met)) this.#met.add(hostKey)
    if (this.#met.size >= kind.least(this.#mostHosts)) {
      this.#since = now
      return { ...this.#excuse(met), whose: 'ours', begins: true }
    }
    const mayBeProven = hosts >= kind.excusedFrom && (name !== 'silence' || this.#workedAt === 0)
    // Nobody can bear out what the kernel says of this machine in a crawl of one or two hosts: it is believed for an hour.
    const isAlone = name === 'machine' && this.#mostHosts < FEW_HOSTS && !othersWork && now - since < HOUR_MS
    const isEnough = times >= UNPROVEN_TIMES && !isAlone
    return mayBeProven && !isEnough ? { ...this.#excuse(met), whose: 'unproven' } : THEIRS
  }

  #proves({ quietMs = 0, needsAnswered }: Kind, { answered, now, hosts }: Met): boolean {
    const mayBeDead = !answered && needsAnswered === true && (this.#workedAt > 0 || hosts < MANY_HOSTS)
    return now - this.#workedAt >= quietMs && !mayBeDead
  }

  #excuse({ hostKey, now }: Met): { readonly until: number } {
    return { until: this.#excuses.give(hostKey, now) }
  }
}

// How often in a row each host was excused: its failure not counted, because it may be ours.

const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000
/** The oldest are forgotten beyond this. */
const MAX_HOSTS = 1_000

/** A row of excuses of one host. */
interface Row {
  times: number
  /** Epoch ms of the first. */
  readonly since: number
}

/** Rows of excuses, which an answer of the host ends. While one lasts the host rests after each, 1 s doubling to 60 s, and everybody else goes on. */
export class Excuses {
  readonly #rows = new Map<string, Row>()

  /** Excuses of this host in a row, and since when; `now` when there is none. */
  of(hostKey: string, now: number): { readonly times: number; readonly since: number } {
    return this.#rows.get(hostKey) ?? { times: 0, since: now }
  }

  /** Excuses the host once more; returns until when (epoch ms) it rests. */
  give(hostKey: string, now: number): number {
    const row = this.#rows.get(hostKey) ?? { times: 0, since: now }
    row.times++
    this.#rows.set(hostKey, row)
    const oldest = this.#rows.size > MAX_HOSTS ? this.#rows.keys().next().value : undefined
    if (oldest !== undefined) this.#rows.delete(oldest)
    return now + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (row.times - 1))
  }

  /** The host answered. */
  end(hostKey: string): void {
    if (this.#rows.size > 0) this.#rows.delete(hostKey)
  }
}
