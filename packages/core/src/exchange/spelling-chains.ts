// Redirects from one spelling of a canonical URL to another (`/p?b&a` to `/p?a&b`), while they are followed.
//
// The frontier knows the canonical URL already, so the target is no discovery: the same request is sent again, spelled as the server spells it,
// and each spelling is a hop. How far a request has come is kept here, in RAM, so that it survives a retry, and its host being given back. A restart, or
// another process, begins at the known URL again; so does the next visit of a page, for the server may have changed its mind.
import { headersElsewhere } from '../ports/identity.ts'
import type { Leased, Request } from '../ports/request.ts'
import { originOf } from '../url/host-key.ts'
import { keepNewest } from './redirect-rings.ts'

/** How far one request has come. */
export interface SpellingChain {
  /** As the frontier handed it out. */
  readonly known: Leased
  /** Every text that was requested, from the known one to the one that is next. */
  readonly asked: readonly string[]
}

/** The chains of a process, by visit. */
export class SpellingChains {
  readonly #chains = new Map<string, SpellingChain>()

  /** What was requested so far on behalf of `leased`. */
  of(leased: Leased): SpellingChain {
    return this.#chains.get(visitOf(leased)) ?? { known: leased, asked: [leased.url] }
  }

  /** `leased`, as the frontier hands it out, with the spelling that it has come to. */
  inPlace(leased: Leased): Leased {
    return this.#chains.size === 0 ? leased : spelled(leased, this.of(leased))
  }

  /** `leased`, to be requested again as `url`. */
  follow(leased: Leased, url: string): Leased {
    const { known, asked } = this.of(leased)
    const chain = { known, asked: [...asked, url] }
    keepNewest(this.#chains, visitOf(leased), chain)
    return spelled(leased, chain)
  }

  /** It is settled. */
  forget(request: Request): void {
    this.#chains.delete(visitOf(request))
  }
}

function spelled({ knownAs: _before, ...leased }: Leased, { known, asked }: SpellingChain): Leased {
  const [redirectedFrom, url = known.url] = asked.slice(-2)
  if (redirectedFrom === undefined || asked.length === 1) return leased
  const { headersJson: _sent, ...kept } = leased
  // The name with a dot at its end is another origin.
  const headersJson = originOf(url) === originOf(known.url) ? known.headersJson : headersElsewhere(leased.identity)
  const hops = (known.hops ?? 0) + asked.length - 1
  const spelling = url === known.url ? {} : { knownAs: known.url }
  return { ...kept, ...(headersJson !== undefined && { headersJson }), ...spelling, url, hops, redirectedFrom }
}

function visitOf({ id, earlier }: Pick<Leased, 'id' | 'earlier'>): string {
  return `${id} ${earlier?.visits ?? 0}`
}
