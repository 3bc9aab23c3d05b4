// When the pages of one host are visited: what is known of each, and of all of them.
//
// A page is due when the changes to be expected since its last visit are worth the price of a visit (visit-price.ts). What is to be expected: its rate by the
// time that passed (change-rate.ts), its share of a burst (burst.ts), and what signs were worth so far at this host (signs.ts). The price is worked out anew
// as rates become known, and rises while more visits were made than the budget has, so that a burst is paid back within a day or so.
import { burstRate, burstShare, sawVisit } from './burst.ts'
import { changeRate, FIRST_PRIOR, fittedPrior } from './change-rate.ts'
import type { HostLearning, PageState } from './host-learning.ts'
import { sawSign, signShare } from './signs.ts'
import { dueChanges, visitPrice } from './visit-price.ts'

/** Hours. */
export interface VisitTimes {
  /** As many visits are made as with one of each page in so many hours. */
  readonly within: number
  /** No page is visited less often. */
  readonly atMost: number
}

/** A visit that has ended. `now`: hours since the epoch. */
export interface PageVisit {
  readonly id: number
  /** 24 bits of its URL. */
  readonly url: number
  readonly handler: string
  readonly digest: number | undefined
  readonly now: number
}

/** What a sign comes to. */
interface PageSign {
  readonly id: number
  readonly dueAt?: number
}

/** No page is visited more often than so many times within `within`. */
const MOST_TIMES = 10
/** Visits after which rates and price are worked out anew; where there are many pages, an eighth of them. */
const FIT_EACH = 16
/** What was seen longer ago counts for less. */
const KEPT_HOURS = 28 * 24
/** Pages that are not known are spread over so much of their first interval. */
const FIRST_SPREAD = 0.5
const GOLDEN = 0.618_033_988_749_895
/** A debt of the visits of so many hours makes a visit e³ times as dear; one of three times as many is forgiven. */
const REPAID_HOURS = 24
const DEARER = 3
const MOST_DEBTS = 3
/** Pages at a time that are visited before their time on suspicion alone. */
const LEAST_AWAKE = 4
/** Until bursts are known for so long, they are to cost little. */
const EXTRA_HOURS = 24
/** Of n pages so many times √n: the fewer, the longer a burst is not seen; the more, the more visits it takes. */
const SENTINELS = 4

/** The law over the state of a host. `now`: hours since the epoch, of the visit that ended or of the question. */
export class HostVisits {
  readonly state: HostLearning
  readonly pages: Map<number, PageState>
  readonly #times: VisitTimes
  /** Of its rate policy: what it may be asked in an hour. */
  mostPerHour: number = Infinity
  /** Visits since what is known was written. */
  unkept = 0
  /** What the last burst may have changed, the best last. Undefined: not worked out yet. */
  #candidates: PageState[] | undefined
  #awake = 0
  /** Ids. Undefined: there was no sign yet. */
  #byUrl: Map<number, number> | undefined

  constructor(times: VisitTimes, state: HostLearning, pages: Iterable<PageState> = []) {
    this.#times = times
    this.state = state
    this.pages = new Map([...pages].map((page) => [page.id, page]))
  }

  /** A page was visited, and says what has this digest; undefined: the same as before. */
  saw({ id, url, handler, digest, now }: PageVisit): void {
    this.unkept++
    const known = this.pages.get(id)
    if (known === undefined) {
      const seen = { changes: 0, changedHours: 0, quietHours: 0 }
      this.pages.set(id, { id, url, kind: this.#kindOf(handler), at: now, digest: digest ?? 0, ...seen })
      this.#byUrl?.set(url, id)
      return
    }
    if (known.awake) {
      this.#awake--
      // It takes the place of a part of its next visit.
      const interval = Math.min(
        this.#times.atMost,
        dueChanges(this.#totalRate(known, now), this.state.price) / this.#rateOf(known),
      )
      this.state.extra += Math.max(0, 1 - (now - known.at) / interval)
    }
    known.swept = known.awake === true && known.signed !== true
    known.awake = false
    const changed = digest !== undefined && digest !== known.digest
    this.#learn(known, changed, now)
    known.at = now
    known.signed = false
    known.digest = digest ?? known.digest
    this.#spend(1, now)
    this.state.sinceFit++
  }

  /** When a page that was just visited is due again, hours since the epoch. */
  nextAt(id: number, now: number): number {
    const page = this.pages.get(id)
    if (this.state.price === 0 || this.state.sinceFit >= Math.max(FIT_EACH, this.pages.size / 8)) this.#fit(now)
    if (page === undefined) return now + this.#times.within
    const interval = this.#intervalOf(page, now)
    const chance = (id * GOLDEN + this.state.bursts.count * Math.SQRT2) % 1
    const isNew = page.changes + page.quietHours === 0
    if (isNew) return page.at + interval * (1 + FIRST_SPREAD * (2 * chance - 1))
    if (!page.swept) return page.at + interval
    // After a burst all were visited at once, and the next one would not be seen for an interval: some are visited in between.
    const sentinels = Math.min(0.5, SENTINELS / Math.sqrt(this.pages.size))
    const part = Math.min(1, chance / sentinels)
    this.state.extra += 1 - part
    return page.at + interval * part
  }

  /**
   * Something says that the page at a URL was modified at `at`. Whether the page is known, and when it is due for that, hours since the epoch; `dueAt`
   * undefined: as before.
   */
  sign({ url, at, now }: { readonly url: number; readonly at: number; readonly now: number }): PageSign | undefined {
    this.#byUrl ??= new Map([...this.pages.values()].map((page) => [page.url, page.id]))
    const page = this.pages.get(this.#byUrl.get(url) ?? -1)
    if (page === undefined) return undefined
    const { id } = page
    if (at <= page.at || page.signed || page.awake) return { id }
    page.signed = true
    // Of a host whose signs are not known yet, a few are tried.
    if (signShare(this.state.signs) === 0 || this.#awake >= LEAST_AWAKE + 2 * Math.max(0, this.state.signs.hit)) return { id }
    this.#wake(page)
    return { id, dueAt: Math.max(now, page.at + this.#intervalOf(page, now)) }
  }

  /** Pages that are due at once, for others have changed: while these have as well, more and more at a time. */
  woken(now: number): readonly number[] {
    this.#candidates ??= this.#suspects(now)
    const most = LEAST_AWAKE + 2 * Math.max(0, this.state.bursts.hit)
    const ids: number[] = []
    while (this.#awake < most) {
      const page = this.#candidates.at(-1)
      if (page === undefined) break
      const isOpen = page.at < this.state.bursts.at && !page.awake
      // The others are worth less. They may be worth it once more of those that are awake have changed.
      if (isOpen && !this.#isDue(page, now)) break
      this.#candidates.pop()
      if (!isOpen) continue
      this.#wake(page)
      ids.push(page.id)
    }
    return ids
  }

  /** A page was visited, and nothing was seen of it. */
  missed(id: number): void {
    const page = this.pages.get(id)
    if (page?.awake !== true) return
    page.awake = false
    this.#awake--
  }

  /** For reports. */
  explained(now: number): Readonly<Record<'pages' | 'changesPerDay' | 'burstShare' | 'bursts', number>> {
    const rates = [...this.pages.values()].map((page) => this.#totalRate(page, now))
    const { bursts } = this.state
    return {
      pages: rates.length,
      changesPerDay: rounded(24 * rates.reduce((sum, rate) => sum + rate, 0)),
      bursts: bursts.count,
      burstShare: rounded(burstShare(bursts, -1)),
    }
  }

  #kindOf(handler: string): number {
    const { kinds } = this.state
    const known = kinds.findIndex(({ name }) => name === handler)
    return known >= 0 ? known : kinds.push({ name: handler, prior: FIRST_PRIOR }) - 1
  }

  #learn(page: PageState, changed: boolean, now: number): void {
    const { bursts, signs } = this.state
    const hours = Math.max(1e-4, now - page.at)
    const own = -Math.expm1(-this.#rateOf(page) * hours)
    const other = burstShare(bursts, page.at)
    if (page.signed) sawSign(signs, changed, own)
    const ownPart = changed ? own / (1 - (1 - own) * (1 - other)) : 0
    page.changes += ownPart
    page.changedHours += hours * ownPart
    page.quietHours += hours * (1 - ownPart)
    const kept = Math.min(1, KEPT_HOURS / (page.changedHours + page.quietHours))
    page.changes *= kept
    page.changedHours *= kept
    page.quietHours *= kept
    // Before rates are known each change is a surprise, and after a sign none is.
    if (++this.state.learned <= this.pages.size / 2 || page.signed === true) return
    if (sawVisit(bursts, { now, visitedAt: page.at, changed, own, visitsPerHour: this.#budget })) this.#candidates = undefined
  }

  /** What is worth most comes last. */
  #suspects(now: number): PageState[] {
    const { bursts } = this.state
    const worth = (page: PageState): number => this.#expected(page, now) ** 2 / this.#totalRate(page, now)
    return [...this.pages.values()]
      .filter((page) => burstShare(bursts, page.at) > 0)
      .map((page) => ({ page, worth: worth(page) }))
      .toSorted((a, b) => a.worth - b.worth)
      .map(({ page }) => page)
  }

  #wake(page: PageState): void {
    page.awake = true
    this.#awake++
  }

  #isDue(page: PageState, now: number): boolean {
    return this.#expected(page, now) >= dueChanges(this.#totalRate(page, now), this.#price(now))
  }

  /** Changes to be expected since its last visit. */
  #expected(page: PageState, now: number): number {
    return this.#rateOf(page) * (now - page.at) + this.#suspected(page)
  }

  #suspected(page: PageState): number {
    return burstShare(this.state.bursts, page.at) + (page.signed ? signShare(this.state.signs) : 0)
  }

  #intervalOf(page: PageState, now: number): number {
    const { within, atMost } = this.#times
    const due = dueChanges(this.#totalRate(page, now), this.#price(now)) - this.#suspected(page)
    return Math.min(atMost, Math.max(within / MOST_TIMES, due / this.#rateOf(page)))
  }

  #rateOf(page: PageState): number {
    return changeRate(page, this.state.kinds[page.kind]?.prior ?? FIRST_PRIOR)
  }

  #totalRate(page: PageState, now: number): number {
    return this.#rateOf(page) + burstRate(this.state.bursts, now)
  }

  /** Visits an hour. */
  get #budget(): number {
    return Math.max(1e-3, Math.min(this.mostPerHour, this.pages.size / this.#times.within))
  }

  #spend(visits: number, now: number): void {
    const { state } = this
    const most = MOST_DEBTS * REPAID_HOURS * this.#budget
    const owed = state.owed + visits - this.#budget * Math.max(0, now - state.owedAt)
    state.owed = Math.min(most, Math.max(-most, owed))
    state.owedAt = now
  }

  #price(now: number): number {
    this.#spend(0, now)
    return this.state.price * Math.exp((DEARER * this.state.owed) / (REPAID_HOURS * this.#budget))
  }

  #fit(now: number): void {
    this.state.sinceFit = 0
    const all = [...this.pages.values()]
    for (const [n, kind] of this.state.kinds.entries()) {
      const seen = all.filter((page) => page.kind === n && page.changedHours + page.quietHours > 0)
      for (let step = 0; step < 3; step++) kind.prior = fittedPrior(seen, kind.prior)
    }
    const { within, atMost } = this.#times
    const extra = this.state.extra / (now - this.state.bursts.since + EXTRA_HOURS)
    const bounds = { budget: Math.max(this.#budget / 2, this.#budget - extra), least: 1 / atMost, most: MOST_TIMES / within }
    this.state.price = visitPrice(
      all.map((page) => ({ own: this.#rateOf(page), all: this.#totalRate(page, now) })),
      bounds,
    )
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(3))
}
