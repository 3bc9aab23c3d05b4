// Redirects that lead back to where they began, by way of other URLs: `/p` to `/check?back=/p` and back to `/p`, once a cookie is set.
//
// Where they began is settled as moved, so it is no discovery, and its page would be lost. A redirect to what moved in this run has it visited again if a
// redirect set a cookie since: without one a ring stays a ring. With it comes everything else that was led the same way, as to one `/check` for all pages,
// which leads back to the last of them alone. What moves once more is left, until some page that was visited again is there. Kept in RAM: after a run that died
// on the way round, only the last step tells (redirects.ts).
import type { NewRequest, Request } from '../ports/request.ts'

/** Redirects that are kept. The oldest makes room. */
const MAX_KEPT = 10_000

/** A request that is to be visited again. */
export interface LedRequest {
  readonly id: number
  readonly hostKey: string
  /** Epoch ms at which its visit was due, so that its rounds stay where they are. */
  readonly dueAt: number
}

/** One that was led on, to a fingerprint. */
interface Led extends LedRequest {
  readonly to: string
  /** When it was booked, epoch ms. */
  readonly admittedAt: number
  /** It was visited again, when so many had come that way, and led on all the same; -1: it was not. */
  readonly vainAt: number
}

/** A redirect. */
export interface Redirected {
  readonly request: Request
  /** Epoch ms. */
  readonly admittedAt: number
  readonly target: Pick<NewRequest, 'fingerprint'>
  readonly setsCookie: boolean
  readonly now: number
}

/** What redirected in a run, by fingerprint. */
export class RedirectRings {
  readonly #led = new Map<string, Led>()
  /** What is visited again. */
  readonly #again = new Map<string, true>()
  /** How many of them were settled otherwise than by a redirect. */
  #came = 0
  #cookieAt = -Infinity

  /** Which requests are to be visited again for a redirect, once it is in the store. */
  redirected({ request, admittedAt, target, setsCookie, now }: Redirected): readonly LedRequest[] {
    const { id, hostKey, fingerprint, earlier } = request
    if (setsCookie) this.#cookieAt = now
    const vainAt = this.#again.delete(fingerprint) ? this.#came : -1
    keepNewest(this.#led, fingerprint, { id, hostKey, dueAt: earlier?.dueAt ?? now, to: target.fingerprint, admittedAt, vainAt })
    const back = this.#led.get(target.fingerprint)
    if (back === undefined || !this.#mayChange(back)) return []
    const again = [...this.#led].filter(([, led]) => led.to === back.to && this.#mayChange(led))
    for (const [led] of again) {
      this.#led.delete(led)
      keepNewest(this.#again, led, true)
    }
    return again.map(([, led]) => led)
  }

  /** A request is settled, and not by a redirect that is followed. */
  settled({ fingerprint }: Request): void {
    this.#led.delete(fingerprint)
    if (this.#again.delete(fingerprint)) this.#came++
  }

  #mayChange({ admittedAt, vainAt }: Led): boolean {
    return admittedAt <= this.#cookieAt && vainAt !== this.#came
  }
}

/** Keeps `value`; the oldest makes room. */
export function keepNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= MAX_KEPT) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
