// More requests of hosts that are held: those that are asked for while another call is under way are one call. On a server that is far, or busy, a call for
// each host would be what a crawl of few pages a host waits for.
//
// They go beside commits and leases, one call after the other: what is written meanwhile is seen or not, and core, which hears of it from the commit, asks
// again. What is handed out is not handed out again: it goes with the call, and one host is in a call once.
import { numbersText } from './connection/storable-text.ts'
import type { LeasedHost } from './held-host.ts'
import type { LeasedRow } from './leased-of.ts'
import type { Leased, LeaseToken } from '@avocet/core/store'
import type { ServerStore } from './store.ts'

/** Hosts of a call. What they have handed out goes with it, and each row is compared with all of that. */
const MOST_HOSTS = 16

/** What a host gets. */
export interface Refilled {
  readonly requests: readonly Leased[]
  readonly nextDelayedAt?: number
}

/** What is asked for. */
export interface RefillWant {
  readonly token: LeaseToken
  readonly n: number
  readonly now: number
  readonly putBack: readonly number[]
}

interface Asked extends RefillWant {
  readonly resolve: (refilled: Refilled) => void
  readonly reject: (thrown: unknown) => void
}

/** What the leases of a store do for it. */
export interface RefillHands {
  held(token: LeaseToken): LeasedHost | undefined
  handOut(held: LeasedHost, rows: readonly LeasedRow[]): Promise<readonly Leased[]>
}

type Answer = readonly [
  hosts: readonly number[],
  requests: readonly LeasedRow[] | null,
  nextDelayedAt: readonly (number | null)[],
]

/** Refills of one store. */
export class Refills {
  readonly #store: ServerStore
  readonly #hands: RefillHands
  #asked: readonly Asked[] = []
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: ServerStore, hands: RefillHands) {
    this.#store = store
    this.#hands = hands
  }

  ask(want: RefillWant): Promise<Refilled> {
    const { promise, resolve, reject } = Promise.withResolvers<Refilled>()
    this.#asked = [...this.#asked, { ...want, resolve, reject }]
    if (this.#asked.length === 1) this.#last = this.#last.then(() => this.#answerAll())
    return promise
  }

  /** All that was asked for until now is answered. */
  async settled(): Promise<void> {
    await this.#last
  }

  async #answerAll(): Promise<void> {
    while (this.#asked.length > 0) {
      const asked = this.#next()
      await this.#answer(asked).catch((thrown: unknown) => {
        for (const { reject } of asked) reject(thrown)
      })
    }
  }

  /** The first that waits, and others that want the same of other hosts. */
  #next(): readonly Asked[] {
    const next = new Map<string, Asked>()
    for (const asked of this.#asked)
      if (next.size < MOST_HOSTS && asked.n === this.#asked[0]?.n && !next.has(asked.token.hostKey))
        next.set(asked.token.hostKey, asked)
    this.#asked = this.#asked.filter((asked) => next.get(asked.token.hostKey) !== asked)
    return [...next.values()]
  }

  async #answer(asked: readonly Asked[]): Promise<void> {
    const wants = asked.map((want) => ({ want, host: this.#hands.held(want.token) }))
    for (const { want, host } of wants) for (const id of want.putBack) host?.out.delete(id)
    const hosts = wants.flatMap(({ host }) => host ?? [])
    const now = Math.floor(Math.max(...asked.map((want) => want.now)))
    const isSame = this.#store.since()
    const [ids, rows, delayed] = await this.#found(hosts, { n: asked[0]?.n ?? 0, now })
    const byHost = Map.groupBy(rows ?? [], ([host]) => host)
    for (const { want, host } of wants) {
      const place = host === undefined ? -1 : ids.indexOf(host.id)
      const requests = host === undefined || place < 0 ? [] : await this.#hands.handOut(host, byHost.get(host.id) ?? [])
      // Their handlers are named by numbers of the store in which this process was signed in: it has none of these hosts now.
      if (!isSame()) {
        want.resolve({ requests: [] })
        continue
      }
      const nextDelayedAt = delayed[place] ?? null
      want.resolve({ requests, ...(nextDelayedAt !== null && { nextDelayedAt }) })
    }
  }

  async #found(hosts: readonly LeasedHost[], { n, now }: { readonly n: number; readonly now: number }): Promise<Answer> {
    if (hosts.length === 0) return [[], null, []]
    const { connections, me } = this.#store
    const columns = [
      numbersText(hosts.map(({ id }) => id)),
      numbersText(hosts.map(({ epoch }) => epoch)),
      ...[n, now],
      numbersText(hosts.flatMap(({ out }) => [...out.keys()])),
    ]
    return (await connections.call<Answer | null>('refill', [me[0], ...columns])) ?? [[], null, []]
  }
}
