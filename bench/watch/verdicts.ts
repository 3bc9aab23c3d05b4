// All shops of a world before the judge.
import type { Shop, Shops } from '@avocet/stress/shops'
import type { Published } from './changes-watched.ts'
import { judgeHost, type Fault, type Verdict } from './judge.ts'
import { judgedVisits, type LoggedVisits } from './visit-log.ts'

/** What is judged. */
export interface Case {
  readonly world: Shops
  readonly visits: LoggedVisits
  readonly published: Published
  /** Whether the crawl may hold what it sees of a shop at a moment. Default: never. */
  readonly mayHold?: (shop: Shop, at: number) => boolean
}

/** Verdicts by host. */
export function verdictsOn({ world, visits, published, mayHold = () => false }: Case): ReadonlyMap<string, Verdict> {
  return new Map(
    [...world.shops].map(([host, shop]) => {
      const judged = judgedVisits(world, visits, { host, mayHold: (at) => mayHold(shop, at) })
      return [host, judgeHost(host, judged, published.get(host) ?? [])] as const
    }),
  )
}

/** How many faults there are of each sort. */
export function countFaults(faults: readonly Fault[]): Record<Fault['fault'], number> {
  const count = (sort: Fault['fault']): number => faults.filter(({ fault }) => fault === sort).length
  return { false: count('false'), missed: count('missed'), doubled: count('doubled'), late: count('late') }
}
