// Where the seeds of a function were, in all runs: a queue yields each of them once, and a table of a million rows is read while pages of earlier runs are
// handled. Their hosts belong to the crawl from its opening on, as those of a list do, so they are in the crawl's memory, in a part of its own.
import type { CrawlInfo } from '../crawl-info.ts'
import type { MemoryParts } from '../frontier-reader.ts'
import type { Run } from '../run/run.ts'
import { originOf } from '../url/host-key.ts'

/** Name of the part of the crawl's memory. */
const PART = 'core:seeds'
const VERSION = 1
/** Written as a whole: half a megabyte. Hosts of further seeds belong to the crawl once they are read. */
const MAX_ORIGINS = 20_000

/** Origins (scheme, host and port) of a run's seeds; none where they are a list, which says all by itself. */
export class SeedOrigins {
  readonly #run: Pick<Run, 'settings' | 'calls'>
  readonly #known = new Set<string>()
  readonly #isKept: boolean

  constructor(run: Pick<Run, 'settings' | 'calls'>, { crawlMemories }: Pick<CrawlInfo, 'crawlMemories'>) {
    this.#run = run
    this.#isKept = typeof run.settings.spider.seeds === 'function'
    if (this.#isKept) for (const parts of crawlMemories) for (const origin of savedIn(parts[PART])) this.#known.add(origin)
  }

  /** A URL of each. */
  get urls(): readonly string[] {
    return [...this.#known].map((origin) => `${origin}/`)
  }

  /** Keeps those of `urls`, before anything of them is in the store. */
  async keep(urls: readonly string[]): Promise<void> {
    const { settings, calls } = this.#run
    const before = this.#known.size
    if (this.#isKept) for (const url of urls) if (this.#known.size < MAX_ORIGINS) this.#known.add(originOf(url))
    if (this.#known.size === before) return
    const text = JSON.stringify([VERSION, [...this.#known]])
    await calls.make('hosts of seeds', () => settings.frontier.note({ [PART]: text }))
  }
}

/** A URL of each origin of seeds that one process has read. */
export function seedOriginsIn(parts: MemoryParts): readonly string[] {
  return savedIn(parts[PART]).map((origin) => `${origin}/`)
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
