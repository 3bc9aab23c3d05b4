// Shops whose prices change: by themselves, and, in a world with bursts, hundreds at once. Moments are hours.
import { HOUR_MS, shopsOf } from '@avocet/stress/shops'
import { seeded } from '../control/seeded.ts'

/** A price that changes more often than every two hours is no price. */
const MOST_RATE = 0.5

/** A page, and when it changes. */
export interface WorldPage {
  readonly id: number
  readonly kind: string
  /** Changes an hour of its own. */
  readonly rate: number
  /** Ascending. */
  readonly changes: readonly number[]
  /** When a sitemap says that it changed, ascending. */
  readonly signs: readonly number[]
}

/** One shop. */
export interface WorldHost {
  readonly pages: readonly WorldPage[]
  /** Changes an hour that bursts make of each page. */
  readonly burstRate: number
}

/** What kind of a world it is. */
export interface WorldSpec {
  readonly seed: number
  readonly hosts: number
  readonly pages: number
  readonly hours: number
  /** Of the rates. */
  readonly medianHours: number
  /** Bursts a day of each host, and the share of the pages that one takes. */
  readonly bursts?: { readonly aDay: number; readonly share: number }
  readonly signs?: 'true' | 'lying'
}

/**
 * Rates spread over three powers of ten. A handler has a median of its own at each host, `medianHours` times or by 3.3; of that, pages
 * are off by a factor of 2.2.
 */
export function worldOf({ seed, hosts, pages, hours, medianHours, bursts, signs }: WorldSpec): readonly WorldHost[] {
  const chance = seeded(seed)
  return Array.from({ length: hosts }, () => {
    const kinds = ['product', 'offer', 'listing'].map((name) => ({
      name,
      median: (1 / medianHours) * Math.exp(1.2 * normal(chance)),
    }))
    const moments = bursts ? arrivals(bursts.aDay / 24, hours, chance) : []
    const list = Array.from({ length: pages }, (_, n) => {
      const kind = kinds[n % kinds.length] ?? { name: '', median: 1 }
      const rate = Math.min(MOST_RATE, kind.median * Math.exp(0.8 * normal(chance)))
      const own = arrivals(rate, hours, chance)
      const hit = moments.filter(() => chance() < (bursts?.share ?? 0)).map((at) => at + chance() / 30)
      const changes = [...own, ...hit].sort((a, b) => a - b)
      return { id: n + 1, kind: kind.name, rate, changes, signs: signsOf(changes) }
    })
    return { pages: list, burstRate: bursts ? (bursts.aDay / 24) * bursts.share : 0 }
  })

  // True ones miss every fourth change and make up some; lying ones say every two hours that it changed.
  function signsOf(changes: readonly number[]): readonly number[] {
    if (signs === undefined) return []
    if (signs === 'lying') return Array.from({ length: hours / 2 }, (_, n) => 2 * n + chance())
    return [...changes.filter(() => chance() < 0.75), ...arrivals(1 / 100, hours, chance)].sort((a, b) => a - b)
  }
}

const FROM = 1_767_225_600_000

/** The shops of `bench/watch`, which no law was made on: steps of each product, sales, stock, and nights. A rate is what a page came to. */
export function watchedShops({
  seed,
  hosts,
  pages,
  hours,
}: Pick<WorldSpec, 'seed' | 'hosts' | 'pages' | 'hours'>): readonly WorldHost[] {
  const span = { fromMs: FROM, untilMs: FROM + hours * HOUR_MS }
  const { shops } = shopsOf({ seed: `freshness ${seed}`, shops: hosts, products: pages, lists: 0, hasWeather: false, ...span })
  return [...shops.values()].map(({ lives }) => ({
    burstRate: 0,
    pages: lives.map(({ changedAt }, n) => {
      const changes: number[] = []
      for (let at = changedAt(span.untilMs); at > FROM; at = changedAt(at - 1)) changes.unshift((at - FROM) / HOUR_MS)
      return { id: n + 1, kind: 'product', rate: Math.max(0.2, changes.length) / hours, changes, signs: [] }
    }),
  }))
}

function arrivals(rate: number, hours: number, chance: () => number): number[] {
  const moments: number[] = []
  for (let at = -Math.log(1 - chance()) / rate; at < hours; at -= Math.log(1 - chance()) / rate) moments.push(at)
  return moments
}

function normal(chance: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
}
