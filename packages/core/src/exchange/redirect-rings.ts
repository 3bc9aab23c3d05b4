// Redirects that lead back to where they began, by way of other URLs: `/p` to `/check?back=/p` and back to `/p`, once a cookie is set.
//
// Where they began is settled as moved, so it is no discovery, and its page would be lost. If an answer on the way set a cookie, it is visited again, once:
// without its cookies a ring stays one. Kept in RAM: a run that dies on the way round does not come back.
import type { NewRequest, Request } from '../request.ts'
import type { ResponseHeaders } from '../response.ts'
import { canonicalUrl } from '../url/canonicalize.ts'

/** Ways kept: one for each target that was not requested yet. The oldest makes room. */
const MAX_WAYS = 10_000

/** How a request was come to. */
interface Way {
  /** Requests that redirected, in their order. */
  readonly from: readonly { readonly id: number; readonly hostKey: string; readonly url: string }[]
  readonly setsCookie: boolean
  /** It has been round once. */
  readonly isSecond: boolean
}

const NO_WAY: Way = { from: [], setsCookie: false, isSecond: false }

/** The rings of a run. */
export class RedirectRings {
  readonly #ways = new Map<string, Way>()

  /** `request` redirects to `target`, with these header fields: the request that is to be visited again for that; undefined where there is none. */
  closed(request: Request, target: NewRequest, headers: ResponseHeaders): Way['from'][number] | undefined {
    const { from, isSecond, ...before } = this.#ways.get(request.fingerprint) ?? NO_WAY
    this.#ways.delete(request.fingerprint)
    const setsCookie = before.setsCookie || headers['set-cookie'] !== undefined
    const url = canonicalUrl(target.url)
    const first = setsCookie && !isSecond ? from.find((each) => each.url === url) : undefined
    const { id, hostKey } = request
    const way = { from: [...from, { id, hostKey, url: canonicalUrl(request.url) }], setsCookie, isSecond: first !== undefined }
    // The second time round, nothing leads back any more.
    if (!isSecond) this.#keep(target.fingerprint, way)
    return first
  }

  #keep(fingerprint: string, way: Way): void {
    this.#ways.delete(fingerprint)
    this.#ways.set(fingerprint, way)
    for (const oldest of this.#ways.keys()) {
      if (this.#ways.size <= MAX_WAYS) break
      this.#ways.delete(oldest)
    }
  }
}
