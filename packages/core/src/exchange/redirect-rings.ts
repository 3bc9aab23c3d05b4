// Redirects that lead back to where they began, by way of other URLs: `/p` to `/check?back=/p` and back to `/p`, once a cookie is set.
//
// Where they began is settled as moved, so it is no discovery, and its page would be lost. If an answer on the way set a cookie, it is visited again, once:
// without its cookies a ring stays one. With it comes everything else that was led the same way, as to one `/check` for all pages, which leads back to the last
// of them alone. A cookie may expire: who is led there later has the steps of the way visited again, and then comes back like the first. Where that brings
// no page three times in a row, the way is left. Kept in RAM: after a run that died on the way round, only the last step tells (redirects.ts).
import type { NewRequest, Request } from '../request.ts'

/** Redirects kept, each from one URL to another. The oldest makes room. */
const MAX_KEPT = 10_000
/** Of those to one URL. */
const MAX_FROM = 100
/** URLs that are looked at for a way back. */
const MAX_LOOKED_AT = 200
/** Visits of a step, in a row, that brought none of those a page that were led there. */
const MOST_IN_VAIN = 3

/** A request that is to be visited again. */
export interface LedRequest {
  readonly id: number
  readonly hostKey: string
  /** Epoch ms at which its visit was due, so that its rounds stay where they are; absent for a first one. */
  readonly dueAt?: number
}

/** One that was led on. */
interface Origin extends LedRequest {
  readonly setsCookie: boolean
  /** It was visited again already, and led on all the same. */
  readonly isSecond: boolean
}

/** A URL that redirects lead to. */
interface Step {
  /** From where, by fingerprint. */
  readonly from: Map<string, Origin>
  /** Itself, once it has led on. */
  self?: LedRequest
  /** Epoch ms at which a ring through it closed. */
  closedAt?: number
  /** It is visited again, and has not led on since. */
  isDue: boolean
  inVain: number
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

/** The rings of a run. */
export class RedirectRings {
  /** By fingerprint. */
  readonly #steps = new Map<string, Step>()
  /** Where requests were led to, and have not come back, by fingerprint. */
  readonly #led = new Map<string, Step>()
  /** Requests that are visited again, by fingerprint, and the step that led them back. */
  readonly #second = new Map<string, Step>()

  /** Which requests are to be visited again for a redirect, once it is in the store. */
  redirected({ request, admittedAt, target, setsCookie, now }: Redirected): readonly LedRequest[] {
    const { id, hostKey, fingerprint, earlier } = request
    const isSecond = this.#second.delete(fingerprint)
    const own = this.#steps.get(fingerprint)
    if (own !== undefined) Object.assign(own, { self: { id, hostKey }, isDue: false })
    const way = this.#wayBack(fingerprint, target.fingerprint)
    if (way !== undefined) return setsCookie || way.setsCookie ? this.#closed(way.steps, now) : []
    const step = this.#keep(target.fingerprint, fingerprint, {
      ...{ id, hostKey, setsCookie, isSecond },
      ...(earlier && { dueAt: earlier.dueAt }),
    })
    if (isSecond || step.closedAt === undefined) return []
    // It was sent before the cookie was there.
    if (admittedAt <= step.closedAt) return this.#again(step)
    return this.#ledOn(step)
  }

  /** A request is settled, and not by a redirect that is followed; `isPage`: it has its page. */
  settled({ fingerprint }: Request, isPage: boolean): void {
    const own = this.#steps.get(fingerprint)
    if (own !== undefined) own.isDue = false
    this.#leave(fingerprint)
    const back = this.#second.get(fingerprint)
    this.#second.delete(fingerprint)
    if (isPage && back !== undefined) back.inVain = 0
  }

  /** `steps`, the last of which is that behind the beginning, lead back to it. */
  #closed(steps: readonly Step[], now: number): readonly LedRequest[] {
    for (const step of steps) step.closedAt = now
    const first = steps.at(-1)
    return first === undefined ? [] : this.#again(first)
  }

  /** All that were led to `step`, but for those that were visited again for it. */
  #again(step: Step): readonly LedRequest[] {
    const waiting = [...step.from].filter(([, { isSecond }]) => !isSecond)
    for (const [fingerprint] of waiting) {
      this.#leave(fingerprint)
      this.#second.set(fingerprint, step)
    }
    dropOldest(this.#second)
    return waiting.map(([, origin]) => origin)
  }

  /** Somebody is led to a step of a ring that was closed before: the store knows it, so it is no discovery either. */
  #ledOn(step: Step): readonly LedRequest[] {
    if (step.isDue || step.self === undefined || step.inVain >= MOST_IN_VAIN) return []
    step.isDue = true
    step.inVain++
    return [step.self]
  }

  /** The steps from `from` back to the one that `to` was led to; undefined where nothing led from there. */
  #wayBack(from: string, to: string): { readonly steps: readonly Step[]; readonly setsCookie: boolean } | undefined {
    const ways = new Map([[from, { steps: [] as readonly Step[], setsCookie: false }]])
    // What is added meanwhile comes last.
    for (const [fingerprint, way] of ways) {
      const step = this.#steps.get(fingerprint)
      if (step === undefined) continue
      const steps = [...way.steps, step]
      const found = step.from.get(to)
      if (found !== undefined) return { steps, setsCookie: way.setsCookie || found.setsCookie || step.closedAt !== undefined }
      for (const [before, { setsCookie }] of step.from)
        if (!ways.has(before) && ways.size < MAX_LOOKED_AT) ways.set(before, { steps, setsCookie: way.setsCookie || setsCookie })
    }
    return undefined
  }

  /** Remembers that `fingerprint` was led to `to`. */
  #keep(to: string, fingerprint: string, origin: Origin): Step {
    this.#leave(fingerprint)
    const step = this.#steps.get(to) ?? { from: new Map(), isDue: false, inVain: 0 }
    this.#steps.delete(to)
    this.#steps.set(to, step)
    step.from.set(fingerprint, origin)
    this.#led.set(fingerprint, step)
    const [first = ''] = step.from.keys()
    if (step.from.size > MAX_FROM) this.#leave(first)
    const [oldest = ''] = this.#led.keys()
    if (this.#led.size > MAX_KEPT) this.#leave(oldest)
    dropOldest(this.#steps)
    return step
  }

  /** `fingerprint` is led nowhere any more. */
  #leave(fingerprint: string): void {
    this.#led.get(fingerprint)?.from.delete(fingerprint)
    this.#led.delete(fingerprint)
  }
}

function dropOldest(map: Map<string, Step>): void {
  for (const oldest of map.keys()) {
    if (map.size <= MAX_KEPT) break
    map.delete(oldest)
  }
}
