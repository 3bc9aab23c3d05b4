// One contestant on one web: runs it, and tells what came of it.
import { seeded, simulatedWeb, VirtualClock, type SiteModel } from '@avocet/simulator'
import { makespanBound } from '@avocet/stress/oracle'
import type { Contestant } from './contestants.ts'
import type { Ground } from './ground.ts'
import { Observed } from './observed.ts'

/** What is measured. Ratios are of the requests sent. */
export interface Figures {
  readonly contestant: string
  readonly goodPages: number
  /** Pages of live hosts that it did not get. */
  readonly lostPages: number
  /** Share of the pages of live hosts. */
  readonly share: number
  /** Good pages until the last of them. */
  readonly goodPerMinute: number
  readonly requests: number
  readonly meanRequestSeconds: number
  readonly refusedRatio: number
  readonly timeoutRatio: number
  readonly parkedSlotSeconds: number
  readonly deadRequests: number
  readonly bannedHosts: number
  readonly lastPageSeconds: number
  /** Until the last page of a live host; null = never, for pages were lost. */
  readonly makespanSeconds: number | null
  /** Least time for all pages of live hosts with as many slots, by the oracle. */
  readonly boundSeconds: number
  readonly wallSeconds: number
}

/** On virtual time: the same figures each time. */
export function contest(contestant: Contestant, model: SiteModel): Promise<Figures> {
  const clock = new VirtualClock({ stuckAfterMs: 30_000 })
  return clock.run(() => contested(contestant, model, clock))
}

async function contested({ name, pattern, slots }: Contestant, model: SiteModel, clock: VirtualClock): Promise<Figures> {
  const wallFrom = performance.now()
  const authorityOf = (host: string): string => new URL(model.baseOf(host)).host
  const dead = new Set(model.hosts.filter(({ death }) => death !== undefined).map(({ name }) => authorityOf(name)))
  const observed = new Observed(simulatedWeb(model, { clock }), clock, dead)
  const chance = seeded(model.seed, name)
  let drawn = 0
  const ground: Ground = { clock, fetcher: observed, urls: model.seeds(), chance: () => chance(drawn++), parkedMs: 0 }
  await pattern(ground)
  const live = ground.urls.filter((url) => !dead.has(new URL(url).host))
  const goodPages = live.filter((url) => observed.good.has(url)).length
  const lastPageSeconds = observed.lastGoodMs / 1_000
  return {
    contestant: name,
    goodPages,
    lostPages: live.length - goodPages,
    share: goodPages / live.length,
    goodPerMinute: goodPages / (lastPageSeconds / 60),
    requests: observed.requests,
    meanRequestSeconds: observed.wireMs / 1_000 / observed.requests,
    refusedRatio: observed.refused / observed.requests,
    timeoutRatio: observed.timeouts / observed.requests,
    parkedSlotSeconds: ground.parkedMs / 1_000,
    deadRequests: observed.deadRequests,
    bannedHosts: observed.banned.size,
    lastPageSeconds,
    makespanSeconds: goodPages === live.length ? lastPageSeconds : null,
    boundSeconds: makespanBound(model, { slots }).ms / 1_000,
    wallSeconds: (performance.now() - wallFrom) / 1_000,
  }
}
