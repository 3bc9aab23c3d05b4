// A whole store at rest as a stream of records, which any other kind of store can take: how a crawl moves to another machine.
//
// It begins with `store`, and ends with `end`, whose counts whoever loads it has to find. In between: kinds of handler errors, hosts in the order of discovery,
// memories of the crawl, requests by id without gaps, items and records by seq, rejects by id, sinks by name; each names only what came before. What can be
// worked out (queues, counts of hosts, indexes) is not in it. A field that is absent was never said. The version rises with any change of a field.
import { AvocetError } from './errors.ts'
import type { Blame } from './errors.ts'
import type { HandlerError } from './handler-error.ts'
import type { Earlier, NewRequest } from './request.ts'
import type { SinkRecord } from './sink-record.ts'

/** Of the records below. */
export const DUMP_VERSION = 1

/** What a store is, and how far its time was. */
export interface DumpedStore {
  readonly type: 'store'
  readonly version: number
  readonly name: string
  readonly canonicalisation: string
  readonly hostKeying: string
  /** Epoch ms. */
  readonly createdAt: number
  /** Epoch ms: the latest that any run wrote. */
  readonly lastAt: number
  /** Number of the run. */
  readonly run: number
}

/** A kind of error in the user's code, as the first page that failed with it has it; `kind`: core's `groupOf`, '' for all that are not listed. */
interface DumpedError {
  readonly type: 'handler-error'
  readonly kind: string
  readonly error: HandlerError
  /** Epoch ms, to the hour. */
  readonly seenAt: number
}

/** Memory at rest: JSON text by part. */
type DumpedParts = Readonly<Record<string, string>>

/** The last fetch, as far as it is known. */
interface DumpedFetch {
  /** Epoch ms. */
  readonly at?: number
  readonly status?: number
  readonly durationMs?: number
  readonly wireBytes?: number
}

/** A host. `readyAt` and `probeAt` may be Infinity. */
export interface DumpedHost {
  readonly type: 'host'
  readonly hostKey: string
  /** Scheme, name and port of the first URL that was met. */
  readonly origin: string
  readonly readyAt: number
  readonly retried: number
  readonly epoch: number
  readonly onProbation: boolean
  /** Its last holder died holding it. */
  readonly abandoned?: true
  readonly retired?: { readonly reason: string; readonly probeAt: number }
  readonly memory: DumpedParts
}

/** The crawl memory of one process. */
interface DumpedMemory {
  readonly type: 'memory'
  readonly parts: DumpedParts
}

/** A known request: as it was discovered (`again`: when its first visit was asked for), and what became of it. */
export interface DumpedRequest extends Omit<NewRequest, 'modifiedAt'> {
  readonly type: 'request'
  readonly id: number
  readonly state: 'waiting' | 'done' | 'moved' | 'failed'
  /** Epoch ms: of what waits, the earliest; of what is settled, when it is due again. */
  readonly notBefore?: number
  readonly attempts: number
  readonly freeAttempts: number
  readonly fetched?: DumpedFetch
  /** The run in which it was last settled as a visit. */
  readonly visitedIn?: number
  /** Why it failed, or was last put back. */
  readonly reason?: string
  readonly blame?: Blame
  readonly target?: string
  /** `kind` of its error. */
  readonly errorKind?: string
  /** Runs that died while it was in progress. */
  readonly deaths?: number
  readonly earlier?: Earlier
  /** Its next visit is one that was asked for; `by`: id of the request whose page has the link. */
  readonly asked?: { readonly at: number; readonly by?: number }
  /** Of the last page that a handler got: when it was fetched, and the visit that its items are of. */
  readonly page?: { readonly at?: number; readonly visit?: number }
}

/** An item, or a record of a document. */
export interface DumpedItem {
  readonly type: 'item' | 'record'
  readonly seq: number
  readonly requestId: number
  readonly visit: number
  readonly ordinal: number
  readonly json: string
}

/** A reject; `json` of the schema's alone. */
export interface DumpedReject {
  readonly type: 'reject'
  readonly id: number
  readonly source: string
  readonly requestId: number
  readonly visit: number
  readonly ordinal: number
  readonly json?: string
  readonly reason: string
  readonly at: number
  readonly retried?: true
}

/** A sink with its mark. */
interface DumpedSink {
  readonly type: 'sink'
  readonly record: SinkRecord
}

/** How many records there were. */
export interface DumpCounts {
  readonly hosts: number
  readonly requests: number
  readonly items: number
  readonly records: number
  readonly rejects: number
  readonly sinks: number
}

/** One record of a dump. */
export type DumpRecord =
  | DumpedStore
  | DumpedError
  | DumpedHost
  | DumpedMemory
  | DumpedRequest
  | DumpedItem
  | DumpedReject
  | DumpedSink
  | ({ readonly type: 'end' } & DumpCounts)

const COUNTED = {
  host: 'hosts',
  request: 'requests',
  item: 'items',
  record: 'records',
  reject: 'rejects',
  sink: 'sinks',
} as const

/** Follows the records of one dump, and holds it to what it says of itself. */
export class DumpWatch {
  readonly #counts = { hosts: 0, requests: 0, items: 0, records: 0, rejects: 0, sinks: 0 }
  #stage: 'begin' | 'within' | 'end' = 'begin'

  get counts(): DumpCounts {
    return { ...this.#counts }
  }

  /** Throws AVO_FRONTIER_VERSION for a dump of another version, and AVO_FRONTIER_CORRUPT for one that is not whole. */
  see(record: DumpRecord): void {
    if ((this.#stage === 'begin') !== (record.type === 'store') || this.#stage === 'end') throw broken('one store', record.type)
    this.#stage = record.type === 'end' ? 'end' : 'within'
    if (record.type === 'store' && record.version !== DUMP_VERSION)
      throw new AvocetError(
        'AVO_FRONTIER_VERSION',
        `expected a dump of version ${DUMP_VERSION}, got version ${record.version}; load it with the Avocet that made it`,
      )
    if (record.type in COUNTED) this.#counts[COUNTED[record.type as keyof typeof COUNTED]]++
    if (record.type === 'request' && record.id !== this.#counts.requests)
      throw broken(`the request ${this.#counts.requests}`, String(record.id))
    if (record.type === 'end') this.#assertWhole(record)
  }

  /** Call once there are no more records. Throws AVO_FRONTIER_CORRUPT where the last one was not the end. */
  assertEnded(): void {
    if (this.#stage !== 'end') throw broken('an end with its counts', 'none')
  }

  #assertWhole(end: DumpCounts): void {
    for (const what of Object.values(COUNTED))
      if (end[what] !== this.#counts[what]) throw broken(`${end[what]} ${what}`, String(this.#counts[what]))
  }
}

function broken(expected: string, got: string): AvocetError {
  return new AvocetError('AVO_FRONTIER_CORRUPT', `expected a whole dump with ${expected}, got ${got}; dump the store again`)
}
