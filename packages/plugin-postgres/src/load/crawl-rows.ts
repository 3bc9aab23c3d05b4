// Records of a dump as rows of the tables, some thousands at a time. What follows from them (queues, counts, numbers of items) is worked out at the end.
import { AvocetError } from '@avocet/core'
import {
  rejectGroupOf,
  type DumpedHost,
  type DumpedItem,
  type DumpedReject,
  type DumpedRequest,
  type DumpRecord,
} from '@avocet/core/store'
import { NEVER, STATES, pathFor } from '@avocet/store-sql'
import { textProblem } from '../commit/storable.ts'
import { textsText } from '../connection/array-text.ts'
import { inRange, MOST_INT, MOST_SMALLINT, storableText } from '../connection/storable-text.ts'
import { storedWord, WordIds } from '../names/word-ids.ts'
import { LeasedHost, HostNames, type NamedHost } from '../held-host.ts'
import { hexOf } from '../identity/known-cache.ts'
import { packed } from '../schema/packed-memory.ts'
import type { ServerConnections } from '../connection/connections.ts'
import { loadedTables, type LoadedTables } from './loaded-tables.ts'

/** Numbers of items that share a row of `item_group`. */
const GROUP = 256

/** Of one store. */
export class CrawlRows {
  readonly #connections: ServerConnections
  readonly #tables: LoadedTables = loadedTables()
  readonly #names = new HostNames()
  readonly #handlers: WordIds
  readonly #reasons: WordIds
  readonly #errorIds = new Map<string, number>()
  #hosts = 0
  #process: number

  /** `process`: id of this one. Those of others, whose crawl memory is loaded, follow. */
  constructor(connections: ServerConnections, process: number) {
    this.#connections = connections
    this.#handlers = new WordIds(connections, 'handler')
    this.#reasons = new WordIds(connections, 'reason')
    this.#process = process
  }

  /** The highest ids that were given. */
  get last(): { readonly host: number; readonly process: number; readonly error: number } {
    return { host: this.#hosts, process: this.#process, error: this.#errorIds.size }
  }

  /** Throws AVO_FRONTIER_UNUSABLE for what PostgreSQL cannot keep, AVO_FRONTIER_CORRUPT for a request of no host. */
  async write(records: readonly DumpRecord[]): Promise<void> {
    const requests = records.filter((record) => record.type === 'request')
    await this.#learn(requests)
    for (const record of records) this.#take(record)
    const done = await Promise.allSettled(Object.values(this.#tables).map((table) => table.write(this.#connections)))
    const failed = done.find((each) => each.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  async #learn(requests: readonly DumpedRequest[]): Promise<void> {
    await this.#handlers.learn(requests.map(({ handler }) => handler))
    await this.#reasons.learn(requests.flatMap(wordsOf))
    const unmet = new Set(requests.map(({ hostKey }) => hostKey).filter((key) => this.#names.get(key) === undefined))
    if (unmet.size === 0) return
    const hosts = await this.#connections.all<NamedHost & { readonly key: string }>(
      'SELECT h.key, h.id, h.origin FROM unnest($1::text[]) u (key), LATERAL (SELECT * FROM {S}.host g WHERE g.key = u.key LIMIT 1) h',
      [textsText([...unmet])],
    )
    for (const { key, id, origin } of hosts) this.#names.set(key, { id, origin })
  }

  #take(record: DumpRecord): void {
    if (record.type === 'request') this.#request(record)
    else if (record.type === 'host') this.#host(record)
    else if (record.type === 'item' || record.type === 'record') this.#yield(record)
    else if (record.type === 'reject') this.#reject(record)
    else if (record.type === 'memory') {
      const process = ++this.#process
      for (const [part, json] of Object.entries(record.parts))
        this.#tables.crawl_memory.add({ no: 1, process, part: storedWord(part), json: packed({ [part]: json }) })
    } else if (record.type === 'sink') {
      const { name, mark } = record.record
      this.#tables.sink.add({ item_seq: mark?.itemSeq ?? 0, name: storedWord(name), record: JSON.stringify(record.record) })
    } else if (record.type === 'handler-error') {
      const [id, kind] = [this.#errorIds.size + 1, storedWord(record.kind)]
      this.#errorIds.set(record.kind, id)
      this.#tables.handler_error.add({ id, kind, json: JSON.stringify(record.error), seen_at: whole(record.seenAt) })
    }
  }

  #host({ hostKey: key, origin, readyAt, retried, epoch, onProbation, abandoned, retired, memory }: DumpedHost): void {
    const id = ++this.#hosts
    this.#tables.host.add({
      ...{
        id,
        key,
        origin,
        ready_at: whole(Math.min(readyAt, NEVER)),
        retried,
        epoch,
        abandoned: abandoned === true,
        probation: onProbation,
      },
      retired_for: retired && storableText(retired.reason),
      probe_at: retired === undefined || retired.probeAt === Infinity ? null : whole(retired.probeAt),
    })
    for (const row of new LeasedHost({ id, key, origin, epoch, isTakenOver: false }, {}).rowsWith(memory))
      this.#tables.host_memory.add({ ...row })
  }

  #request(record: DumpedRequest): void {
    const { id, hostKey, url, depth, handler, parentId, priority, anchorText, fingerprint } = record
    const problem = textProblem(record)
    if (problem !== undefined) throw new AvocetError('AVO_FRONTIER_UNUSABLE', `request ${String(id)}: ${problem}`)
    const host = this.#names.get(hostKey)
    if (host === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', `expected the host of request ${String(id)}, got none`)
    const [rank, path] = [-priority || 0, pathFor(url, host.origin)]
    this.#tables.request.add({
      ...{ id, rank, depth, path, parent: parentId, fingerprint: hexOf(fingerprint), host: host.id },
      ...{ handler: this.#handlers.idOf(handler), anchor: anchorText && storableText(anchorText) },
    })
    this.#extra(record)
    const isTried = this.#history(record)
    const { notBefore, state, deaths } = record
    const at = notBefore ?? (state === 'waiting' && isTried ? 0 : undefined)
    if (at !== undefined) this.#tables.delayed.add({ id, rank, host: host.id, not_before: Math.ceil(at) })
    if (deaths !== undefined) this.#tables.death.add({ id, runs: deaths })
  }

  #extra({ id, again, hops, method, headersJson, body, dataJson, redirectedFrom, identity }: DumpedRequest): void {
    if ((again ?? hops ?? method ?? headersJson ?? body ?? dataJson ?? redirectedFrom ?? identity) === undefined) return
    this.#tables.extra.add({
      ...{ id, hops, method, body, identity, asked_at: again && whole(again) },
      ...{ headers: headersJson, data: dataJson, redirected_from: redirectedFrom },
    })
  }

  /** Whether it was ever tried. */
  #history(record: DumpedRequest): boolean {
    const { id, state, attempts, freeAttempts, fetched, visitedIn, reason, blame, target, errorKind } = record
    const isTried = state !== 'waiting' || attempts + freeAttempts > 0 || (fetched ?? visitedIn) !== undefined
    if (isTried)
      this.#tables.attempt.add({
        ...{
          id,
          state: STATES.indexOf(state),
          run: visitedIn ?? 0,
          fetched_at: whole(fetched?.at),
          status: whole(fetched?.status, MOST_SMALLINT),
        },
        ...{ wire_bytes: whole(fetched?.wireBytes), duration_ms: whole(fetched?.durationMs, MOST_INT) },
        ...{ attempts: whole(attempts, MOST_SMALLINT), free_attempts: whole(freeAttempts, MOST_SMALLINT) },
      })
    if ((reason ?? blame ?? target ?? errorKind) !== undefined) {
      const [reasonId, error] = [reason && this.#reasons.idOf(reason), errorKind && this.#errorIds.get(errorKind)]
      this.#tables.trouble.add({ id, blame, target: target && storableText(target), reason: reasonId, error })
    }
    this.#visits(record)
    return isTried
  }

  #visits({ id, earlier, asked, page }: DumpedRequest): void {
    if (earlier === undefined) return
    const { visits, dueAt, skipped, etag, lastModified, bodyHash, missing, gone } = earlier
    this.#tables.visited.add({
      ...{ id, visits, skipped, etag, due_at: Math.ceil(dueAt), last_modified: lastModified, body_hash: bodyHash },
      ...{ missing: gone === true ? -1 : (missing?.visits ?? 0), missing_since: whole(missing?.since) },
      ...{ asked_at: whole(asked?.at), asked_by: asked?.by, page_at: whole(page?.at), page_visit: page?.visit },
    })
  }

  #yield({ type, seq, requestId: request, visit, ordinal, json }: DumpedItem): void {
    const grp = Math.ceil(seq / GROUP)
    this.#tables[type].add({ grp, request, n: seq - (grp - 1) * GROUP, visit, ordinal, json })
  }

  #reject({ id, requestId: request, at, visit, ordinal, retried, source, reason, json }: DumpedReject): void {
    const [kept, kind] = [storableText(reason), storableText(rejectGroupOf(reason))]
    this.#tables.reject.add({
      id,
      request,
      visit,
      ordinal,
      retried: retried === true,
      source: storedWord(source),
      kind,
      json,
      at: whole(at),
      reason: kept,
    })
  }
}

/** Reasons that a request has. */
function wordsOf({ reason }: DumpedRequest): string[] {
  return reason === undefined ? [] : [reason]
}

function whole(value: number | undefined, most = Number.MAX_SAFE_INTEGER): number | null {
  return value === undefined ? null : inRange(value, most)
}

/** The base of a group, by its number, in SQL. */
export const GROUP_BASE: string = `(grp - 1) * ${String(GROUP)}`
