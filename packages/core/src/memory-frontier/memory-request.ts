// A known request in RAM: as it was discovered, with its state and its history.
import type { Blame } from '../errors.ts'
import type { Fetched, Outcome } from '../frontier.ts'
import type { RequestRecord } from '../frontier-reader.ts'
import type { Leased, NewRequest } from '../request.ts'
import type { HeapEntry, IndexedHeap } from '../scheduler/indexed-heap.ts'

/** One known request. Waiting, it is in its host's ready heap, in its delayed heap, or handed out (in neither). */
export class MemoryRequest implements HeapEntry {
  readonly id: number
  readonly request: NewRequest
  readonly parent: string | undefined
  state: RequestRecord['state'] = 'waiting'
  attempts = 0
  freeAttempts = 0
  /** Runs that died while it was under way. */
  deaths = 0
  notBefore: number | undefined
  reason: string | undefined
  blame: Blame | undefined
  target: string | undefined
  fetched: Fetched | undefined
  /** -priority among the ready, `notBefore` among the delayed. */
  heapKey = 0
  readonly heapOrder: number
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

  /** Writes down what became of an attempt. */
  record(outcome: Outcome): void {
    if (outcome.kind === 'retry') {
      if (outcome.counted) this.attempts++
      else this.freeAttempts++
    } else if (outcome.fetched) this.attempts++
    this.state = outcome.kind === 'retry' ? 'waiting' : outcome.kind
    this.notBefore = outcome.kind === 'retry' ? outcome.at : undefined
    this.reason = 'reason' in outcome ? outcome.reason : undefined
    this.blame = outcome.kind === 'failed' ? outcome.failure?.blame : undefined
    this.target = outcome.kind === 'moved' ? outcome.target : undefined
    this.fetched = outcome.fetched ?? this.fetched
  }

  /** Waits again as if it had never been tried, but for what is known of its last fetch. Due since ever: it is not a request that was never tried. */
  reopen(): void {
    this.state = 'waiting'
    this.attempts = this.freeAttempts = this.deaths = 0
    this.notBefore = 0
    this.blame = undefined
  }

  leased(): Leased {
    const { notBefore: _past, ...request } = this.request
    return {
      ...request,
      id: this.id,
      attempts: this.attempts,
      freeAttempts: this.freeAttempts,
      ...(this.parent !== undefined && { parent: this.parent }),
    }
  }

  toRecord(): RequestRecord {
    const { url, handler, hostKey, depth, priority, anchorText, redirectedFrom } = this.request
    const { id, state, attempts, freeAttempts, parent, target, reason, blame, notBefore, fetched } = this
    const optional = { parent, anchorText, redirectedFrom, target, reason, blame, notBefore }
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
