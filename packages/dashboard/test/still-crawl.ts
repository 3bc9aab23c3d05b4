// A shelf with one crawl that stands still, every text of which is `text`; and a clock that is turned by hand.
import { AvocetError } from '@avocet/core'
import type { Clock } from '@avocet/core/store'
import type {
  CrawlHead,
  CrawlShelf,
  CrawlSource,
  HostLine,
  NowPicture,
  PageVisits,
  Series,
  Steering,
  SteeringAction,
  SteeringKind,
} from '@avocet/dashboard'

/** Time that goes by when it is told to. */
export class HandClock implements Clock {
  #now = 1_800_000_000_000
  #monotonic = 0
  #waits: { readonly at: number; readonly wake: () => void }[] = []

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#monotonic
  }

  /** Sets the wall clock alone. */
  set(change: number): void {
    this.#now += change
  }

  at(at: number, wake: () => void): Disposable {
    const wait = { at, wake }
    this.#waits.push(wait)
    return { [Symbol.dispose]: () => void (this.#waits = this.#waits.filter((each) => each !== wait)) }
  }

  hold(): Disposable {
    return { [Symbol.dispose]: () => undefined }
  }

  /** Waits that were not due yet. */
  get waits(): number {
    return this.#waits.length
  }

  /** Lets `ms` go by. */
  turn(ms: number): void {
    this.#now += ms
    this.#monotonic += ms
    const due = this.#waits.filter(({ at }) => at <= this.#now)
    this.#waits = this.#waits.filter(({ at }) => at > this.#now)
    for (const { wake } of due) wake()
  }
}

const OFFERS = ['pause', 'stop', 'reopen', 'drop', 'pause-host', 'forget-host', 'limit-host', 'add'] as const

/** Does nothing, and remembers what it was asked. */
export class NotedSteering implements Steering {
  readonly asked: SteeringAction[] = []
  readonly offers: readonly SteeringKind[]

  constructor(offers: readonly SteeringKind[] = [...OFFERS]) {
    this.offers = offers
  }

  async act(action: SteeringAction): Promise<string> {
    if (action.kind === 'add' && action.seeds.some(({ url }) => !url.startsWith('http')))
      throw new AvocetError('AVO_USAGE', 'expected URLs, got something else')
    this.asked.push(action)
    return `done: ${action.kind}`
  }
}

/** How many hosts it has, and what stands where the web decides. */
export interface StillWish {
  readonly text?: string
  readonly hosts?: number
  readonly steering?: Steering
  readonly clock: Clock
  /** Where it is in another state. */
  readonly head?: Partial<CrawlHead>
  readonly now?: Partial<NowPicture>
}

/** The shelf. The crawl is called `still`. */
export function stillShelf({ text = 'a text', hosts = 3, steering = new NotedSteering(), ...wish }: StillWish): CrawlShelf {
  const still = stillSource(text, hosts, wish.clock)
  const source: CrawlSource = {
    ...still,
    head: async () => ({ ...(await still.head()), ...wish.head }),
    now: async () => ({ ...(await still.now()), ...wish.now }),
  }
  const counts = { known: 10, waiting: 3, done: 6, failed: 1, items: 5, hosts }
  return {
    crawls: async () => [{ id: 'still', name: text, store: text, phase: 'running', ...counts, error: null }],
    crawl: async (id) => (id === 'still' ? { source, steering } : undefined),
  }
}

const MINUTE_MS = 60_000

function stillSource(text: string, hosts: number, clock: Clock): CrawlSource {
  const now = clock.now()
  const series: Series = {
    widthMs: MINUTE_MS,
    points: [3, 2, 1].map((ago) => ({
      at: now - ago * MINUTE_MS,
      requests: 60,
      refusals: 1,
      failures: 2,
      halfMs: 40,
      nineInTenMs: 90,
      foundRps: 1.5,
    })),
  }
  const story = [text, text]
  const page = {
    id: 1,
    url: `http://a.example/${text}`,
    state: 'failed',
    reason: text,
    attempts: 2,
    canBeDropped: !text.startsWith('dropped-'),
  }
  const counted = [{ name: text, count: 4 }]
  return {
    head: async () => ({
      name: text,
      store: text,
      phase: 'running',
      at: clock.now(),
      pausedFor: null,
      idleUntil: clock.now() + 90_000,
      trouble: null,
    }),
    now: async () => ({
      ...{ conditions: counted, inTrouble: [{ hostKey: text, state: 'broken layout', why: text }] },
      ...{
        known: 10,
        waiting: 3,
        done: 5,
        moved: 1,
        failed: 1,
        items: 5,
        rejects: 1,
        hosts,
        givenUpHosts: 1,
        seeds: null,
        processes: 1,
        startedAt: now,
      },
      live: {
        ...{
          pagesPerSecond: 2,
          averagePagesPerSecond: 3,
          restMs: 90_000,
          inFlight: 4,
          slots: 100,
          handlersRunning: 1,
          connections: 5,
        },
        ...{ liveHosts: 3, heldHosts: 1, requests: 90, refusals: 2, retried: 1, wireBytes: 10_000 },
      },
      failures: counted,
      troubles: counted,
      waits: [{ by: text, why: text, hosts: 2, until: now + 5_000 }],
      sinks: [{ name: text, written: 4, behind: 1, error: text }],
      orders: [{ at: now, words: text }],
    }),
    history: async () => ({ hour: series, day: series, week: series, whole: series }),
    hosts: async ({ search, from, count }) => {
      const all = Array.from({ length: hosts }, (_, n) => hostLine(n, text, now)).filter(({ hostKey }) =>
        hostKey.includes(search),
      )
      return { total: hosts, indexed: hosts, matching: all.length, from, rows: all.slice(from, from + count) }
    },
    host: async (hostKey) => ({
      ...{ hostKey, line: hostLine(0, text, now), retiredFor: null, probeAt: null, series, story, pages: [page] },
      holds: [{ by: text, why: text, until: null }],
      rates: { hour: series, day: series, week: series, whole: series },
      orders: { isPaused: false, maxRps: 0.5, maxInFlight: null, delayMs: null },
      known: [{ by: text, facts: text }],
    }),
    url: async (url) => ({
      ...{ url, hostKey: 'a.example', story, requests: [page], parents: [{ url: page.url, anchorText: text }] },
      visits: [pageVisits(1, text, now), pageVisits(2, text, now)],
    }),
    items: async () => ({
      count: 5,
      items: [{ seq: 1, url: page.url, json: JSON.stringify({ [text]: text }) }],
      rejectCount: 1,
      rejectGroups: [{ source: text, reason: text, count: 1 }],
      rejects: [{ id: '1', source: text, url: page.url, reason: text, json: JSON.stringify(text) }],
    }),
    failures: async () => ({
      classes: [{ name: 'exhausted', means: text, count: 3, heals: true, isDropped: false, reasons: counted, samples: [page] }],
      handlerErrors: [{ message: text, count: 2, url: page.url }],
    }),
    politeness: async (hostKey) => ({
      ...{
        title: hostKey,
        subtitle: text,
        facts: [{ name: text, value: text, note: text }],
        sentences: [['a ', { code: text }]],
      },
      tables: [{ title: 'Wishes', columns: ['wish', 'result'], rows: [{ cells: [text, text], isBad: true }] }],
      footer: text,
    }),
  }
}

/** A page whose fourth visit changed everything that can change. */
function pageVisits(requestId: number, text: string, now: number): PageVisits {
  const field = { path: text, before: text, after: `${text} 2` }
  const moment = { from: now - 2 * MINUTE_MS, to: now - MINUTE_MS }
  const changes = [
    {
      kind: 'changed',
      ordinal: 0,
      title: text,
      fields: [field, { ...field, path: 'a', before: null }, { ...field, path: 'b', after: null }],
      more: 3,
    },
    { kind: 'new', ordinal: 1, title: text, fields: [{ ...field, before: null }], more: 0 },
    { kind: 'gone', ordinal: 2, title: null, fields: [{ ...field, path: '', after: null }], more: 0 },
  ] as const
  return {
    ...{ requestId, name: text, visits: 6, hasOlder: true, stamps: [text] },
    lines: [
      { kind: 'alike', first: 4, last: 5, same: 1, barren: 1 },
      { kind: 'changed', visit: 3, moment, items: changes, moreItems: 1 },
      { kind: 'oldest', visit: 2, moment: null },
    ],
    latest: { visit: 3, items: changes.slice(1, 2), moreItems: 7 },
  }
}

function hostLine(n: number, text: string, now: number): HostLine {
  return {
    ...{
      hostKey: `host-${n}.example`,
      state: 'refusing',
      why: text,
      waiting: n,
      done: 2,
      failed: 1,
      retried: 0,
      foundRps: 2.5,
      breaker: 'open',
    },
    hold: { by: text, why: text, until: now + 60_000 },
  }
}
