// Which of the pages whose links were cut are read again: the oldest whose budget allows more, a few of each budget; and has them wait again.
import type { FrontierReader, HostRecord, RequestQuery, RequestRecord } from '../frontier-reader.ts'
import type { LinkBudget } from '../link-budget.ts'
import type { CoreHostMemory } from '../hosts/core-memory.ts'
import { storedJson } from '../stored-json.ts'
import type { Given } from '../discovery-limits.ts'
import { GAINS_PART, HostGains } from '../traps/host-gains.ts'
import type { Traps } from '../traps/traps.ts'
import { wasGone } from '../recrawl/probation.ts'
import { COST } from '../process/loop-budget.ts'
import type { Rereads } from './rereads.ts'
import type { Run } from '../run/run.ts'
import type { Window } from '../scheduler/window.ts'
import type { WaitingLinks } from '../report.ts'
import type { SettledState } from '../request.ts'

/** Pages of one budget that are looked at, and of all in one step. */
const LOOKED_AT = 1_000
/** Hosts that are remembered while pages are looked at. */
const MAX_HOSTS = 1_000

/** What it goes by. */
export interface SearchParts {
  readonly traps: Traps
  readonly window: Pick<Window, 'reopened'>
  readonly rereads: Rereads
}

/** Which pages are wanted. */
export interface Wanted {
  /** So many at most of one budget: the first may use all of it. */
  readonly atOnce: number
  /** So many at most of all. */
  readonly most: number
  /** None that met trouble more often in this run. */
  readonly troubles: number
  /** Their budget has grown: also those that brought nothing when they were read last. */
  readonly isGrown: boolean
}

/** What is known of a host, as of its last commit. */
interface AtRest {
  readonly key: string
  readonly gains: HostGains
  readonly gave: Given
}

/** Looks for them. */
export class CutSearch {
  readonly #run: Run
  readonly #traps: Traps
  readonly #window: Pick<Window, 'reopened'>
  readonly #rereads: Rereads

  constructor(run: Run, { traps, window, rereads }: SearchParts) {
    this.#run = run
    this.#traps = traps
    this.#window = window
    this.#rereads = rereads
  }

  /** All pages whose links were cut, oldest first. */
  async *all(): AsyncGenerator<RequestRecord> {
    for (let afterId = 0; ;) {
      await this.#run.settings.loop.room(COST.link * LOOKED_AT)
      const page = await this.#ask({ cut: true, afterId, limit: LOOKED_AT })
      yield* page
      const last = page.at(-1)
      if (last === undefined || page.length < LOOKED_AT) return
      afterId = last.id
    }
  }

  /** Some of those that wait for one budget, behind `afterId`; `hostKey`: of one host. `next`: behind what to look next; 0 once there are no more. */
  async some(
    budget: LinkBudget,
    { afterId, hostKey }: { readonly afterId: number; readonly hostKey: string | undefined },
  ): Promise<{ readonly pages: readonly RequestRecord[]; readonly next: number }> {
    const pages = await this.#ask({
      cut: budget,
      ...(hostKey !== undefined && { hostKey }),
      afterId,
      limit: LOOKED_AT,
    })
    return { pages, next: pages.length < LOOKED_AT ? 0 : (pages.at(-1)?.id ?? 0) }
  }

  /** Has those of `pages` wait again that are wanted; whether there were any. */
  async readAgain(pages: Iterable<RequestRecord> | AsyncIterable<RequestRecord>, wanted: Wanted): Promise<boolean> {
    const found = await this.#readable(pages, wanted)
    await this.#reopen(found)
    return found.length > 0
  }

  /** Those whose budget allows more. */
  async #readable(
    pages: Iterable<RequestRecord> | AsyncIterable<RequestRecord>,
    { atOnce, most, troubles, isGrown }: Wanted,
  ): Promise<readonly RequestRecord[]> {
    const hosts = new Map<string, AtRest | undefined>()
    const taken = new Map<string, number>()
    const found: RequestRecord[] = []
    const now = this.#run.settings.clock.now()
    for await (const page of pages) {
      const { id, hostKey, url, cut } = page
      if (page.quarantined) this.#run.tally.problem(quarantinedInWords(page))
      if (isLeftAlone(page, now)) continue
      if (!this.#rereads.mayRead(id, troubles, now) || (!isGrown && this.#rereads.rests(id))) continue
      if (hosts.size >= MAX_HOSTS && !hosts.has(hostKey)) hosts.clear()
      if (!hosts.has(hostKey)) hosts.set(hostKey, await this.#atRest(hostKey))
      const host = hosts.get(hostKey)
      if (host === undefined || cut === undefined || this.#traps.closes(host, url)) continue
      const key = budgetKey(hostKey, cut.budget)
      const before = taken.get(key) ?? 0
      if (before >= Math.min(atOnce, this.#leftOf(cut.budget, host))) continue
      taken.set(key, before + 1)
      if (found.push(page) >= most) break
    }
    return found
  }

  /** Of several budgets one may allow more: nobody knows which. */
  #leftOf(budget: LinkBudget, { key, gave }: AtRest): number {
    return budget.kind === 'several' ? Infinity : this.#traps.leftOf(budget, key, gave)
  }

  /** Undefined of a host that was given up. */
  async #atRest(hostKey: string): Promise<AtRest | undefined> {
    const { calls, settings } = this.#run
    const host = await calls.make('budgets', () => settings.frontier.reader.host(hostKey))
    if (host === undefined || host.retiredFor !== undefined) return undefined
    return { key: hostKey, gains: new HostGains(host.memory[GAINS_PART]), gave: givenAtRest(host) }
  }

  /** All of a host in one transaction. */
  async #reopen(pages: readonly RequestRecord[]): Promise<void> {
    const { calls, settings } = this.#run
    for (const { hostKey, was, some } of byHost(pages)) {
      // Known before it can be handed out.
      const now = this.#run.settings.clock.now()
      for (const { id, cut } of some) if (cut !== undefined) this.#rereads.began(budgetKey(hostKey, cut.budget), id, now)
      const ids = some.map(({ id }) => id)
      const count = await calls.make('pages that wait', () => settings.frontier.reopen({ cut: true, ids, limit: ids.length }))
      this.#window.reopened(hostKey, count, was)
    }
  }

  #ask(query: RequestQuery): Promise<readonly RequestRecord[]> {
    const { calls, settings } = this.#run
    return calls.make('pages that wait', () => settings.frontier.reader.requests(query))
  }
}

/** Those of one host together that are settled as the same. */
function byHost(
  pages: readonly RequestRecord[],
): Iterable<{ readonly hostKey: string; readonly was: SettledState; readonly some: readonly RequestRecord[] }> {
  const groups = new Map<string, { hostKey: string; was: SettledState; some: RequestRecord[] }>()
  for (const page of pages) {
    const { hostKey, state } = page
    if (state === 'waiting') continue
    const key = `${state} ${hostKey}`
    const group = groups.get(key) ?? { hostKey, was: state, some: [] }
    groups.set(key, group)
    group.some.push(page)
  }
  return groups.values()
}

/** What a budget is remembered by in RAM: each host has new URLs of its own; new hosts are of a site, from any host that links to them. */
export function budgetKey(hostKey: string, budget: LinkBudget): string {
  if (budget.kind === 'new-urls') return `${budget.kind} ${hostKey}`
  return budget.kind === 'new-hosts' ? `${budget.kind} ${budget.site}` : budget.kind
}

function givenAtRest({ memory }: HostRecord): Given {
  const nothing = { pages: 0, items: 0, added: 0 }
  if (memory['core'] === undefined) return nothing
  const [, core] = storedJson(memory['core'], 'the memory of a host') as [number, CoreHostMemory]
  return core.gave ?? nothing
}

/** Whether it comes when it is due, is believed to be gone, or killed its process. */
function isLeftAlone(page: RequestRecord, now: number): boolean {
  const { notBefore = Infinity } = page
  if (page.state === 'done') return (page.quarantined ?? false) || notBefore <= now
  return page.notBefore !== undefined || page.reason === 'poison' || wasGone(page)
}

/** Of one that killed its process when it was read again: it would do so in every run that is started anew. */
function quarantinedInWords({ url, cut }: RequestRecord): string {
  return `${url} is not requested again for links beyond a budget in this run, because the process died three times while working on it; up to ${cut?.left ?? 0} links of it still wait for a later run`
}

/** Pages that are listed. */
export const MAX_WAITING_PAGES = 100

/**
 * Pages of which links wait until their host has earned more URLs, or a site more hosts: those found first, at most 100.
 *
 * @example
 * ```ts
 * const reader = memoryFrontier().reader
 * await waitingLinksOf(reader) // []
 * ```
 */
export async function waitingLinksOf(reader: FrontierReader): Promise<readonly WaitingLinks[]> {
  const pages = await reader.requests({ cut: true, limit: MAX_WAITING_PAGES })
  return pages.flatMap(({ url, cut }) => (cut === undefined ? [] : [{ url, links: cut.left, budget: cut.budget }]))
}
