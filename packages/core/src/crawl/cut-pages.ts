// Pages whose links were cut by a budget: they are read again when the budget has grown, and go on behind the link that they came to.
//
// A page that links to more than it may add is done, and its outcome says in the same commit which budget its links wait for and how many of them come
// before the first that waits (`Cut`). So what waits costs one row of a page that is known anyway, however many links it has. When the host has earned
// an eighth more URLs, or the site a quarter more hosts, a few of these pages wait again, oldest first; and once more whatever has any room, before a
// crawl is called done. The row keeps its `cut` meanwhile, and is handed out with it: that alone says that a page is read again, to whoever leases it.
// It counts as one page, its items are there already, and it earns nothing: so what has no end cannot pay for itself. What befalls it is no outcome of
// the page: it stays done, and its links wait on. A page is read again some twenty times while what its host gave grows tenfold, 100 times a run at most.
//
// The alternative was a row for each link, settled until there is room: of an endless site those are without number, and each costs 1 kB. Lost are
// links that move to a place before the cut between two readings, as they are between any two visits. A page that was sent with POST is not read again.
import type { Frontier, Outcome } from '../frontier.ts'
import type { HostRecord, RequestRecord } from '../frontier-reader.ts'
import type { Cut } from '../request.ts'
import type { CoreHostMemory, LiveHost } from '../scheduler/live-host.ts'
import { storedJson } from '../stored-json.ts'
import { ANY_BUDGET, NEW_URLS } from '../traps/budgets.ts'
import type { Given } from '../traps/discovery-limits.ts'
import { GAINS_PART, HostGains } from '../traps/host-gains.ts'
import type { Traps } from '../traps/traps.ts'
import { COST, type LoopBudget } from './loop-budget.ts'
import type { Recrawl } from './recrawl.ts'
import { Rereads } from './rereads.ts'
import type { StoreCalls } from './store-calls.ts'
import type { TurnDraft } from './turn-draft.ts'

/** Pages of one budget that are read again at once: the first may use all of it. */
const AT_ONCE = 4
/** Pages of one budget that are looked at, and of all in one step. */
const LOOKED_AT = 1_000
/** Budgets that are watched while the crawl goes on; of others the pages wait for its end. */
const MAX_WATCHED = 10_000
/** Pages that are read again at the end, at once. */
const MOST_AT_END = 1_000
/** Pages that are looked at when a run begins, and at its end: those beyond wait for a later run, or until those before are done. */
const MOST_LOOKED_AT = 20_000
/** Hosts that are remembered while pages are looked at. */
const MAX_HOSTS = 1_000

/** What it needs of the crawl around it. */
export interface CutParts {
  readonly traps: Traps
  readonly frontier: Pick<Frontier, 'reader' | 'reopen'>
  readonly calls: StoreCalls
  readonly recrawl: Pick<Recrawl, 'afterReread'>
  readonly settings: { readonly loop: LoopBudget }
  readonly tally: { problem(message: string): void }
  /** So many requests of a host wait again; `settled`: of them, those that count as settled no more. */
  reopened(host: Pick<LiveHost, 'key'>, count: number, settled: number): void
  /** Something was found, or nothing. */
  check(): void
  failed(error: unknown): void
}

/** What is known of a host, as of its last commit. */
interface AtRest {
  readonly key: string
  readonly gains: HostGains
  readonly gave: Given
}

/** Has them read again. */
export class CutPages {
  readonly #parts: CutParts
  readonly #rereads = new Rereads()
  /** Budgets that pages wait for. */
  readonly #watched = new Set<string>()
  /** Budgets of which the pages are being looked at. */
  readonly #lookedAt = new Set<string>()
  #isLoaded = false
  #looking = 0
  #mayGoOn = true

  constructor(parts: CutParts) {
    this.#parts = parts
  }

  /** Whether the store is being asked. */
  get busy(): boolean {
    return this.#looking > 0
  }

  /** What is committed of a turn. Of a page that is read again, trouble is no outcome: it stays done, and its links wait on. */
  settled(draft: TurnDraft, now: number): TurnDraft {
    const { request, outcome } = draft
    if (request?.cut === undefined || (outcome?.kind !== 'failed' && outcome?.kind !== 'moved')) return draft
    this.#rereads.troubled(request.id)
    const { recrawl, tally } = this.#parts
    tally.problem(
      `${request.url} was requested again for links beyond a budget, and ${whatBefell(outcome)}; up to ${request.cut.left} links of it still wait, and are asked for once more at the end and in later runs`,
    )
    const { fetched = { at: now, status: 0, durationMs: 0, wireBytes: 0 } } = outcome
    const again = recrawl.afterReread(request)
    return {
      ...draft,
      outcome: { kind: 'done', fetched, cut: request.cut, ...(again && { again }) },
      links: [],
      items: [],
      pairs: [],
    }
  }

  /** An outcome is in the store: links may wait, and those that do may have room. `added`: how many of its own were new. */
  committed(host: LiveHost, { request, outcome }: Pick<TurnDraft, 'request' | 'outcome'>, added: number): void {
    if (request === undefined || outcome === undefined || outcome.kind === 'retry') return
    const before = request.cut && budgetOf(host.key, request.cut.for)
    const cut = outcome.kind === 'done' ? outcome.cut : undefined
    if (before !== undefined)
      this.#rereads.ended(before, { id: request.id, waits: cut !== undefined, isVain: cut !== undefined && added === 0 })
    // One that brought nothing has found its room taken, or trouble: it waits for somebody else's gain.
    if (outcome.kind !== 'done' || (before !== undefined && cut !== undefined && added === 0)) return
    this.#mayGoOn = true
    if (cut) this.#watch(budgetOf(host.key, cut.for))
    if (!this.#isLoaded) return void this.#during(() => this.#load())
    if (before !== undefined && cut === undefined) return this.#lookAt(host, before)
    if (this.#watched.size === 0) return
    const grown = this.#parts.traps.grown(host)
    for (const name of grown) this.#lookAt(host, budgetOf(host.key, name))
    if (grown.length > 0) this.#lookAt(host, ANY_BUDGET)
  }

  /** Nothing else is left to do: whether there is something to look at, and to wait for. */
  lookOnceMore(): boolean {
    if (!this.#mayGoOn) return false
    this.#mayGoOn = false
    // Nothing is under way: what was handed to another process is its own.
    this.#rereads.tryAll()
    void this.#during(() => this.#lookAtAll())
    return true
  }

  /** What earlier runs left. */
  async #load(): Promise<void> {
    this.#isLoaded = true
    for await (const { hostKey, cut } of this.#all()) this.#watch(budgetOf(hostKey, cut?.for ?? NEW_URLS))
  }

  /** One look a budget at a time, and none while pages of it are being read. */
  #lookAt(host: LiveHost, budget: string): void {
    if (!this.#watched.has(budget) || this.#lookedAt.has(budget) || this.#rereads.isReading(budget)) return
    this.#lookedAt.add(budget)
    void this.#during(() => this.#look(host, budget)).then(() => this.#lookedAt.delete(budget))
  }

  /** A budget has grown, or a page was read again: pages that wait for it are. */
  async #look(host: LiveHost, budget: string): Promise<void> {
    const { traps } = this.#parts
    const [name, hostKey] = partsOf(budget)
    const query = { cut: true, reason: name, ...(hostKey !== undefined && { hostKey }), limit: LOOKED_AT }
    const cut = await this.#ask(query)
    if (name === ANY_BUDGET) {
      // Whatever grew next may be none of theirs.
      if (!(await this.#reopen(await this.#readable(cut, { most: AT_ONCE, troubles: 0 })))) this.#watched.delete(budget)
    } else if (cut.length === 0) {
      this.#watched.delete(budget)
      traps.settled(host, name)
    } else if (traps.grown(host).includes(name)) await this.#reopen(await this.#readable(cut, { most: AT_ONCE, troubles: 0 }))
  }

  /** Whatever has any room. */
  async #lookAtAll(): Promise<void> {
    await this.#reopen(await this.#readable(this.#all(), { most: MOST_AT_END, troubles: 1 }))
  }

  /** Pages that have room, whatever else they wait for: a few of each budget, at most `most`, and none that met trouble more than `troubles` times. */
  async #readable(
    pages: Iterable<RequestRecord> | AsyncIterable<RequestRecord>,
    { most, troubles }: { readonly most: number; readonly troubles: number },
  ): Promise<readonly RequestRecord[]> {
    const hosts = new Map<string, AtRest | undefined>()
    const taken = new Map<string, number>()
    const found: RequestRecord[] = []
    for await (const page of pages) {
      const { id, hostKey, url, cut } = page
      if (!this.#rereads.mayRead(id, troubles)) continue
      if (hosts.size >= MAX_HOSTS && !hosts.has(hostKey)) hosts.clear()
      if (!hosts.has(hostKey)) hosts.set(hostKey, await this.#atRest(hostKey))
      const host = hosts.get(hostKey)
      if (host === undefined || cut === undefined || this.#parts.traps.closes(host, url)) continue
      const budget = budgetOf(hostKey, cut.for)
      const before = taken.get(budget) ?? 0
      if (before >= Math.min(AT_ONCE, this.#roomFor(cut, host))) continue
      taken.set(budget, before + 1)
      if (found.push(page) >= most) break
    }
    return found
  }

  /** Of several budgets one may have room: nobody knows which. */
  #roomFor(cut: Cut, { key, gave }: AtRest): number {
    return cut.for === ANY_BUDGET ? AT_ONCE : this.#parts.traps.roomFor(cut.for, key, gave)
  }

  /** Undefined of a host that was given up. */
  async #atRest(hostKey: string): Promise<AtRest | undefined> {
    const { calls, frontier } = this.#parts
    const host = await calls.make('budgets', () => frontier.reader.host(hostKey))
    if (host === undefined || host.retiredFor !== undefined) return undefined
    return { key: hostKey, gains: new HostGains(host.memory[GAINS_PART]), gave: givenAtRest(host) }
  }

  /** All of a host in one transaction; whether there were any. */
  async #reopen(pages: readonly RequestRecord[]): Promise<boolean> {
    const { calls, frontier } = this.#parts
    for (const { hostKey, isVisitedAgain, some } of byHost(pages)) {
      // Known before it can be handed out.
      for (const { id, cut } of some) this.#rereads.began(budgetOf(hostKey, cut?.for ?? NEW_URLS), id)
      const ids = some.map(({ id }) => id)
      const count = await calls.make('pages that wait', () => frontier.reopen({ cut: true, ids, limit: ids.length }))
      // One that is visited again and again stays settled in the counts of the run.
      this.#parts.reopened({ key: hostKey }, count, isVisitedAgain ? 0 : count)
    }
    return pages.length > 0
  }

  async *#all(): AsyncGenerator<RequestRecord> {
    for (let afterId = 0, seen = 0; seen < MOST_LOOKED_AT; seen += LOOKED_AT) {
      await this.#parts.settings.loop.room(COST.link * LOOKED_AT)
      const page = await this.#ask({ cut: true, afterId, limit: LOOKED_AT })
      yield* page
      const last = page.at(-1)
      if (last === undefined || page.length < LOOKED_AT) return
      afterId = last.id
    }
  }

  #ask(query: Parameters<Frontier['reader']['requests']>[0]): Promise<readonly RequestRecord[]> {
    const { calls, frontier } = this.#parts
    return calls.make('pages that wait', () => frontier.reader.requests(query))
  }

  #watch(budget: string): void {
    if (this.#watched.size < MAX_WATCHED) this.#watched.add(budget)
  }

  async #during(work: () => Promise<void>): Promise<void> {
    this.#looking++
    try {
      await work()
    } catch (error) {
      this.#parts.failed(error)
    }
    this.#looking--
    this.#parts.check()
  }
}

/** What became of a page instead of being there. */
function whatBefell(outcome: Outcome & { kind: 'failed' | 'moved' }): string {
  return outcome.kind === 'failed' ? `failed (${outcome.reason})` : `redirected to ${outcome.target}`
}

/** Those of one host together, apart from those of it that are visited again and again. */
function byHost(
  pages: readonly RequestRecord[],
): Iterable<{ readonly hostKey: string; readonly isVisitedAgain: boolean; readonly some: readonly RequestRecord[] }> {
  const groups = new Map<string, { hostKey: string; isVisitedAgain: boolean; some: RequestRecord[] }>()
  for (const page of pages) {
    const { hostKey, visits } = page
    const isVisitedAgain = visits !== undefined
    const key = `${isVisitedAgain} ${hostKey}`
    const group = groups.get(key) ?? { hostKey, isVisitedAgain, some: [] }
    groups.set(key, group)
    group.some.push(page)
  }
  return groups.values()
}

/** `new-urls` is of one host, `new-hosts mall.example` and `any` of all. */
function budgetOf(hostKey: string, name: string): string {
  return name === NEW_URLS ? `${NEW_URLS} ${hostKey}` : name
}

function partsOf(budget: string): readonly [name: string, hostKey?: string] {
  return budget.startsWith(`${NEW_URLS} `) ? [NEW_URLS, budget.slice(NEW_URLS.length + 1)] : [budget]
}

function givenAtRest({ memory }: HostRecord): Given {
  const nothing = { pages: 0, items: 0, added: 0 }
  if (memory['core'] === undefined) return nothing
  const [, core] = storedJson(memory['core'], 'the memory of a host') as [number, CoreHostMemory]
  return core.gave ?? nothing
}
