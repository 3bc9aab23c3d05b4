// Pages that came back logged out, and whether they or their session are to blame: a page that is out again after new logins, while its session had pages.
//
// Once is no evidence: any page can be the first after a session ended. So a return counts only if something changed since the last one: a login was made, or
// another page of the session was there. In RAM: a new run counts anew, and asks each such page a few times more.

/** Pages that are remembered. */
const MOST = 1_000

/** The session when the page came back. */
interface Moment {
  /** Epoch ms of its login. */
  readonly since: number
  /** Pages of it that were not logged out. */
  readonly good: number
}

/** What is known of a page. */
interface Returned {
  /** So often it has come back, each time after something had changed. */
  readonly count: number
  /** Nothing had changed. */
  readonly isRepeat: boolean
}

/** Counts them. */
export class ReturnedPages {
  readonly #pages = new Map<number, Moment & { readonly count: number }>()

  /** The request `id` came back. */
  again(id: number, { since, good }: Moment): Returned {
    const before = this.#pages.get(id)
    const isRepeat = before?.since === since && before.good === good
    const count = (before?.count ?? 0) + (isRepeat ? 0 : 1)
    if (this.#pages.size >= MOST) this.#pages.clear()
    this.#pages.set(id, { count, since, good })
    return { count, isRepeat }
  }

  /** It was settled. */
  forget(id: number): void {
    this.#pages.delete(id)
  }
}
