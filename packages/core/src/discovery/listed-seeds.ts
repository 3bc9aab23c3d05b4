// The URLs of a list that the store takes while the crawl runs: a link to one of them is that seed, whichever comes first.
//
// What the user named is sent though its pattern is a trap, it may redirect to another site, and what becomes of it is told; a link is dropped without a word.
// So a page that has links waits until the list has been read, 2 µs a URL. Where no page has any it is not read.
//
// A table of 48 bits a URL, half full: of a million a foreign URL is taken for a seed once in 10^8 links. Rejected: to make a seed of the link when its turn
// comes, for it may have been dropped by then, or its redirect refused.
import type { Fingerprint, NewRequest } from '../ports/request.ts'
import { COST } from '../process/loop-budget.ts'
import type { Settings } from '../run/settings.ts'
import { canonicalUrl } from '../url/canonicalize.ts'
import { fingerprintOf } from '../url/fingerprint.ts'
import { parseUrl } from '../url/parse-url.ts'

/** Read in one step. */
const AT_ONCE = 1_000

/** The list, from when it is first asked for. */
export class ListedSeeds {
  readonly #settings: Pick<Settings, 'loop' | 'codec' | 'dropped'>
  readonly #texts: readonly string[]
  readonly #keys: Float64Array
  #reading: Promise<void> | undefined
  #isRead = false

  constructor(texts: readonly string[], settings: Pick<Settings, 'loop' | 'codec' | 'dropped'>) {
    this.#texts = texts
    this.#settings = settings
    this.#keys = new Float64Array(2 * texts.length)
  }

  /** Resolves when the list is read; undefined once it is. */
  read(): Promise<void> | undefined {
    return this.#isRead ? undefined : (this.#reading ??= this.#readAll())
  }

  /** `found`, or the seed that it is. */
  orSeed(found: NewRequest): NewRequest {
    const { fingerprint, url, hostKey, handler, again, modifiedAt } = found
    const key = keyOf(fingerprint)
    if (this.#keys[this.#placeOf(key)] !== key) return found
    const asked = { ...(again !== undefined && { again }), ...(modifiedAt !== undefined && { modifiedAt }) }
    return { fingerprint, url, hostKey, handler, depth: 0, priority: 0, ...asked }
  }

  async #readAll(): Promise<void> {
    for (let start = 0; start < this.#texts.length; start += AT_ONCE) {
      await this.#settings.loop.room(COST.link * AT_ONCE)
      for (const text of this.#texts.slice(start, start + AT_ONCE)) this.#add(text)
    }
    this.#isRead = true
  }

  #add(text: string): void {
    const { codec, dropped } = this.#settings
    const parsed = parseUrl(text)
    if (parsed === undefined) return
    const url = canonicalUrl(codec.current.url(dropped.from(parsed)))
    const key = keyOf(fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' }))
    this.#keys[this.#placeOf(key)] = key
  }

  /** Where it is, or would be. */
  #placeOf(key: number): number {
    const { length } = this.#keys
    let at = key % length
    while (this.#keys[at] !== 0 && this.#keys[at] !== key) at = (at + 1) % length
    return at
  }
}

/** Zero marks a free place. */
function keyOf(fingerprint: Fingerprint): number {
  return Buffer.from(fingerprint, 'latin1').readUIntBE(0, 6) || 1
}
