// `--max-pages` over several processes: each tells what it has committed, hears what is left for all, and has no more in progress than its share of that.
//
// A share is of what is left now, never of the whole: a process that holds all hosts is told of a new one after each commit, and crawls on until nothing is
// left. It is one page at least, so that what is left is crawled by whoever has a host. What is exceeded is of pages that others had in progress as a share
// was worked out, so it is less than `concurrency`, and few where few are left; and what a process had committed and not told as it died.
import type { Crawl } from '@avocet/core'
import type { CommitUnit, Frontier } from '@avocet/core/store'
import type { FromWorker } from './process-messages.ts'

/** The pages of one process. */
interface Parts {
  readonly processes: number
  /** Of all. */
  readonly left: number
  readonly send: (message: FromWorker) => void
}

/** What one process may still crawl. */
export class SharedPages {
  readonly #parts: Parts
  #left: number
  #committed = 0
  #run: Pick<Crawl, 'limitPages'> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#left = parts.left
  }

  /** The store of the run, of which the commits are told. */
  told(frontier: Frontier): Frontier {
    return {
      ...frontier,
      commit: async (units) => {
        const results = await frontier.commit(units)
        const done = units.filter(({ outcome }, n) => results[n]?.status === 'committed' && wasHandled(outcome))
        if (done.length > 0) this.#add(done.length)
        return results
      },
    }
  }

  begin(run: Pick<Crawl, 'limitPages'>): void {
    this.#run = run
    this.left(this.#left)
  }

  /** So many are left for all. */
  left(pages: number): void {
    this.#left = pages
    const share = Math.max(1, Math.ceil(pages / this.#parts.processes))
    this.#run?.limitPages(pages > 0 ? this.#committed + share : 0)
  }

  #add(pages: number): void {
    this.#committed += pages
    this.left(this.#left - pages)
    this.#parts.send({ kind: 'committed', pages })
  }
}

/** Also where the handler failed on it. */
function wasHandled(outcome: CommitUnit['outcome']): boolean {
  return outcome?.kind === 'done' || (outcome?.kind === 'failed' && outcome.failure?.phase === 'handler')
}
