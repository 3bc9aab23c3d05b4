// How many of the pages of `--max-pages` each process may handle: the supervisor grants them in chunks, and takes unused ones back when another process has
// work and no pages left. So the sum is exact, and no process keeps pages that it does not use.
//
// A process reports a group of pages before and after it commits it. If the process dies, these are the pages that it has used. The rest of its grant goes to
// the others, because what it had not committed is requested again. A group that was being committed counts as used: it may or may not be in the store, and
// exceeding the maximum is worse than ending short of it.

/** Granted at once. */
const MAX_CHUNK = 64

/** Messages to processes. */
export interface PageOrders {
  /** So many more. */
  grant(process: number, pages: number): void
  /** It is to give back the pages that it does not use now. */
  takeBack(process: number): void
  /** All pages are handled. */
  spent(): void
}

interface Account {
  granted: number
  handled: number
  committed: number
  /** Those of the group that it commits now. */
  committing: number
  /** It was asked to give pages back, and has not answered. */
  isAsked: boolean
}

/** The book of one run. */
export class PageLedger {
  readonly #orders: PageOrders
  readonly #maxPages: number
  readonly #accounts = new Map<number, Account>()
  /** Processes that have work and no pages left, the one that has waited longest first. */
  readonly #short = new Set<number>()
  #free: number
  /** Pages of processes that have exited. */
  #past = 0
  #isSpent = false

  constructor(maxPages: number, orders: PageOrders) {
    this.#maxPages = maxPages
    this.#free = maxPages
    this.#orders = orders
  }

  /** A process begins. Returns how many it may handle to begin with. */
  begun(process: number): number {
    const pages = this.#chunk(this.#accounts.size + 1)
    this.#free -= pages
    this.#accounts.set(process, { granted: pages, handled: 0, committed: 0, committing: 0, isAsked: false })
    return pages
  }

  /** A process has work and no pages left. */
  short(process: number, handled: number): void {
    this.handled(process, handled)
    // A process that was started since then does not know.
    if (this.#isSpent) return this.#orders.spent()
    this.#short.add(process)
    this.serve()
  }

  /** A process has handled so many in all. */
  handled(process: number, handled: number): void {
    const account = this.#accounts.get(process)
    if (account !== undefined) account.handled = Math.max(account.handled, handled)
    this.#endIfSpent()
  }

  /** A process is about to commit a group with so many pages. */
  committing(process: number, pages: number): void {
    const account = this.#accounts.get(process)
    if (account !== undefined) account.committing = pages
  }

  /** It has committed so many of them. */
  committed(process: number, pages: number): void {
    const account = this.#accounts.get(process)
    if (account === undefined) return
    account.committing = 0
    account.committed += pages
  }

  /** A process has given back what it did not use. */
  gaveBack(process: number, pages: number): void {
    const account = this.#accounts.get(process)
    if (account === undefined) return
    account.granted -= pages
    account.isAsked = false
    this.#free += pages
    this.#hand()
  }

  /**
   * Hands out what is free, and asks for unused pages of others while that is too little. Call a few times a second: what was in flight may have failed, so
   * that its page is unused again.
   */
  serve(): void {
    this.#hand()
    if (this.#short.size === 0 || this.#isSpent) return
    for (const [process, account] of this.#accounts) {
      if (this.#short.has(process) || account.isAsked || account.granted <= account.handled) continue
      account.isAsked = true
      this.#orders.takeBack(process)
    }
  }

  /** A process has ended in good order. */
  ended(process: number, handled: number): void {
    this.handled(process, handled)
    const account = this.#accounts.get(process)
    this.#leave(process, account?.handled ?? 0)
    this.#free += (account?.granted ?? 0) - (account?.handled ?? 0)
    this.#hand()
  }

  /** A process has died. */
  died(process: number): void {
    const { granted = 0, committed = 0, committing = 0 } = this.#accounts.get(process) ?? {}
    const used = Math.min(granted, committed + committing)
    this.#leave(process, used)
    this.#free += granted - used
    // What it had handled and not committed is left for the process that replaces it: those that were told to end have ended.
    this.#isSpent = false
    this.#endIfSpent()
    this.#hand()
  }

  #leave(process: number, handled: number): void {
    this.#accounts.delete(process)
    this.#short.delete(process)
    this.#past += handled
  }

  #chunk(processes: number): number {
    return Math.min(this.#free, MAX_CHUNK, Math.max(1, Math.ceil(this.#free / (2 * processes))))
  }

  /** Hands out what is free to processes that have no pages left. */
  #hand(): void {
    for (const process of this.#short) {
      const account = this.#accounts.get(process)
      const pages = this.#chunk(Math.max(1, this.#accounts.size))
      if (pages === 0) return
      this.#short.delete(process)
      if (account === undefined) continue
      account.granted += pages
      this.#free -= pages
      this.#orders.grant(process, pages)
    }
  }

  #endIfSpent(): void {
    if (this.#isSpent) return
    const handled = [...this.#accounts.values()].reduce((sum, account) => sum + account.handled, this.#past)
    if (handled < this.#maxPages) return
    this.#isSpent = true
    this.#orders.spent()
  }
}
