// The crawl of the limits bench: list pages without end, and when the clock of the world begins.
import { crawl, memoryFrontier, spider, type Crawl, type Plugin } from 'avocet'
import type { Clock, Fetcher } from '@avocet/core/store'
import type { LimitedHost } from './worlds.ts'

/** What differs between real sockets and virtual time. */
export interface Ground {
  readonly clock?: Clock
  readonly fetcher?: Fetcher
  /** Origin of a host. */
  baseOf(host: LimitedHost): string
}

/** A crawl that was made and not run. */
export interface LimitsCrawl {
  readonly run: Crawl
  /** Resolves at the first request: the clock of the world begins then, not with the reading of a hundred thousand seeds. */
  readonly begun: Promise<void>
  /** Pages given up so far. */
  givenUp(): number
}

const SLOTS = 200

/** Makes it. */
export function limitsCrawl(
  world: { readonly hosts: readonly LimitedHost[]; readonly seconds: number },
  plugins: readonly Plugin[],
  ground: Ground,
): LimitsCrawl {
  const { baseOf, ...ports } = ground
  const run = crawl({
    policies: [],
    spider: spider({ name: 'limits', seeds: () => pages(world.hosts, world.seconds, baseOf), handlers: { *start() {} } }),
    plugins,
    frontier: memoryFrontier(),
    concurrency: SLOTS,
    allowPrivate: true,
    randomSeed: 'limits',
    ...ports,
  })
  let givenUp = 0
  run.hooks.onSettled.tap('limits', ({ outcome }) => void (givenUp += outcome.kind === 'failed' ? 1 : 0))
  const begun = Promise.withResolvers<void>()
  run.hooks.onAdmit.tap('limits', () => begun.resolve())
  return { run, begun: begun.promise, givenUp: () => givenUp }
}

/** How many pages a host has: twice as many as it can give in the time. */
export function pagesOf({ rps, burst }: LimitedHost, seconds: number): number {
  return Math.ceil(2 * (rps * seconds + burst))
}

/** Pages of all hosts, mixed in proportion. */
function* pages(hosts: readonly LimitedHost[], seconds: number, baseOf: Ground['baseOf']): Generator<string> {
  const ROUNDS = 200
  for (let round = 0; round < ROUNDS; round++) {
    for (const host of hosts) {
      const total = pagesOf(host, seconds)
      const to = Math.floor((total * (round + 1)) / ROUNDS)
      for (let n = Math.floor((total * round) / ROUNDS); n < to; n++) yield `${baseOf(host)}/item/${String(n + 1)}`
    }
  }
}
