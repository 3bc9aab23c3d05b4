// Redirects that lead back to where they began, by way of other URLs: `/p` to `/check?back=/p` and back to `/p`, once a cookie is set.
//
// Where they began is settled as moved, so it is no discovery, and its page would be lost. If an answer on the way set a cookie, it is visited again, once:
// without its cookies a ring stays one. With it comes everything else that was led the same way, as to one `/check` for all pages, which leads back to the last
// of them alone. Who is led there later has the steps of the way visited again. Kept in RAM: after a run that died on the way round, only the last step tells
// (redirects.ts).
import type { NewRequest, Request } from '../request.ts'

/** Redirects and steps that are kept. The oldest makes room. */
const MAX_KEPT = 10_000
/** As of a chain of redirects. */
const MAX_STEPS = 10

/** A request that is to be visited again. */
export interface LedRequest {
  readonly id: number
  readonly hostKey: string
  /** Epoch ms at which its visit was due, so that its rounds stay where they are; absent for a first one. */
  readonly dueAt?: number
}

/** One that was led on, to a fingerprint. */
interface Led extends LedRequest {
  readonly to: string
  readonly setsCookie: boolean
  /** It was visited again already, and led on all the same. */
  readonly isSecond: boolean
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

/** The rings of a run. All is kept by fingerprint. */
export class RedirectRings {
  readonly #led = new Map<string, Led>()
  /** Steps of rings, and when these were closed (epoch ms). */
  readonly #steps = new Map<string, { readonly step: LedRequest; readonly closedAt: number }>()
  /** Requests that are visited again. */
  readonly #second = new Map<string, true>()

  /** Which requests are to be visited again for a redirect, once it is in the store. */
  redirected({ request, admittedAt, target, setsCookie, now }: Redirected): readonly LedRequest[] {
    const { id, hostKey, fingerprint, earlier } = request
    const isSecond = this.#second.delete(fingerprint)
    const own = { id, hostKey, to: target.fingerprint, setsCookie, isSecond, ...(earlier && { dueAt: earlier.dueAt }) }
    const way = this.#way(target.fingerprint, fingerprint)
    if (way !== undefined) return this.#closed([...way, [fingerprint, own]], now)
    this.#led.delete(fingerprint)
    keep(this.#led, fingerprint, own)
    const ring = this.#steps.get(target.fingerprint)
    if (isSecond || ring === undefined) return []
    // It was sent before the cookie was there, or the cookie has expired.
    return admittedAt <= ring.closedAt ? this.#again([[fingerprint, own]]) : [ring.step]
  }

  /** A request is settled, and not by a redirect that is followed. */
  settled({ fingerprint }: Request): void {
    this.#led.delete(fingerprint)
    this.#second.delete(fingerprint)
  }

  /** The redirects that lead from `from` to `to`; undefined where none do. */
  #way(from: string, to: string): readonly (readonly [string, Led])[] | undefined {
    const way: (readonly [string, Led])[] = []
    for (let at = from; way.length < MAX_STEPS;) {
      const led = this.#led.get(at)
      if (led === undefined) return undefined
      way.push([at, led])
      if (led.to === to) return way
      at = led.to
    }
    return undefined
  }

  /** `ring` begins where it leads back to. */
  #closed(ring: readonly (readonly [string, Led])[], now: number): readonly LedRequest[] {
    const [first, ...steps] = ring
    const setsCookie = ring.some(([fingerprint, led]) => led.setsCookie || this.#steps.has(fingerprint))
    if (first === undefined || !setsCookie) return []
    for (const [fingerprint, step] of steps) keep(this.#steps, fingerprint, { step, closedAt: now })
    return this.#again([...this.#led].filter(([, { to, isSecond }]) => to === first[1].to && !isSecond))
  }

  #again(led: readonly (readonly [string, Led])[]): readonly LedRequest[] {
    for (const [fingerprint] of led) {
      this.#led.delete(fingerprint)
      keep(this.#second, fingerprint, true)
    }
    return led.map(([, { id, hostKey, dueAt }]) => ({ id, hostKey, ...(dueAt !== undefined && { dueAt }) }))
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value)
  const [oldest = ''] = map.keys()
  if (map.size > MAX_KEPT) map.delete(oldest)
}
