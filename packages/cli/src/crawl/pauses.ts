// What pauses a crawl from the command line: a key, or standard output that is slow. It continues when neither does any more.
import type { Crawl } from '@avocet/core'
import type { PausedBy } from '@avocet/core/tools'
import { orderHolds, PAUSED_BY_KEY } from '../view/phase-words.ts'

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

  /**
   * Somebody pressed the key that pauses, which also resumes. An order in the store is not its to end, and a pause under it would be seen by nobody: `say`
   * tells what ends it, and for who reads the log later that the key was pressed. `pausedBy`: of the crawl, as it is now.
   */
  pressed(pausedBy: PausedBy | undefined, say: (line: string) => void): void {
    if (this.#reasons.has('key')) {
      this.resume('key')
      say('resumed by a key')
    } else if (pausedBy === 'operator') say(orderHolds())
    else {
      this.pause('key', PAUSED_BY_KEY)
      say(`paused ${PAUSED_BY_KEY}`)
    }
  }

  #tell(): void {
    const [why] = this.#reasons.values()
    if (why === undefined) this.#crawl.resume()
    else this.#crawl.pause(why)
  }
}
