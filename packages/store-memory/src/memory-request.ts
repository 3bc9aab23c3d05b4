// A known request in RAM: as it was discovered, with its state and its history.
import {
  type Again,
  type Blame,
  type Earlier,
  type HandlerError,
  type HeapEntry,
  type IndexedHeap,
  type Leased,
  type NewRequest,
  type Outcome,
  pageAtOf,
  rendersOf,
  type RequestRecord,
  sessionOf,
  storedJson,
} from '@avocet/core/store'

/** Dead runs after which a page that was in progress in all of them is given up. */
export const DEADLY_RUNS = 3

/** With an epoch ms added it is still exact to a microsecond or two. */
const BEHIND_ALL_IDS = 1e13

/** One known request. Waiting, or due again, it is in its host's ready heap, in its delayed heap, or handed out (in neither). */
export class MemoryRequest implements HeapEntry {
  readonly id: number
  readonly request: NewRequest
  readonly parent: string | undefined
  state: RequestRecord['state'] = 'waiting'
  attempts = 0
  freeAttempts = 0
  /** Runs that died while it was in progress. */
  deaths = 0
  notBefore: number | undefined
  reason: string | undefined
  blame: Blame | undefined
  handlerError: HandlerError | undefined
  target: string | undefined
  fetched: Outcome['fetched']
  /** The last page that a handler got: when it was fetched, and the visit that its items are of. */
  page: { readonly at: number; readonly visit: number } | undefined
  /** Of a request that was, or is, to be visited again. */
  earlier: Earlier | undefined
  /** Its next visit is one that a link or a seed asked for. */
  asked: RequestRecord['asked']
  /** The run in which it was last settled as a visit. */
  visitedIn = 0
  /** -priority among the ready, `notBefore` among the delayed. */
  heapKey = 0
  /** Its id; of one that was visited before, behind all ids, the moment at which it was due. */
  heapOrder: number
  heapIndex = -1
  /** The queue of its host that it was last put in. */
  queue: IndexedHeap<MemoryRequest> | undefined

  constructor(id: number, request: NewRequest, parent: string | undefined) {
    this.id = id
    this.heapOrder = id
    this.request = request
    this.parent = parent
    this.notBefore = request.notBefore
  }

  get isSettled(): boolean {
    return this.state !== 'waiting'
  }

  /** Settled, and due again at `notBefore`. */
  get isAgain(): boolean {
    return this.isSettled && this.notBefore !== undefined
  }

  /** Writes down the outcome of an attempt in `run`. */
  record(outcome: Outcome, run: number): void {
    this.fetched = outcome.fetched ?? this.fetched
    if (outcome.kind === 'retry') return this.#putBack(outcome)
    if (outcome.fetched) this.attempts++
    const pageAt = pageAtOf(outcome)
    if (pageAt !== undefined) this.page = { at: pageAt, visit: this.earlier?.visits ?? 0 }
    this.visitedIn = run
    this.asked = undefined
    this.state = outcome.kind
    this.notBefore = undefined
    this.reason = outcome.kind === 'failed' ? outcome.reason : undefined
    this.blame = outcome.kind === 'failed' ? outcome.failure?.blame : undefined
    this.handlerError = outcome.kind === 'failed' ? outcome.failure?.handlerError : undefined
    this.target = outcome.kind === 'moved' ? outcome.target : undefined
    // With no visit to come by a rule, what was seen is compared with nothing.
    if (this.earlier !== undefined) {
      const { visits, skipped, dueAt } = this.earlier
      this.earlier = { visits: visits + 1, skipped, dueAt }
    }
    if (outcome.kind !== 'done' && outcome.gone) this.#gone()
    if (outcome.again !== undefined) this.#again(outcome.again)
  }

  /** Among requests of one priority: first visits by id, then later ones, those first that have been due longest. */
  get order(): number {
    return this.earlier === undefined ? this.id : BEHIND_ALL_IDS + this.earlier.dueAt
  }

  /** When a settled request is due again; undefined: it is not. */
  revisit(at: number | undefined): void {
    this.notBefore = at
    if (at === undefined) return
    this.attempts = this.freeAttempts = 0
    const { gone: _gone, ...earlier } = { visits: 1, skipped: 0, ...this.earlier }
    this.earlier = { ...earlier, dueAt: at }
  }

  /** Whether a link or a seed may still ask at `at` for a visit in `run`: it was not visited in it, and is not about to be. */
  mayBeAsked(at: number, run: number): boolean {
    if (this.visitedIn === run || this.asked !== undefined || !this.isSettled) return false
    const isDue = this.notBefore !== undefined && (this.notBefore <= at || this.attempts + this.freeAttempts > 0)
    return !isDue
  }

  /** Whether it was fetched since its page was modified. */
  isSince(modifiedAt: number | undefined): boolean {
    return modifiedAt !== undefined && this.fetched !== undefined && this.fetched.at >= modifiedAt
  }

  /** Is to be visited from `asked.at` on. What is settled is due; of its rounds none is lost. */
  ask(asked: NonNullable<RequestRecord['asked']>): void {
    const { visits = 1, skipped = 0, dueAt = 0 } = this.earlier ?? {}
    this.asked = asked
    this.earlier = { ...this.earlier, visits, skipped, dueAt: Math.max(dueAt, asked.at) }
    if (this.notBefore === undefined) this.attempts = this.freeAttempts = 0
    this.notBefore = asked.at
  }

  /** A run died while it was in progress; returns how often that counts. Beside others it counts until it is suspected. */
  died(wasAlone: boolean): number {
    if (wasAlone || this.deaths < DEADLY_RUNS - 1) this.deaths++
    return this.deaths
  }

  /** Waits again as if it had never been tried, but for what is known of its last fetch. Due since ever: it is not a request that was never tried. */
  reopen(): void {
    this.state = 'waiting'
    this.attempts = this.freeAttempts = this.deaths = 0
    this.notBefore = 0
    this.blame = this.target = this.handlerError = undefined
    this.#forgive()
  }

  /** Failed for good, at the word of a person; its history stays. */
  drop(reason: string | undefined): void {
    this.state = 'failed'
    this.reason = reason
    this.notBefore = this.blame = this.handlerError = undefined
    this.deaths = 0
    this.#forgive()
  }

  /** It is no longer believed to be gone. */
  #forgive(): void {
    if (this.earlier === undefined) return
    const { gone: _gone, ...earlier } = this.earlier
    this.earlier = earlier
  }

  /** What was settled before stays what it was. */
  #putBack({ counted, at, reason }: Outcome & { kind: 'retry' }): void {
    if (counted) this.attempts++
    else this.freeAttempts++
    this.notBefore = at
    if (this.isSettled) return
    this.reason = reason
  }

  #again({ at, skipped, ...validators }: Again): void {
    const { visits = 1, skipped: before = 0 } = this.earlier ?? {}
    this.earlier = { visits, skipped: before + skipped, dueAt: at, ...validators }
    this.attempts = this.freeAttempts = 0
    this.notBefore = at
  }

  /** Believed to be gone, also in its first visit. */
  #gone(): void {
    const { visits = 1, skipped = 0, dueAt = this.fetched?.at ?? 0 } = this.earlier ?? {}
    this.earlier = { visits, skipped, dueAt, gone: true }
  }

  leased(): Leased {
    const { notBefore: _past, again: asked, modifiedAt, ...request } = this.request
    const first = modifiedAt === undefined ? asked : undefined
    const again = this.earlier === undefined ? first : this.asked?.at
    return {
      ...request,
      id: this.id,
      attempts: this.attempts,
      freeAttempts: this.freeAttempts,
      ...(this.parent !== undefined && { parent: this.parent }),
      ...(this.earlier !== undefined && { earlier: this.earlier }),
      ...(again !== undefined && { again }),
      ...(this.state !== 'waiting' && { was: this.state }),
      ...(this.deaths >= DEADLY_RUNS - 1 && { suspected: true as const }),
    }
  }

  toRecord(): RequestRecord {
    const { url, handler, hostKey, depth, priority, anchorText, redirectedFrom } = this.request
    const { method, headersJson, body, dataJson, identity } = this.request
    const { id, state, attempts, freeAttempts, parent, target, reason, blame, handlerError, notBefore, asked, fetched } = this
    const { visits, skipped, missing, gone } = this.earlier ?? {}
    const trouble = { target, reason, blame, handlerError }
    const said = {
      method,
      headers: headersJson && storedJson(headersJson, 'the headers of a request'),
      body,
      data: dataJson && storedJson(dataJson, 'the data of a request'),
      identity,
      session: sessionOf(identity),
      render: rendersOf(identity) ? 'browser' : undefined,
    }
    const optional = { ...said, parent, anchorText, redirectedFrom, ...trouble, notBefore, asked, visits, skipped, missing, gone }
    const history = fetched && {
      fetchedAt: fetched.at,
      status: fetched.status,
      durationMs: fetched.durationMs,
      wireBytes: fetched.wireBytes,
    }
    const present = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
    return { id, url, handler, hostKey, state, depth, priority, attempts, freeAttempts, ...present, ...history }
  }
}
