// What pauses a crawl from the command line: a key, or standard output that is slow. It continues when neither does any more.
import type { Crawl } from '@avocet/core'

/** Each with its own reason, so that one does not end the pause of another. */
export class Pauses {
  readonly #crawl: Pick<Crawl, 'pause' | 'resume'>
  readonly #reasons = new Map<'key' | 'output', string>()

  constructor(crawl: Pick<Crawl, 'pause' | 'resume'>) {
    this.#crawl = crawl
  }

  pause(by: 'key' | 'output', why: string): void {
    this.#reasons.set(by, why)
    this.#tell()
  }

  resume(by: 'key' | 'output'): void {
    if (this.#reasons.delete(by)) this.#tell()
  }

  /** The key that pauses also goes on. */
  toggle(by: 'key', why: string): void {
    if (this.#reasons.has(by)) this.resume(by)
    else this.pause(by, why)
  }

  #tell(): void {
    const [why] = this.#reasons.values()
    if (why === undefined) this.#crawl.resume()
    else this.#crawl.pause(why)
  }
}
