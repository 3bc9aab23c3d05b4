// Texts that plugins keep beside the memory of the crawl, such as the history of its rates: written seldom, and once more when the run ends.
//
// Memory is compared with each commit and written whenever it changed, so it must be small and change seldom. A text is larger and changes all the time:
// it is asked for 10 s after it was last written, at the earliest. Each process writes its own. What was written by processes that are gone is dropped from
// the store in the transaction that first writes the same text of this process, so a text must have in it what it goes on with.
import type { CrawlInfo, LeftText } from '../ports/crawl-info.ts'
import { BLOB_PREFIX, type MemoryParts } from '../ports/frontier-reader.ts'

/** What is lost at a kill, at most. */
const EVERY_MS = 10_000
const MAX_TEXT = 512 * 1024

/** What it goes by. */
interface TextParts {
  readonly clock: { now(): number }
  readonly info: Pick<CrawlInfo, 'crawlMemories' | 'running'>
  /** A plugin is to blame. */
  pluginError(message: string): void
}

/** The texts of one run. */
export class CrawlTexts {
  readonly #parts: TextParts
  readonly #sources = new Map<string, () => string | undefined>()
  #writtenAt: number

  constructor(parts: TextParts) {
    this.#parts = parts
    this.#writtenAt = parts.clock.now()
  }

  /** What processes left under a name, and what those wrote that run. */
  left(name: string): readonly LeftText[] {
    const { crawlMemories, running = [] } = this.#parts.info
    return crawlMemories.flatMap((parts) => {
      const text = crawlTextOf(parts, name)
      return text === undefined ? [] : [{ text, isRunning: running.includes(parts) }]
    })
  }

  /** `source` is asked for the text whenever it may be written. */
  keep(name: string, source: () => string | undefined): void {
    this.#sources.set(name, source)
  }

  /** Parts of crawl memory that are to be written now. One that is not written after all is written the next time. */
  changed(isLast = false): MemoryParts {
    const now = this.#parts.clock.now()
    // A clock that was put back does not keep them from being written.
    if (!isLast && Math.abs(now - this.#writtenAt) < EVERY_MS) return {}
    this.#writtenAt = now
    const changed: Record<string, string> = {}
    for (const [name, source] of this.#sources) {
      const text = this.#asked(name, source)
      if (text !== undefined) changed[BLOB_PREFIX + name] = JSON.stringify(text)
    }
    return changed
  }

  #asked(name: string, source: () => string | undefined): string | undefined {
    try {
      const text = source()
      if (text === undefined || (typeof text === 'string' && text.length <= MAX_TEXT)) return text
      this.#parts.pluginError(
        `text ${name} of the crawl has ${String(text.length)} characters, the cap is ${MAX_TEXT}: not saved`,
      )
    } catch (error) {
      this.#parts.pluginError(`text ${name} of the crawl could not be had: ${String(error)}`)
    }
    return undefined
  }
}

/**
 * A text that a plugin kept beside the memory of the crawl (`Session.keep`), as one process left it; undefined where it left none.
 *
 * @example
 * ```ts
 * crawlTextOf({ '#history': '"1 0"' }, 'history') // '1 0'
 * ```
 */
export function crawlTextOf(parts: MemoryParts, name: string): string | undefined {
  const json = parts[BLOB_PREFIX + name]
  if (json === undefined || json === '') return undefined
  try {
    const text: unknown = JSON.parse(json)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
