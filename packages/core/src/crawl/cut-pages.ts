// Pages whose links were cut by a budget: they are read again when the budget has grown, and go on behind the link that they came to.
//
// A page that links to more than it may add is done, and its outcome says in the same commit which budget its links wait for and how many of them come
// before the first that waits (`Cut`). So what waits costs one row of a page that is known anyway, however many links it has. When the host has earned
// an eighth more URLs, or the site a quarter more hosts, a few of these pages wait again, oldest first; and once more whatever has any room, before a
// crawl is called done. A page is read again some twenty times while what its host gave grows tenfold. It counts as one page, its items are there
// already, and it earns nothing: so what has no end cannot pay for itself.
//
// The alternative was a row for each link, settled until there is room: of an endless site those are without number, and each costs 1 kB. Lost are
// links that move to a place before the cut between two readings, as they are between any two visits. A page that was sent with POST is not read again.
import type { Frontier } from '../frontier.ts'
import type { HostRecord, RequestRecord } from '../frontier-reader.ts'
import type { Request } from '../request.ts'
import type { CoreHostMemory, LiveHost } from '../scheduler/live-host.ts'
import { storedJson } from '../stored-json.ts'
import { NEW_URLS } from '../traps/budgets.ts'
import type { Given } from '../traps/discovery-limits.ts'
import { GAINS_PART, HostGains } from '../traps/host-gains.ts'
import type { Traps } from '../traps/traps.ts'
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

/** What it needs of the crawl around it. */
export interface CutParts {
  readonly traps: Traps
  readonly frontier: Pick<Frontier, 'reader' | 'reopen'>
  readonly calls: StoreCalls
  /** So many requests of a host wait again; `settled`: of them, those that count as settled no more. */
  reopened(host: Pick<LiveHost, 'key'>, count: number, settled: number): void
  /** Something was found, or nothing. */
  check(): void
  failed(error: unknown): void
}

/** A page that is read again. */
interface Reread {
  /** Links that were looked at before. */
  readonly after: number
  /** Name of its budget. */
  readonly budget: string
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
  /** By id of the request. */
  readonly #reread = new Map<number, Reread>()
  /** Budgets that pages wait for. */
  readonly #watched = new Set<string>()
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

  /** How many links of a page were looked at when it was read before, if that is what it is read again for. */
  after(request: Pick<Request, 'id'> | undefined): number | undefined {
    return request === undefined ? undefined : this.#reread.get(request.id)?.after
  }

  /** An outcome is in the store: links may wait, and those that do may have room. */
  committed(host: LiveHost, { request, outcome }: Pick<TurnDraft, 'request' | 'outcome'>): void {
    if (request === undefined || outcome === undefined || outcome.kind === 'retry') return
    const before = this.#reread.get(request.id)
    this.#reread.delete(request.id)
    // One that came no further has found its room taken: it waits for somebody else's gain.
    if (outcome.kind !== 'done' || (before !== undefined && outcome.cut !== undefined && outcome.cut.after <= before.after))
      return
    this.#mayGoOn = true
    if (outcome.cut) this.#watch(budgetOf(host.key, outcome.cut.for))
    if (!this.#isLoaded) return void this.#during(() => this.#load())
    if (before !== undefined && outcome.cut === undefined) return void this.#during(() => this.#look(host, before.budget))
    if (this.#watched.size === 0) return
    for (const name of this.#parts.traps.grown(host)) {
      const budget = budgetOf(host.key, name)
      if (this.#watched.has(budget) && !this.#isReading(budget)) void this.#during(() => this.#look(host, budget))
    }
  }

  /** Nothing else is left to do: whether there is something to look at, and to wait for. */
  lookOnceMore(): boolean {
    if (!this.#mayGoOn) return false
    this.#mayGoOn = false
    void this.#during(() => this.#lookAtAll())
    return true
  }

  /** What earlier runs left. */
  async #load(): Promise<void> {
    this.#isLoaded = true
    for await (const { hostKey, cut } of this.#all()) {
      this.#watch(budgetOf(hostKey, cut?.for ?? NEW_URLS))
      if (this.#watched.size >= MAX_WATCHED) return
    }
  }

  /** A budget has grown, or a page was read again: pages that wait for it are. */
  async #look(host: LiveHost, budget: string): Promise<void> {
    const { traps } = this.#parts
    const [name, hostKey] = partsOf(budget)
    const query = { cut: true, reason: name, ...(hostKey !== undefined && { hostKey }), limit: LOOKED_AT }
    const cut = await this.#ask(query)
    if (this.#isReading(budget)) return
    if (cut.length === 0) {
      this.#watched.delete(budget)
      traps.settled(host, name)
    } else if (traps.grown(host).includes(name)) await this.#reopen(await this.#readable(cut, AT_ONCE))
  }

  /** Whatever has any room. */
  async #lookAtAll(): Promise<void> {
    await this.#reopen(await this.#readable(this.#all(), MOST_AT_END))
  }

  /** Pages that have room, whatever else they wait for: a few of each budget, at most `most`. */
  async #readable(
    pages: Iterable<RequestRecord> | AsyncIterable<RequestRecord>,
    most: number,
  ): Promise<readonly RequestRecord[]> {
    const hosts = new Map<string, AtRest | undefined>()
    const taken = new Map<string, number>()
    const found: RequestRecord[] = []
    for await (const page of pages) {
      const { hostKey, url, cut } = page
      if (!hosts.has(hostKey)) hosts.set(hostKey, await this.#atRest(hostKey))
      const host = hosts.get(hostKey)
      if (host === undefined || cut === undefined || this.#parts.traps.closes(host, url)) continue
      const budget = budgetOf(hostKey, cut.for)
      const before = taken.get(budget) ?? 0
      if (before >= Math.min(AT_ONCE, this.#parts.traps.roomFor(cut.for, hostKey, host.gave))) continue
      taken.set(budget, before + 1)
      if (found.push(page) >= most) break
    }
    return found
  }

  /** Undefined of a host that was given up. */
  async #atRest(hostKey: string): Promise<AtRest | undefined> {
    const { calls, frontier } = this.#parts
    const host = await calls.make('budgets', () => frontier.reader.host(hostKey))
    if (host === undefined || host.retiredFor !== undefined) return undefined
    return { key: hostKey, gains: new HostGains(host.memory[GAINS_PART]), gave: givenAtRest(host) }
  }

  async #reopen(pages: readonly RequestRecord[]): Promise<void> {
    const { calls, frontier } = this.#parts
    for (const { id, hostKey, cut, visits } of pages) {
      if (cut === undefined) continue
      // Known before it can be handed out.
      this.#reread.set(id, { after: cut.after, budget: budgetOf(hostKey, cut.for) })
      const count = await calls.make('pages that wait', () => frontier.reopen({ cut: true, ids: [id], limit: 1 }))
      if (count === 0) this.#reread.delete(id)
      // One that is visited again and again stays settled in the counts of the run.
      else this.#parts.reopened({ key: hostKey }, count, visits === undefined ? count : 0)
    }
  }

  async *#all(): AsyncGenerator<RequestRecord> {
    for (let afterId = 0; ;) {
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

  #isReading(budget: string): boolean {
    for (const reread of this.#reread.values()) if (reread.budget === budget) return true
    return false
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

/** `new-urls` is of one host, `new-hosts mall.example` of all. */
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
