// The pages of `--max-pages` that the supervisor has granted to this process.
import type { PageGrant, PagesOfRun } from '@avocet/core/store'
import type { FromWorker } from './process-messages.ts'

/** Messages to the supervisor. */
type PageMessage = Extract<FromWorker, { readonly kind: 'short-of-pages' | 'gave-back' }>

/** The grant of one process. */
export class GrantedPages implements PageGrant {
  readonly #send: (message: PageMessage) => void
  #pages: number
  #isSpent = false
  #isAsking = false
  #run: PagesOfRun | undefined

  constructor(pages: number, send: (message: PageMessage) => void) {
    this.#pages = pages
    this.#send = send
  }

  get pages(): number {
    return this.#pages
  }

  get isSpent(): boolean {
    return this.#isSpent
  }

  /** Pages that the run has handled. */
  get handled(): number {
    return this.#run?.handled() ?? 0
  }

  begin(run: PagesOfRun): void {
    this.#run = run
  }

  runShort(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    this.#send({ kind: 'short-of-pages', handled: this.handled })
  }

  /** The supervisor grants more. */
  granted(pages: number): void {
    this.#pages += pages
    this.#isAsking = false
    this.#run?.changed()
  }

  /** Gives back the pages that are not in use. */
  giveBack(): void {
    const unused = Math.max(0, this.#pages - (this.#run?.inUse() ?? 0))
    this.#pages -= unused
    this.#send({ kind: 'gave-back', pages: unused, handled: this.handled })
  }

  /** All pages of the crawl are handled. */
  spend(): void {
    this.#isSpent = true
    this.#run?.changed()
  }
}
