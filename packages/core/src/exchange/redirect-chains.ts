// What is kept of redirects while they are followed: rings, and chains of spellings.
//
// Rings are redirects that lead back to where they began, by way of other URLs: `/p` to `/check?back=/p` and back to `/p`, once a cookie is set.
//
// Where they began is settled as moved, so it is no discovery, and its page would be lost. When a redirect leads back to a page that redirected in this run,
// that page is visited once more, and so is every page that was sent to the same target: one `/check` for all pages leads back to the last of them alone. And
// again whenever a page came of such a visit since. Kept in RAM: after a run that died on the way round, only the last step tells (redirects.ts).
import type { Fingerprint, Leased, NewRequest, Request } from '../ports/request.ts'

/** Redirects that are kept. The oldest makes room. */
const MAX_KEPT = 10_000

/** A request that redirected. */
export interface Led {
  readonly id: number
  readonly hostKey: string
  /** Epoch ms at which its visit was due, so that its rounds stay where they are. */
  readonly dueAt: number
  readonly to: Fingerprint
  /** How often, since so many pages had come. */
  readonly times: number
  readonly came: number
}

/** What redirected in a run and is no page yet. */
export class RedirectRings {
  readonly #led = new Map<Fingerprint, Led>()
  /** How many of them were settled otherwise than by a redirect. */
  #came = 0

  /** What is to be visited again for a redirect at `now`, once it is in the store. */
  lead({ id, hostKey, fingerprint, earlier }: Request, { fingerprint: to }: NewRequest, now: number): readonly Led[] {
    const came = this.#came
    const before = this.#led.get(fingerprint)
    const times = before?.came === came ? before.times + 1 : 1
    keepNewest(this.#led, fingerprint, { id, hostKey, dueAt: earlier?.dueAt ?? now, to, times, came })
    const back = this.#led.get(to)
    if (back === undefined) return []
    return [...this.#led.values()].filter((led) => led.to === back.to && (led.times < 2 || led.came < came))
  }

  /** A request is settled, and not by a redirect that is followed. */
  settled({ fingerprint }: Request): void {
    if (this.#led.size > 0 && this.#led.delete(fingerprint)) this.#came++
  }
}

/** Keeps `value`; the oldest makes room. */
function keepNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= MAX_KEPT) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

// Redirects from one spelling of a canonical URL to another (`/p?b&a` to `/p?a&b`), while they are followed.
//
// The frontier knows the canonical URL already, so the target is no discovery: the same request is sent again, spelled as the server spells it,
// and each spelling is a hop. How far a request has come is kept here, in RAM, so that it survives a retry, and its host being given back. A restart, or
// another process, begins at the known URL again; so does the next visit of a page, for the server may have changed its mind.

/** The chains of a process, by visit. */
export class SpellingChains {
  readonly #chains = new Map<string, readonly string[]>()

  /** Every text that was requested on behalf of `leased`, from the known one to the one that is next. */
  of(leased: Leased): readonly string[] {
    return this.#chains.get(visitOf(leased)) ?? [leased.url]
  }

  /** `leased`, as the frontier hands it out, with the spelling that it has come to. */
  inPlace(leased: Leased): Leased {
    if (this.#chains.size === 0) return leased
    return this.of(leased).slice(1).reduce(spelled, leased)
  }

  /** `leased`, to be requested again as `url`. */
  follow(leased: Leased, url: string): Leased {
    keepNewest(this.#chains, visitOf(leased), [...this.of(leased), url])
    return spelled(leased, url)
  }

  /** It is settled. */
  forget(request: Request): void {
    if (this.#chains.size > 0) this.#chains.delete(visitOf(request))
  }
}

function spelled({ knownAs, ...leased }: Leased, url: string): Leased {
  const known = knownAs ?? leased.url
  return { ...leased, ...(url !== known && { knownAs: known }), url, hops: (leased.hops ?? 0) + 1, redirectedFrom: leased.url }
}

function visitOf({ id, earlier }: Pick<Request, 'id' | 'earlier'>): string {
  return `${id} ${earlier?.visits ?? 0}`
}
