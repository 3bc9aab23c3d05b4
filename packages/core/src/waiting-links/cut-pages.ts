// Pages whose links were cut by a budget: they are read again when the budget has grown, and what they link to by then is followed as far as it allows.
//
// A page that links to more than it may add is done, and its outcome says in the same commit which budget its links wait for (`Cut`). So what waits costs
// one row of a page that is known anyway, however many links it has; and as links that the store knows count against no budget (new-links.ts), it does not
// matter where on the page they are when it is read again. When the host has earned an eighth more URLs, or the site a quarter more hosts, a few of these pages
// wait again, oldest first; and all whose budget has anything left, before a crawl is called done, and every 15 min in one that never is: until nothing is
// gained any more. The row keeps its `cut` meanwhile, and is handed out with it: that alone says, to any process that leases it, that a page is read again. It
// counts as one page, its items are there already, and it earns nothing: so what has no end cannot pay for itself. Trouble with it is no outcome of the page:
// it stays done, and its links wait on. So they do when a later visit fails or moves: it is visited once more when the budget allows it. A page that has lost
// links is such trouble until it is seen so again, in a later hour or run. A page is read again some twenty times while what its host gave grows tenfold, 100
// times a run at most.
//
// The alternative was a row for each link, settled until the budget allows it: of an endless site those are without number, and each costs 1 kB. Rejected as
// well: the place of the first link that waits, for pages change between two readings. A page that was sent with POST is not read again.
import { isLeftOut } from '../discovery/closed-requests.ts'
import type { Outcome } from '../frontier.ts'
import { isSameBudget, SEVERAL, type LinkBudget } from '../link-budget.ts'
import type { Cut } from '../request.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import { budgetKey, CutSearch } from './cut-search.ts'
import type { Run } from '../run/run.ts'
import type { Window } from '../scheduler/window.ts'
import type { Traps } from '../traps/traps.ts'
import { Rereads } from './rereads.ts'
import type { PendingUnit } from '../store/commits.ts'

/** Budgets that are watched while the crawl goes on; of others the pages wait for its end. */
const MAX_WATCHED = 10_000
/** Pages of one budget that are read again at once: the first may use all of it. At the end twice as many each time, until one brings something. */
const AT_ONCE = 4
/** Pages that are read again at the end, at once. */
const MOST_AT_END = 1_000
/** Pages that are looked at when a run begins, for the budgets to watch. */
const LOOKED_AT_FIRST = 20_000
/** A page that has fewer than this share of its links, though more wait, has lost them. */
const HAS_LOST_LINKS = 7 / 8
/** In a crawl that is never done, between two looks at all budgets with anything left. */
const LOOK_EVERY_MS = 900_000
/** A look that found nothing rests until its budget has grown twice as often as before, at most so often. */
const LONGEST_REST = 1_024

/** Of a budget whose pages are looked at some at a time. */
interface Place {
  readonly afterId: number
  /** Times that it grows before the next look, and how many they were before this one. */
  rest: number
  readonly rested: number
}

/** Has them read again. */
export class CutPages {
  readonly #run: Run
  readonly #traps: Traps
  readonly #rereads = new Rereads()
  readonly #search: CutSearch
  /** Keys of the budgets that pages wait for. */
  readonly #watched = new Set<string>()
  /** Budgets of which the pages are being looked at. */
  readonly #lookedAt = new Set<string>()
  /** Where the look at a budget goes on that found nothing, or had more to look at. */
  readonly #places = new Map<string, Place>()
  #isLoaded = false
  #looking = 0
  /** Whether another look at all budgets with anything left may find something. */
  #mayGoOn = true
  #hasGained = false
  #atOnce = AT_ONCE
  #lookedAllAt = -Infinity

  constructor(run: Run, { traps, window }: { readonly traps: Traps; readonly window: Pick<Window, 'reopened'> }) {
    this.#run = run
    this.#traps = traps
    this.#search = new CutSearch(run, { traps, window, rereads: this.#rereads })
  }

  /** Whether the store is being asked. */
  get busy(): boolean {
    return this.#looking > 0
  }

  get #now(): number {
    return this.#run.settings.clock.now()
  }

  /** What is committed of a turn. Of a page that is read again, trouble is no outcome: it stays done, and its links wait on. They were counted before. */
  settled(unit: PendingUnit, now: number): PendingUnit {
    const { request, outcome } = unit
    if (request?.cut === undefined || outcome === undefined || outcome.kind === 'retry') return unit
    if (outcome.kind === 'done') {
      const cut = outcome.cut ?? this.#cutOfLost(request.id, { url: request.url, before: request.cut, of: unit.offered, now })
      return { ...unit, offered: 0, refused: [], outcome: { ...outcome, ...(cut && { cut }) } }
    }
    this.#rereads.troubled(request.id, now)
    const { recrawl } = this.#run
    if (!isLeftOut(outcome)) this.#tell(request.url, whatHappened(outcome), request.cut)
    const { fetched = { at: now, status: 0, durationMs: 0, wireBytes: 0 } } = outcome
    const again = recrawl.afterReread(request, now)
    return {
      ...unit,
      outcome: { kind: 'done', fetched, cut: request.cut, ...(again && { again }) },
      links: [],
      items: [],
      pairs: [],
    }
  }

  /** Nothing of a page waits, but it has fewer links than it had: those may come back. One observation is not enough to forget them. */
  #cutOfLost(
    id: number,
    { url, before, of, now }: { readonly url: string; readonly before: Cut; readonly of: number; readonly now: number },
  ): Cut | undefined {
    const most = Math.max(before.of, this.#rereads.mostLinks(id, now))
    if (of >= HAS_LOST_LINKS * most) return undefined
    this.#rereads.troubled(id, now, most)
    this.#tell(url, `had ${of} links instead of ${most}`, before)
    return { ...before, of }
  }

  #tell(url: string, what: string, { left }: Cut): void {
    this.#run.tally.problem(
      `${url} was requested again for links beyond a budget, and ${what}; up to ${left} links of it still wait, and the page is requested once more at the end and in later runs`,
    )
  }

  /** An outcome is in the store: links may wait, and the budget of those that do may have grown. `added`: how many of its own were new. */
  committed(host: LiveHost, { request, outcome }: Pick<PendingUnit, 'request' | 'outcome'>, added: number): void {
    if (request === undefined || outcome === undefined || outcome.kind === 'retry') return
    const before = request.cut ? budgetKey(host.key, request.cut.budget) : this.#rereads.readFor(request.id)
    const cut = outcome.kind === 'done' ? outcome.cut : undefined
    const waits = cut !== undefined || outcome.kind !== 'done'
    const isVain = before !== undefined && waits && added === 0
    if (before !== undefined && outcome.kind !== 'done') this.#rereads.troubled(request.id, this.#now)
    if (before !== undefined) this.#rereads.ended(before, { id: request.id, waits, isVain })
    // One that brought nothing has found its budget used up, or trouble: it waits for gains of other pages.
    if (outcome.kind !== 'done' || isVain) return
    this.#mayGoOn = true
    this.#hasGained = true
    if (cut) this.#watch(budgetKey(host.key, cut.budget))
    if (!this.#isLoaded) void this.#during(() => this.#load())
    if (request.cut !== undefined && cut === undefined) return this.#lookBehind(host, request.cut.budget)
    if (this.#watched.size === 0) return
    const grown = this.#traps.grown(host)
    for (const budget of grown) this.#lookAt(host, budget)
    if (grown.length > 0) this.#lookAt(host, SEVERAL)
  }

  /** Nothing else is left to do: whether there is something to look at, and to wait for. */
  lookOnceMore(): boolean {
    if (!this.#mayGoOn) return false
    this.#mayGoOn = false
    this.#lookedAllAt = this.#now
    // Nothing is in flight: what was handed to another process is its own.
    this.#rereads.noneReading()
    if (this.#hasGained) this.#rereads.wake()
    this.#atOnce = this.#hasGained ? AT_ONCE : Math.min(2 * this.#atOnce, MOST_AT_END)
    this.#hasGained = false
    const wanted = { atOnce: this.#atOnce, most: MOST_AT_END, troubles: 1, isGrown: false }
    void this.#during(async () => {
      // Behind those that were found may be others.
      if (await this.#search.readAgain(this.#search.all(), wanted)) this.#mayGoOn = true
    })
    return true
  }

  /** The same, while nothing is due in a crawl that runs for ever. */
  lookNowAndThen(): boolean {
    return this.#now - this.#lookedAllAt >= LOOK_EVERY_MS && this.lookOnceMore()
  }

  /** What earlier runs left. */
  async #load(): Promise<void> {
    this.#isLoaded = true
    let seen = 0
    for await (const { hostKey, cut } of this.#search.all()) {
      if (cut !== undefined) this.#watch(budgetKey(hostKey, cut.budget))
      if (++seen >= LOOKED_AT_FIRST) return
    }
  }

  /** Nothing of a page waits any more: others may go on in its place, or its budget be one that nobody waits for. */
  #lookBehind(host: LiveHost, budget: LinkBudget): void {
    const key = budgetKey(host.key, budget)
    this.#watch(key)
    this.#places.delete(key)
    this.#lookAt(host, budget)
  }

  /** One look a budget at a time, and none while pages of it are being read. */
  #lookAt(host: LiveHost, budget: LinkBudget): void {
    const key = budgetKey(host.key, budget)
    if (!this.#watched.has(key) || this.#lookedAt.has(key) || this.#rereads.isReading(key)) return
    const place = this.#places.get(key)
    if (place !== undefined && place.rest-- > 0) return
    this.#lookedAt.add(key)
    void this.#during(() => this.#look(host, budget)).then(() => this.#lookedAt.delete(key))
  }

  /** A budget has grown, or a page was read again: pages that wait for it are. */
  async #look(host: LiveHost, budget: LinkBudget): Promise<void> {
    const traps = this.#traps
    const isOne = budget.kind !== 'several'
    const key = budgetKey(host.key, budget)
    const { afterId = 0, rested = 0 } = this.#places.get(key) ?? {}
    const hostKey = budget.kind === 'new-urls' ? host.key : undefined
    const { pages, next } = await this.#search.some(budget, { afterId, hostKey })
    if (pages.length === 0 && afterId === 0) {
      this.#watched.delete(key)
      this.#places.delete(key)
      if (isOne) traps.nothingWaits(host, budget)
      return
    }
    if (isOne && !traps.grown(host).some((grown) => isSameBudget(grown, budget))) return
    const wanted = { atOnce: AT_ONCE, most: AT_ONCE, troubles: 0, isGrown: isOne }
    const isVain = !(await this.#search.readAgain(pages, wanted))
    // The budgets of those behind may allow more. Once all were in vain, the next one will hardly be ready at the next commit.
    const rest = isVain && next === 0 ? Math.min(LONGEST_REST, Math.max(1, 2 * rested)) : 0
    this.#places.set(key, { afterId: isVain ? next : afterId, rest, rested: isVain ? Math.max(rest, rested) : 0 })
  }

  #watch(key: string): void {
    if (this.#watched.size < MAX_WATCHED) this.#watched.add(key)
  }

  async #during(work: () => Promise<void>): Promise<void> {
    this.#looking++
    try {
      await work()
    } catch (error) {
      this.#run.fail(error)
    }
    this.#looking--
    this.#run.goOn()
  }
}

/** What became of a page instead of being there. */
function whatHappened(outcome: Outcome & { kind: 'failed' | 'moved' }): string {
  return outcome.kind === 'failed' ? `failed (${outcome.reason})` : `redirected to ${outcome.target}`
}
