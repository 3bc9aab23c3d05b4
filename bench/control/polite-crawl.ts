// One crawl of a model on virtual time, with the policies in question, cut off after a while; and what its hosts felt of it.
import { crawl, memoryFrontier, spider, type Plugin } from 'avocet'
import type { Clock, Fetcher } from '@avocet/core/store'
import { simulatedWeb, VirtualClock, type Felt, type SiteModel } from '@avocet/simulator'
import { seeded } from './seeded.ts'

/** What a crawl was like. */
export interface Crawled {
  readonly elapsedMs: number
  felt(host: string): Felt
  /** Exchanges, and those of them that were falsely given up, in the last quarter of `forMs`. */
  readonly late: { readonly attempts: number; readonly falseTimeouts: number }
}

/** How it is run. */
export interface PoliteCrawl {
  readonly seed: number
  readonly forMs: number
  /** Connections take up to so long to open: much is booked and not yet written. Default: the millisecond of the simulated web. */
  readonly openMs?: number
  /** Wait for the first byte, at most. Default: core's. */
  readonly firstByteMs?: number
  readonly plugins: readonly Plugin[]
}

/** Runs it. */
export async function politeCrawl(model: SiteModel, options: PoliteCrawl): Promise<Crawled> {
  const { seed, forMs, openMs = 0, firstByteMs, plugins } = options
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const chance = seeded(seed)
  const run = crawl({
    policies: [],
    spider: followingLinks(model.seeds()),
    plugins,
    clock,
    fetcher: openMs === 0 ? web : slowToOpen(web, clock, () => openMs * chance()),
    frontier: memoryFrontier(),
    randomSeed: `seed ${seed}`,
    patienceMs: forMs,
    ...(firstByteMs !== undefined && { timeLimits: { firstByteMs } }),
  })
  const startedAt = clock.now()
  const sums = (): { attempts: number; falseTimeouts: number } => ({
    attempts: total(model, web.felt, ({ attempts }) => attempts),
    falseTimeouts: total(model, web.felt, ({ falseTimeouts }) => falseTimeouts),
  })
  // A crawl that ends before has no last quarter.
  let before: ReturnType<typeof sums> | undefined
  using _quarter = clock.at(startedAt + (3 * forMs) / 4, () => (before = sums()))
  using _end = clock.at(startedAt + forMs, () => run.abort())
  await clock.run(() => run.run())
  const after = sums()
  const { attempts, falseTimeouts } = before ?? after
  return {
    elapsedMs: clock.now() - startedAt,
    felt: web.felt,
    late: { attempts: after.attempts - attempts, falseTimeouts: after.falseTimeouts - falseTimeouts },
  }
}

function followingLinks(seeds: readonly string[]): ReturnType<typeof spider> {
  return spider({
    name: 'control',
    seeds,
    handlers: {
      *start(page) {
        if (page.isHtml) yield* page.links()
      },
    },
  })
}

/** A figure over all hosts of `model`. */
export function total(model: SiteModel, felt: (host: string) => Felt, of: (felt: Felt) => number): number {
  return model.hosts.reduce((sum, { name }) => sum + of(felt(name)), 0)
}

/** The same web behind connections that take a while: until one is open, nothing is written, and an abort leaves no trace. */
function slowToOpen(web: Fetcher, clock: Clock, openMs: () => number): Fetcher {
  return {
    fetch(outbound, receiver) {
      let abort: () => void = () => undefined
      const opened = clock.at(clock.now() + openMs(), () => (abort = web.fetch(outbound, receiver)))
      return () => {
        opened[Symbol.dispose]()
        abort()
      }
    },
    close: () => web.close(),
  }
}
