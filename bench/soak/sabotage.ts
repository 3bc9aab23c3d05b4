// Things broken on purpose, each as a crawler could break them: an oracle that does not turn red for one of these sees nothing.
import type { ResponseHeaders } from '@avocet/core/plugin'
import type { Clock, Fetcher, Frontier, Outcome, CommitUnit } from '@avocet/core/store'
import type { Soaking } from './soak.ts'
import { SOAK_RULES } from './soak-spider.ts'
import type { OpenStore } from './stores.ts'
import type { WeatherKind } from './trouble.ts'

/** One thing broken, and the checks that must see it, in the weather in which it shows. */
export interface Sabotage {
  readonly sabotage: NonNullable<Soaking['sabotage']>
  readonly seen: readonly string[]
  /** Default: none. */
  readonly weather?: readonly WeatherKind[]
  /** In which it shows. Default: two. */
  readonly days?: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Of eight shops behind a directory: 1 is the directory, 2 to 9 are the front pages, 10 to 17 categories, 18 to 25 products. */
const A_FRONT_PAGE = 3
const A_PRODUCT = 20

/** By what a crawler with this defect does. */
export const SABOTAGES: Readonly<Record<string, Sabotage>> = {
  'forgets the next visit of one page': {
    sabotage: { store: outcomesOf(A_PRODUCT, (outcome) => withoutAgain(outcome)) },
    seen: ['lost', 'late'],
  },
  'puts one page off by a week': {
    sabotage: { store: outcomesOf(A_PRODUCT, (outcome) => putOff(outcome, 7 * DAY_MS)) },
    seen: ['late'],
  },
  'visits products every three hours': {
    sabotage: { config: { recrawl: [{ everyMs: 3 * HOUR_MS, match: 'product' }, { everyMs: DAY_MS }] } },
    seen: ['late'],
  },
  'visits products every half hour': {
    sabotage: {
      config: {
        recrawl: [{ everyMs: HOUR_MS / 2, match: 'product' }, { everyMs: HOUR_MS, match: 'directory' }, { everyMs: DAY_MS }],
      },
    },
    seen: ['asked too often', 'served too often'],
  },
  'asks for every page twice': {
    sabotage: { net: twice },
    seen: ['asked too often', 'served too often'],
  },
  'writes items twice': {
    sabotage: { store: turnsOf((turn) => ({ ...turn, items: turn.items.flatMap((item) => [item, item]) })) },
    seen: ['items', 'books'],
  },
  'loses the items of one page': {
    sabotage: { store: turnsOf((turn) => (turn.requestId === A_PRODUCT ? { ...turn, items: [] } : turn)) },
    seen: ['items', 'books'],
  },
  'drops the links of one front page': {
    sabotage: { store: turnsOf((turn) => (turn.requestId === A_FRONT_PAGE ? { ...turn, links: [] } : turn)) },
    seen: ['late'],
  },
  'ends after half a day': {
    sabotage: { config: { maxTimeMs: DAY_MS / 2 } },
    seen: ['run'],
  },
  'does not hear Retry-After': {
    sabotage: { net: deaf },
    seen: ['asked during Retry-After', 'asked too often'],
    weather: ['closure'],
  },
  'gives up pages that are missing for an hour': {
    sabotage: {
      store: turnsOf((turn) => (turn.outcome?.kind === 'failed' ? { ...turn, outcome: withoutAgain(turn.outcome) } : turn)),
    },
    seen: ['lost', 'late'],
    weather: ['missing'],
    days: 4,
  },
  'never believes that a page is gone': {
    sabotage: { config: { recrawl: SOAK_RULES.map((rule) => ({ ...rule, keep: true })) } },
    seen: ['asked for what is gone'],
    weather: ['removal', 'move'],
    days: 3,
  },
  'remembers everything of every host': {
    sabotage: { store: turnsOf((turn) => ({ ...turn, memory: { ...turn.memory, hoard: JSON.stringify('x'.repeat(20_000)) } })) },
    seen: ['growth'],
  },
  'keeps a timer for each exchange': {
    sabotage: { net: hoarding },
    seen: ['growth'],
  },
}

/** The store with each turn changed before it is written. */
function turnsOf(change: (turn: CommitUnit) => CommitUnit): (store: OpenStore) => OpenStore {
  return (store) => ({
    ...store,
    frontier: new Proxy(store.frontier, {
      get(target, key) {
        const commit: Frontier['commit'] = (turns) => target.commit(turns.map(change))
        return key === 'commit' ? commit : (Reflect.get(target, key, target) as unknown)
      },
    }),
  })
}

/** The store with the outcomes of one request changed. */
function outcomesOf(requestId: number, change: (outcome: Outcome) => Outcome): (store: OpenStore) => OpenStore {
  return turnsOf((turn) => (turn.requestId === requestId && turn.outcome ? { ...turn, outcome: change(turn.outcome) } : turn))
}

function withoutAgain(outcome: Outcome): Outcome {
  if (outcome.kind === 'retry') return outcome
  const { again: _again, ...settled } = outcome
  return settled
}

function putOff(outcome: Outcome, ms: number): Outcome {
  if (outcome.kind === 'retry' || outcome.again === undefined) return outcome
  return { ...outcome, again: { ...outcome.again, at: outcome.again.at + ms } }
}

function twice(net: Fetcher): Fetcher {
  const nobody = { sent: () => {}, headers: () => 'discard' as const, done: () => {}, failed: () => {} }
  return {
    fetch(outbound, receiver) {
      net.fetch(outbound, nobody)
      return net.fetch(outbound, receiver)
    },
    close: () => net.close(),
  }
}

function deaf(net: Fetcher): Fetcher {
  const unheard = (headers: ResponseHeaders): ResponseHeaders => ({ ...headers, 'retry-after': '1' })
  return {
    fetch: (outbound, receiver) =>
      net.fetch(outbound, {
        ...receiver,
        sent: () => receiver.sent(),
        failed: (failed) => receiver.failed(failed),
        headers: (head) => receiver.headers({ ...head, headers: unheard(head.headers) }),
        done: (response) => receiver.done({ ...response, headers: unheard(response.headers) }),
      }),
    close: () => net.close(),
  }
}

function hoarding(net: Fetcher, clock: Clock): Fetcher {
  return {
    fetch(outbound, receiver) {
      clock.at(clock.now() + 365 * DAY_MS, () => {})
      return net.fetch(outbound, receiver)
    },
    close: () => net.close(),
  }
}
