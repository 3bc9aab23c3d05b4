// A process that crawls as fast as the store goes: groups of turns, each of another host, with the links, the item and the memory of a usual page.
//
// Of a page: two links that are not known here, of which one is new to the store, seven in eight at the page's own host; one item; 1.5 KB of memory. A visit of a host is 16 pages: as many
// hosts as a group has pages are leased in one call, with 16 requests each, and given back in one call. Nothing is fetched.
import { postgresFrontier, type PostgresFrontier } from '@avocet/plugin-postgres'
import type { CommitUnit, HostLease, Leased } from '@avocet/core/store'
import { EVENLY, range } from '../frontier-urls.ts'

/** Pages of a visit. */
const VISIT = 16
const LINKS_PER_FOREIGN_ONE = 8
const SPEC = { name: 'bench', hostKeying: 'host' }
const TEXT = 'Some words that describe it, as one finds them on a page of a shop or a library.'
const ITEM = JSON.stringify({ title: 'A title of some words', author: 'Somebody', price: 12.5, text: TEXT })

/** Where the numbers of URLs come from, of all processes together. */
export interface UrlNumbers {
  /** So many were there at first. Each process meets them all before it meets one twice. */
  readonly seeded: number
  /** The next that is new. */
  fresh: number
}

/** Opens the store at `url` as a process of its own. */
export async function openedFrontier(url: string): Promise<PostgresFrontier> {
  const frontier = postgresFrontier(url)
  await frontier.open(SPEC, Date.now())
  return frontier
}

/** The groups of one process. */
export class PageTurns {
  readonly #frontier: PostgresFrontier
  readonly #size: number
  readonly #numbers: UrlNumbers
  /** The next that the store knows, and this process has not met. */
  #known: number

  /** `from`: the first URL that is met, in parts of one of all that were seeded. */
  constructor(frontier: PostgresFrontier, size: number, numbers: UrlNumbers, from = 0) {
    this.#frontier = frontier
    this.#size = size
    this.#numbers = numbers
    this.#known = Math.floor(from * numbers.seeded)
  }

  /** Leases hosts for a visit, commits its pages in 16 groups, and gives the hosts back. `committing` is told when the first begins and when the last has ended. */
  async visit(committing: (isOver: boolean) => void = () => undefined): Promise<void> {
    const leases = await this.#leased()
    committing(false)
    for (let page = 0; page < VISIT; page++) await this.#commit(leases, page)
    committing(true)
    const rest = { readyAt: Date.now(), memory: {} }
    await this.#frontier.release(leases.map((lease) => ({ lease, rest })))
  }

  async #leased(): Promise<readonly HostLease[]> {
    // A host that another process has locked at this moment is left out: the rest is asked for again.
    const leases: HostLease[] = []
    for (let tries = 0; tries < 100 && leases.length < this.#size; tries++) {
      const want = { now: Date.now(), hosts: this.#size - leases.length, requestsPerHost: VISIT }
      leases.push(...(await this.#frontier.lease(want)).leases)
    }
    const full = leases.filter(({ requests }) => requests.length === VISIT).length
    if (full === this.#size) return leases
    throw new Error(`expected ${String(this.#size)} hosts with ${String(VISIT)} requests each, got ${String(full)}`)
  }

  async #commit(leases: readonly HostLease[], page: number): Promise<void> {
    const results = await this.#frontier.commit(leases.flatMap((lease) => this.#turnOf(lease, lease.requests[page])))
    const bad = results.find(({ status, added }) => status !== 'committed' || added !== 1)
    if (bad !== undefined) throw new Error(`expected every page to be committed with one new link, got ${JSON.stringify(bad)}`)
  }

  #turnOf(lease: HostLease, request: Leased | undefined): CommitUnit[] {
    if (request === undefined) return []
    const fresh = this.#numbers.fresh++
    const own = Number(/\d+/.exec(lease.hostKey)?.[0])
    const links = [
      ...range(this.#known++ % this.#numbers.seeded, 1, EVENLY),
      ...range(fresh, 1, (run) => (fresh % LINKS_PER_FOREIGN_ONE === 0 ? EVENLY(run) : own)),
    ]
    return [
      {
        lease,
        requestId: request.id,
        outcome: { kind: 'done', fetched: { at: Date.now(), status: 200, durationMs: 180, wireBytes: 37_000 } },
        links: links.map((link) => ({ ...link, parentId: request.id, anchorText: 'Read more about this', depth: 1 })),
        items: [{ json: ITEM }],
        memory: { core: memoryAfter(request.id) },
      },
    ]
  }
}

/** 1.5 KB whose numbers all change from page to page, as moments and rates do. */
function memoryAfter(id: number): string {
  const fields = Array.from({ length: 64 }, (_, n) => [`of${String(n).padStart(2, '0')}`, 1e12 + id * 7_919 + n] as const)
  return JSON.stringify(Object.fromEntries(fields))
}
