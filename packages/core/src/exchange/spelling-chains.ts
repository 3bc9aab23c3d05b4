// Redirects from one spelling of a canonical URL to another (`/p?b&a` to `/p?a&b`), while they are followed.
//
// The frontier knows the canonical URL already, so the target is no discovery: the same request is sent again, spelled as the server spells it,
// and each spelling is a hop. How far a request has come is kept here, in RAM, so that it survives a retry, and its host being given back. A restart, or
// another process, begins at the known URL again; so does the next visit of a page, for the server may have changed its mind.
import { headersElsewhere } from '../identity.ts'
import type { Leased } from '../request.ts'
import { originOf } from '../url/host-key.ts'

/** Chains kept: one for each request that was redirected and is not settled. The oldest makes room. */
const MAX_CHAINS = 10_000

/** How far one request has come. */
export interface SpellingChain {
  /** Every text that was requested, once; the one to be requested is the last. */
  readonly asked: readonly string[]
  /** How often a text redirected to one that had been requested: itself, or another. */
  readonly returns: number
}

interface KeptChain extends SpellingChain {
  /** Number of the visit that it belongs to. */
  readonly visit: number
  readonly hops: number
  readonly redirectedFrom: string
  /** Of the request as the frontier hands it out. */
  readonly headersJson: string | undefined
}

/** The chains of a process. */
export class SpellingChains {
  readonly #chains = new Map<number, KeptChain>()

  /** What was requested so far on behalf of `leased`. */
  of(leased: Leased): SpellingChain {
    return this.#kept(leased) ?? { asked: [leased.url], returns: 0 }
  }

  /** `leased`, as the frontier hands it out, with the spelling that it has come to. */
  inPlace(leased: Leased): Leased {
    const chain = this.#chains.size === 0 ? undefined : this.#kept(leased)
    return chain === undefined ? leased : spelled(leased, chain)
  }

  /** `leased`, to be requested again as `url`. */
  follow(leased: Leased, url: string): Leased {
    const { asked, returns } = this.of(leased)
    const { headersJson } = this.#kept(leased) ?? leased
    const isItself = url === leased.url
    const chain: KeptChain = {
      asked: [...asked.filter((text) => text !== url), url],
      returns: returns + (asked.includes(url) ? 1 : 0),
      visit: visitOf(leased),
      hops: (leased.hops ?? 0) + (isItself ? 0 : 1),
      redirectedFrom: isItself ? (leased.redirectedFrom ?? leased.url) : leased.url,
      headersJson,
    }
    this.#chains.delete(leased.id)
    this.#chains.set(leased.id, chain)
    for (const id of this.#chains.keys()) {
      if (this.#chains.size <= MAX_CHAINS) break
      this.#chains.delete(id)
    }
    return spelled(leased, chain)
  }

  /** Its request is settled. */
  forget(requestId: number): void {
    this.#chains.delete(requestId)
  }

  /** A chain of an earlier visit, which another process finished, is none. */
  #kept(leased: Leased): KeptChain | undefined {
    const chain = this.#chains.get(leased.id)
    return chain?.visit === visitOf(leased) ? chain : undefined
  }
}

function spelled(leased: Leased, { asked, hops, redirectedFrom, headersJson }: KeptChain): Leased {
  const { headersJson: _sent, knownAs = leased.url, ...kept } = leased
  const url = asked.at(-1) ?? leased.url
  // It redirected to nothing but itself.
  if (url === knownAs && asked.length === 1) return leased
  // The name with a dot at its end is another origin.
  const headers = originOf(url) === originOf(knownAs) ? headersJson : headersElsewhere(leased.identity)
  const spelling = url === knownAs ? { url } : { url, knownAs }
  return { ...kept, ...(headers !== undefined && { headersJson: headers }), ...spelling, hops, redirectedFrom }
}

function visitOf({ earlier }: Leased): number {
  return earlier?.visits ?? 0
}
