// Where the seeds of a function were, in all runs, and those that operators added.
//
// A queue yields each seed once, and a table of a million rows is read while pages of earlier runs are handled. Their hosts belong to the crawl from its
// opening on, as those of a list do, so they are in the crawl's memory, in parts of their own: once seeds are a list, it says all by itself beside those that
// were added.
import type { CrawlInfo } from '../ports/crawl-info.ts'
import type { MemoryParts } from '../ports/frontier-reader.ts'
import type { Run } from '../run/run.ts'
import type { Settings } from '../run/settings.ts'
import { originOf } from '../url/host-key.ts'

/** Names of the parts of the crawl's memory: of seeds that a function yielded, and of those that operators added. */
export type SeedPart = 'core:seeds' | 'core:added'
const VERSION = 1
/** Written as a whole: half a megabyte. Hosts of further seeds belong to the crawl once they are read. */
const MAX_ORIGINS = 20_000

/** Origins (scheme, host and port) of seeds. */
export class SeedOrigins {
  readonly #run: Pick<Run, 'settings' | 'calls'>
  readonly #known: ReadonlyMap<SeedPart, Set<string>>

  constructor(run: Pick<Run, 'settings' | 'calls'>, { crawlMemories }: Pick<CrawlInfo, 'crawlMemories'>) {
    this.#run = run
    const known = (part: SeedPart): Set<string> => new Set(crawlMemories.flatMap((parts) => savedIn(parts[part])))
    this.#known = new Map(seedParts(run.settings).map((part) => [part, known(part)]))
  }

  /** A URL of each. */
  get urls(): readonly string[] {
    return [...this.#known.values()].flatMap((origins) => [...origins].map((origin) => `${origin}/`))
  }

  /** Keeps those of `urls`, before anything of them is in the store. */
  async keep(urls: readonly string[], part: SeedPart): Promise<void> {
    const { settings, calls } = this.#run
    const known = this.#known.get(part)
    const before = known?.size
    for (const url of urls) if (known !== undefined && known.size < MAX_ORIGINS) known.add(originOf(url))
    if (known?.size === before) return
    const text = JSON.stringify([VERSION, [...(known ?? [])]])
    await calls.make('hosts of seeds', () => settings.frontier.note({ [part]: text }))
  }
}

/** Those that count in this run. */
function seedParts({ spider }: Pick<Settings, 'spider'>): readonly SeedPart[] {
  return typeof spider.seeds === 'function' ? ['core:added', 'core:seeds'] : ['core:added']
}

/** A URL of each origin of seeds that one process has read. */
export function seedOriginsIn(parts: MemoryParts, settings: Pick<Settings, 'spider'>): readonly string[] {
  return seedParts(settings).flatMap((part) => savedIn(parts[part]).map((origin) => `${origin}/`))
}

function savedIn(text: string | undefined): readonly string[] {
  try {
    const [version, origins] = JSON.parse(text ?? '[0]') as [number, (readonly unknown[])?]
    if (version !== VERSION || !Array.isArray(origins)) return []
    return origins.filter((origin): origin is string => typeof origin === 'string' && URL.canParse(origin))
  } catch {
    return []
  }
}
