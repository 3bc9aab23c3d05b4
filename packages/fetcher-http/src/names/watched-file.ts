// A small file of the system that may change while a crawl runs for weeks. Who asks never waits for it.
//
// It is read once when it is first needed. After that a look at its times, every five seconds at most and beside the work, says whether to read
// it again; until the new content is there the old one is used. Rejected: fs.watch, which misses files that are replaced, as editors do.
import type { Clock } from '@avocet/core/store'
import { readFileSync, statSync, type Stats } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

const LOOK_EVERY_MS = 5_000
/** Lists against advertising have some megabytes; what is larger is not read. */
const MAX_BYTES = 16 * 2 ** 20

/** The content of a file, as `parse` reads it. A file that is not there, or cannot be read, is empty. */
export class WatchedFile<Content> {
  readonly #path: string
  readonly #clock: Clock
  readonly #parse: (text: string) => Content
  #content: Content | undefined
  #seen = ''
  #lookedAt = -Infinity
  #looking = false

  constructor(path: string, clock: Clock, parse: (text: string) => Content) {
    this.#path = path
    this.#clock = clock
    this.#parse = parse
  }

  /** What it says, at most five seconds and one read old. */
  get content(): Content {
    const now = this.#clock.monotonic()
    if (this.#content === undefined) {
      this.#lookedAt = now
      return (this.#content = this.#parse(this.#first()))
    }
    if (!this.#looking && now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now
      void this.#look()
    }
    return this.#content
  }

  #first(): string {
    try {
      const stats = statSync(this.#path)
      this.#seen = stampOf(stats)
      return stats.size > MAX_BYTES ? '' : readFileSync(this.#path, 'utf8')
    } catch {
      return ''
    }
  }

  async #look(): Promise<void> {
    this.#looking = true
    try {
      const stats = await stat(this.#path)
      if (stampOf(stats) === this.#seen) return
      const text = stats.size > MAX_BYTES ? '' : await readFile(this.#path, 'utf8')
      this.#seen = stampOf(stats)
      this.#content = this.#parse(text)
    } catch {
      if (this.#seen !== '') this.#content = this.#parse('')
      this.#seen = ''
    } finally {
      this.#looking = false
    }
  }
}

function stampOf({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${size} ${ino}`
}
