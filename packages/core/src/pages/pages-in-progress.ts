// Which pages are being worked on, told to the store in case one of them kills the process.
import { messageOf } from '../errors.ts'
import type { Run } from '../run/run.ts'

/** The pages in progress of a run. */
export class PagesInProgress {
  readonly #ids = new Set<number>()
  readonly #run: Run
  #isClosed = false

  constructor(run: Run) {
    this.#run = run
  }

  begin(id: number): void {
    this.#ids.add(id)
    this.#tellStore()
  }

  over(id: number): void {
    this.#ids.delete(id)
    this.#tellStore()
  }

  /** The store does not learn of pages any more. */
  close(): void {
    this.#isClosed = true
  }

  /** What is lost when it fails is a suspicion. */
  #tellStore(): void {
    if (this.#isClosed) return
    try {
      this.#run.settings.frontier.inProgress([...this.#ids])
    } catch (error) {
      this.#run.tally.problem(`cannot record which pages are in progress: ${messageOf(error)}`)
    }
  }
}
