// Whether hosts are behind one limiter, by their refusals: a limiter that many share refuses whoever is next, one of a host's own whoever was sent much.
//
// Four hosts that were refused at their first or second request, within 20 answers, share a limiter: they were sent next to nothing. Hosts of one address
// begin together (live-limits.ts), so the pace is low while they are new, and one with a limiter of its own has no reason to refuse. A site that shuts
// crawlers out refuses its first request as well, but never sends a page: unless four that were refused are sent one within a minute, it was a mistake, and
// from then on only such hosts count. What was taken for a shared limiter and is none also refuses at any pace: what it takes between two refusals is a
// different number each time. Rejected: any refusals that coincide. In a crowd of hosts that begin at once each finds its own limit in the same second.
// A host that is refused much more often than its neighbours has a limiter of its own (`isOwn`).

const MOST_HOSTS = 10_000
/** Answers that are kept: of each host, and of all. */
const KEPT = 20
const FIRST = 1 << KEPT
/** So many hosts of the last answers, within so long, each refused after one answer at most. */
const HOSTS = 4
const WITHIN_MS = 60_000
/** Until then they are to be sent a page: two rounds of 240 hosts at 12 requests a second take 40 s. */
const DOUBT_MS = 60_000
/** Its own: so many refusals among its last, at so many times the ratio of the others. */
const OWN = 3
const OWN_RATIO = 5
/** Others count by their last answers. */
const MOST_COUNTED = 2_000
/** Refusals after which the capacity is another one, beyond those that confirm it: one that is changed has one or two. */
const MISMATCHES = 3
/** Hosts are new again: a limiter may have come. */
const HISTORY_MS = 3_600_000
/** After a limit that was learned wrongly none is for a minute; then two, and so on to a day. */
const QUIET_MS = 60_000
const MOST_QUIET_MS = 86_400_000

/** An answer. `isPage`: none that a plugin requires, such as robots.txt, which also those send who shut crawlers out. */
export interface HeardAnswer {
  readonly isRefused: boolean
  readonly isPage: boolean
  /** Epoch ms. */
  readonly now: number
}

/** The hosts of one limit, by what they answered this process. */
export class Neighbours {
  /** Of each host the last answers as bits, the latest lowest; 1 = refused. The highest bit only marks the beginning. */
  readonly #last = new Map<string, number>()
  /** Of all hosts; `counts`: of one that was refused while it was new. */
  #recent: { readonly at: number; readonly isRefused: boolean; readonly counts: boolean }[] = []
  readonly #refusedNew = new Set<string>()
  readonly #sentPage = new Set<string>()
  #answers = 0
  #refusals = 0
  #since = 0
  #mismatches = 0
  #witnesses = 0
  /** Epoch ms; 0 = nothing is in doubt. */
  #doubtedUntil = 0
  #quietUntil = 0
  #mistakes = 0

  /** Answers per second that were no refusals, of the last ones. */
  rpsAt(now: number): number {
    const [first] = this.#recent
    const accepted = this.#recent.filter(({ isRefused }) => !isRefused).length
    return first === undefined ? 1 : Math.max(1, (accepted * 1_000) / Math.max(1_000, now - first.at))
  }

  /** A host has answered. */
  heard(hostKey: string, { isRefused, isPage, now }: HeardAnswer): void {
    if (now < this.#quietUntil) return
    if (now - this.#since > HISTORY_MS || this.#last.size >= MOST_HOSTS) this.#begin(now)
    const before = this.#last.get(hostKey) ?? 1
    const bits = (before << 1) | Number(isRefused)
    this.#last.set(hostKey, bits < 2 * FIRST ? bits : (bits & (FIRST - 1)) | FIRST)
    if (this.#answers >= MOST_COUNTED) [this.#answers, this.#refusals] = [this.#answers / 2, this.#refusals / 2]
    this.#answers++
    this.#refusals += Number(isRefused)
    const isStranger = isRefused && before <= 2
    if (isStranger) this.#refusedNew.add(hostKey)
    if (!isRefused && isPage) this.#sentPage.add(hostKey)
    const isWitness = this.#refusedNew.has(hostKey) && this.#sentPage.has(hostKey)
    if (isWitness) this.#refusedNew.delete(hostKey)
    this.#witnesses += Number(isWitness)
    this.#recent.push({ at: now, isRefused, counts: this.#mistakes === 0 ? isStranger : isWitness })
    if (this.#recent.length > KEPT || (this.#recent[0]?.at ?? now) < now - WITHIN_MS) this.#recent.shift()
  }

  /** Whether refusals have hit several, whatever they were sent. */
  coincideAt(now: number): boolean {
    return now >= this.#quietUntil && this.#recent.filter(({ counts }) => counts).length >= HOSTS
  }

  /** Whether refusals of this host are its own. */
  isOwn(hostKey: string): boolean {
    const bits = this.#last.get(hostKey) ?? 1
    const answers = 31 - Math.clz32(bits)
    const refusals = onesIn(bits) - 1
    const others = Math.max(0, this.#refusals - refusals) / Math.max(1, this.#answers - answers)
    return refusals >= OWN && this.#answers > answers && refusals / answers >= OWN_RATIO * others
  }

  /** The limit was refused; whether it took what it took before, if that says anything. Whether it is none after all. */
  refused(agrees: boolean | undefined, now: number): boolean {
    if (agrees !== undefined) this.#mismatches = Math.max(0, this.#mismatches + (agrees ? -1 : 1))
    return this.#mismatches >= MISMATCHES && this.#mistaken(now)
  }

  /** A limit was learned, which four hosts are to confirm. */
  doubt(now: number): void {
    this.#doubtedUntil = now + DOUBT_MS
  }

  /** Whether nobody confirmed it in time. */
  isUnconfirmedAt(now: number): boolean {
    if (this.#doubtedUntil === 0 || now < this.#doubtedUntil) return false
    this.#doubtedUntil = 0
    return this.#witnesses < HOSTS && this.#mistaken(now)
  }

  #mistaken(now: number): true {
    this.#quietUntil = now + Math.min(MOST_QUIET_MS, QUIET_MS * 2 ** Math.min(20, this.#mistakes++))
    this.#begin(now)
    return true
  }

  #begin(now: number): void {
    this.#since = now
    this.#last.clear()
    this.#refusedNew.clear()
    this.#sentPage.clear()
    this.#recent = []
    this.#doubtedUntil = this.#witnesses = this.#mismatches = this.#answers = this.#refusals = 0
  }
}

function onesIn(bits: number): number {
  let ones = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) ones++
  return ones
}
