// Which free hosts a lease takes, and in what order: the one of the best priority, then the one due longest, and so on alternately.
//
// Each of the two orders is an index, for hosts on probation and for the others, so that a lease reads what it hands out and little more, however
// many hosts there are. The index by rank has hosts that are due later too: so only some of the best ranks are searched for one that is due.
import type { Database, Statement } from '../file/driver.ts'

/** A host that is due. */
interface DueHost {
  readonly id: number
  readonly rank: number
  readonly due_at: number
}

/** What a lease wants. */
export interface DueWant {
  readonly now: number
  readonly hosts: number
  /** Of those on probation, at most. */
  readonly onProbation: number
  /** Hosts taken before: decides which of the two orders begins. */
  readonly taken: number
}

/** Ranks to ask for a host that is due. */
const MAX_RANKS = 16
/** Due hosts to count, at most. */
const MAX_COUNTED = 10_000

/** The due hosts of one connection. */
export class DueHostIndex {
  readonly #byTime: Statement<DueHost>
  readonly #nextRank: Statement<number>
  readonly #ofRank: Statement<DueHost>
  readonly #next: Statement<number>
  readonly #count: Statement<number>

  constructor(db: Database) {
    const due = 'SELECT id, rank, due_at FROM host WHERE probation = +?'
    this.#byTime = db.prepare(`${due} AND due_at <= +? ORDER BY due_at, id LIMIT ? + 0`)
    this.#nextRank = db
      .prepare<unknown[], number>('SELECT min(rank) FROM host WHERE probation = +? AND due_at IS NOT NULL AND rank > +?')
      .pluck()
    this.#ofRank = db.prepare(`${due} AND rank = +? AND due_at <= +? ORDER BY due_at, id LIMIT ? + 0`)
    this.#next = db.prepare<unknown[], number>('SELECT min(due_at) FROM host WHERE probation = +? AND due_at > +?').pluck()
    this.#count = db
      .prepare<unknown[], number>('SELECT count(*) FROM (SELECT 1 FROM host WHERE probation = +? AND due_at <= +? LIMIT ? + 0)')
      .pluck()
  }

  /** Whether any host is due; of those on probation, or of the others. */
  has(probation: 0 | 1, now: number): boolean {
    return this.#byTime.get(probation, now, 1) !== undefined
  }

  /** How many are due, or a lot. */
  count(now: number): number {
    return [0, 1].reduce((sum, probation) => sum + (this.#count.get(probation, now, MAX_COUNTED) ?? 0), 0)
  }

  /** Earliest epoch ms at which a host that is not due at `now` will be. */
  nextAfter(now: number): number | undefined {
    const next = Math.min(...[0, 1].map((probation) => this.#next.get(probation, now) ?? Infinity))
    return next === Infinity ? undefined : next
  }

  /** Ids of the hosts to lease. */
  select({ now, hosts, onProbation, taken }: DueWant): number[] {
    const classes = [
      { probation: 0, most: hosts },
      { probation: 1, most: Math.min(hosts, onProbation) },
    ] as const
    const byTime = classes.flatMap(({ probation, most }) => mark(probation, this.#byTime.all(probation, now, most)))
    const byRank = classes.flatMap(({ probation, most }) => mark(probation, this.#best(probation, now, most)))
    const lists = [byRank.sort((a, b) => a.rank - b.rank || earlier(a, b)), byTime.sort(earlier)] as const
    return alternate(lists, { hosts, onProbation, taken })
  }

  #best(probation: 0 | 1, now: number, most: number): DueHost[] {
    const best: DueHost[] = []
    let rank: number | undefined = -Infinity
    for (let looked = 0; looked < MAX_RANKS && best.length < most; looked++) {
      rank = this.#nextRank.get(probation, rank) ?? undefined
      if (rank === undefined) break
      best.push(...this.#ofRank.all(probation, rank, now, most - best.length))
    }
    return best
  }
}

interface Marked extends DueHost {
  readonly probation: 0 | 1
}

function mark(probation: 0 | 1, hosts: readonly DueHost[]): Marked[] {
  return hosts.map((host) => ({ ...host, probation }))
}

function earlier(a: DueHost, b: DueHost): number {
  return a.due_at - b.due_at || a.id - b.id
}

/** Takes from two lists alternately, each host once. */
function alternate(lists: readonly [readonly Marked[], readonly Marked[]], want: Omit<DueWant, 'now'>): number[] {
  const ids = new Set<number>()
  const cursors = [0, 0]
  let places = want.onProbation
  while (ids.size < want.hosts) {
    const list = (want.taken + ids.size) % 2
    const found = next(list) ?? next(1 - list)
    if (found === undefined) break
    ids.add(found.id)
    places -= found.probation
  }
  return [...ids]

  function next(list: number): Marked | undefined {
    const hosts = lists[list] ?? []
    for (let at = cursors[list] ?? 0; at < hosts.length; at++) {
      const host = hosts[at]
      cursors[list] = at + 1
      if (host !== undefined && !ids.has(host.id) && (host.probation === 0 || places > 0)) return host
    }
    return undefined
  }
}
