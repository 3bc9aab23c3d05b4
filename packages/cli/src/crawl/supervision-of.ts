// A crawl with what the command adds to it: plugins of its own, pages that handlers fail on, and what is said as it begins.
import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Crawl, Plugin } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'
import type { MetricsServer } from '@avocet/metrics'
import { failedPathOf, IN_MEMORY, localPlace, storeFiles } from '@avocet/project/store'
import type { Place } from '@avocet/project/place'
import { crawl } from 'avocet'
import type { RunOutputs } from '../export/run-outputs.ts'
import type { Opening } from './tell-crawl.ts'
import { cachePathFor, type AskedCrawl } from './crawl-places.ts'
import type { PageWish } from '../ui/crawl-page.ts'
import type { CrawlStore } from './crawl-store.ts'

/** What is to be run. */
export interface Supervision extends Opening {
  /** The one of its configuration. Closed at the end. */
  readonly frontier: Frontier
  readonly outputs?: RunOutputs
  /** Where its metrics are shown. */
  readonly metrics?: MetricsServer
  /** Whether the store outlives the process. */
  readonly resumable: boolean
  /** Serve a page of it. */
  readonly ui?: PageWish & { readonly store: string }
  readonly place: Place
}

/** What it runs with. */
interface Parts {
  readonly store: CrawlStore
  readonly outputs: RunOutputs
  readonly place: Place
}

/** A crawl opens with some 15 MB. */
const LARGE_HEAP_BYTES = 64 * 2 ** 20

/**
 * The crawl as the command makes it: with its outputs, and a young generation that stays at 8 MB (bin/avocet.js), which is what the pages in flight need. V8
 * would let it grow to 16 MB, more than the caches of a core hold: 2,000 pages of 37 kB take 6 % more CPU so, 6,000 of 10 kB 4 %, 10,000 of 37 kB 1 % less, and
 * the peak is 5 to 40 MB higher. The old one may double before all of it is collected; V8 would let it grow to four times as much: half a percent of the CPU
 * of 10,000 pages less, 30 MB more, and 60 MB with 10,000 hosts.
 *
 * Flags are as bin/avocet.js set them until all is loaded: V8 takes no code from a cache that was made under others.
 */
export function madeCrawl(config: Supervision['config'], outputs: RunOutputs | undefined, { ownsProcess }: Place): Crawl {
  const run = crawl({ ...config, sinks: [...(config.sinks ?? []), ...(outputs?.sinks ?? [])] })
  if (ownsProcess)
    run.hooks.open.tap({ name: 'heap', stage: Infinity }, () => {
      // Until here functions were compiled with their module (bin/avocet.js), and what the cache has of them stays in memory, 3 MB.
      flushCompileCache()
      setFlagsFromString('--lazy --semi-space-growth-factor=1 --heap-growing-percent=100')
      // A list of a million seeds: what it took to read it goes, and the limit that V8 has set meanwhile, four times the list.
      if (process.memoryUsage().heapUsed > LARGE_HEAP_BYTES) {
        setFlagsFromString('--expose-gc --heap-growing-percent=30')
        ;(runInNewContext('gc') as () => void)()
        setFlagsFromString('--no-expose-gc')
      }
    })
  return run
}

/** What is to be run. Throws AVO_USAGE where responses are to be kept and cannot be. */
export async function supervisionOf(asked: AskedCrawl, { store, outputs, place }: Parts): Promise<Supervision> {
  const { options, planned, metrics } = asked
  const { frontier, path, title } = store
  const { config, openingLines } = planned
  const own = await keepers({ options, planned }, path, place)
  return {
    config: { ...config, plugins: [...config.plugins, ...own], frontier },
    frontier,
    outputs,
    ...(options.ui && { ui: { ...options.ui, store: path ?? IN_MEMORY } }),
    ...(metrics && { metrics }),
    logLevel: options.logLevel ?? 'info',
    resumable: title !== undefined,
    remarks: () => openingLines,
    place,
  }
}

/** What keeps responses: all of them, or pages that handlers fail on, beside the store at `path`. */
async function keepers({ options, planned }: AskedCrawl, path: string | undefined, place: Place): Promise<readonly Plugin[]> {
  const cachePath = cachePathFor(options, planned, place)
  const { cache } = planned
  if (cache !== undefined && cachePath !== undefined) return [(await storeFiles()).responseCache(cachePath, cache)]
  return path === undefined ? [] : [(await storeFiles()).failedResponses(failedPathOf(localPlace(place.folder, path)))]
}
