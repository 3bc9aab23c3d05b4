// A known request in RAM: as it was discovered, what became of it, and where it waits.
import {
  type HeapEntry,
  type IndexedHeap,
  type Leased,
  type NewRequest,
  rendersOf,
  type RequestRecord,
  requestLaws,
  sessionOf,
  storedJson,
  type RequestState,
} from '@avocet/core/store'

/** With an epoch ms added it is still exact to a microsecond or two. */
const BEHIND_ALL_IDS = 1e13

/** One known request. Waiting, or due again, it is in its host's ready heap, in its delayed heap, or handed out (in neither). */
export class MemoryRequest implements HeapEntry {
  readonly id: number
  readonly request: NewRequest
  readonly parent: string | undefined
  /** What became of it, as the laws say. */
  row: RequestState
  /** Runs that died while it was in progress. */
  deaths = 0
  /** -priority among the ready, `notBefore` among the delayed. */
  heapKey = 0
  /** Its id; of one that was visited before, behind all ids, the moment at which it was due. */
  heapOrder: number
  heapIndex = -1
  /** The queue of its host that it was last put in. */
  queue: IndexedHeap<MemoryRequest> | undefined

  constructor(id: number, request: NewRequest, parent: string | undefined) {
    const { NEVER_TRIED } = requestLaws
    this.id = id
    this.heapOrder = id
    this.request = request
    this.parent = parent
    this.row = request.notBefore === undefined ? NEVER_TRIED : { ...NEVER_TRIED, notBefore: request.notBefore }
  }

  get isSettled(): boolean {
    return this.row.state !== 'waiting'
  }

  /** Settled, and due again at `notBefore`. */
  get isAgain(): boolean {
    return requestLaws.isAgain(this.row)
  }

  /** Among requests of one priority: first visits by id, then later ones, those first that have been due longest. */
  get order(): number {
    return this.row.visits === null ? this.id : BEHIND_ALL_IDS + this.row.dueAt
  }

  leased(): Leased {
    const { notBefore: _past, again: first, modifiedAt, ...request } = this.request
    const { attempts, freeAttempts, state, askedAt } = this.row
    const earlier = requestLaws.earlierOf(this.row)
    const again = earlier === undefined ? (modifiedAt === undefined ? first : undefined) : (askedAt ?? undefined)
    return {
      ...request,
      id: this.id,
      attempts,
      freeAttempts,
      ...(this.parent !== undefined && { parent: this.parent }),
      ...(earlier !== undefined && { earlier }),
      ...(again !== undefined && { again }),
      ...(state !== 'waiting' && { was: state }),
      ...(this.deaths >= requestLaws.SUSPECTED_AFTER_RUNS && { suspected: true as const }),
    }
  }

  /** `asker`: URL of the page whose link asked for its next visit. */
  toRecord(asker: string | undefined): RequestRecord {
    const { url, handler, hostKey, depth, priority, anchorText, redirectedFrom } = this.request
    const { method, headersJson, body, dataJson, identity } = this.request
    const { state, attempts, freeAttempts, target, reason, blame, error, notBefore, askedAt, ...row } = this.row
    const { missing, gone } = requestLaws.earlierOf(this.row) ?? {}
    const said = {
      method,
      headers: headersJson && storedJson(headersJson, 'the headers of a request'),
      body,
      data: dataJson && storedJson(dataJson, 'the data of a request'),
      identity,
      session: sessionOf(identity),
      render: rendersOf(identity) ? 'browser' : undefined,
    }
    const asked = askedAt === null ? null : { at: askedAt, ...(asker !== undefined && { by: asker }) }
    const visited = row.visits === null ? {} : { visits: row.visits, skipped: row.skipped, missing, gone: gone && true }
    const trouble = { target, reason, blame, handlerError: error, notBefore, asked }
    const { fetchedAt, status, durationMs, wireBytes } = row
    const lastPage = requestLaws.lastPageOf(this.row)
    const optional = { ...said, parent: this.parent, anchorText, redirectedFrom, ...trouble, ...visited, lastPage }
    const present = Object.entries({ ...optional, fetchedAt, status, durationMs, wireBytes }).filter(
      ([name, value]) => value !== undefined && (value !== null || name === 'data'),
    )
    return { id: this.id, url, handler, hostKey, state, depth, priority, attempts, freeAttempts, ...Object.fromEntries(present) }
  }
}
