// Whether the file of an open store is still the one at its path.
//
// SQLite goes on with a file that was removed, moved away or replaced as if nothing had happened, and all that is committed from then on is lost with the
// process, or is where nobody looks for it. So its inode is checked: 3 µs, four times a second at most.
import { statSync } from 'node:fs'
import { AvocetError } from '@avocet/core'

/** What was seen counts for so long. */
const LOOK_MS = 250

/** Watches one path. */
export class FileWatch {
  readonly #path: string
  readonly #monotonic: () => number
  readonly #opened: string | undefined
  #lookedAt: number
  #now: string | undefined

  /** `path` as it was opened a moment ago; `:memory:` is never gone. */
  constructor(path: string, monotonic: () => number) {
    this.#path = path
    this.#monotonic = monotonic
    this.#opened = path === ':memory:' ? undefined : identityOf(path)
    this.#now = this.#opened
    this.#lookedAt = monotonic()
  }

  /** Whether it was removed, moved away or replaced. */
  get isGone(): boolean {
    if (this.#opened === undefined) return false
    const now = this.#monotonic()
    if (Math.abs(now - this.#lookedAt) >= LOOK_MS) {
      this.#lookedAt = now
      this.#now = identityOf(this.#path)
    }
    return this.#now !== this.#opened
  }

  /** Throws AVO_FRONTIER_MISSING once it is gone. */
  assertThere(): void {
    if (!this.isGone) return
    const came = this.#now === undefined ? 'nothing there: it was removed or moved away' : 'another file in its place'
    const remedy = 'if it was moved, move it back with its companions (-wal); else crawl anew'
    throw new AvocetError('AVO_FRONTIER_MISSING', `${this.#path}: expected the store that was opened, got ${came}; ${remedy}`)
  }
}

/** What no other file has while this one exists. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
