// The waiting requests of a host: what is handed out next, and where settled and delayed ones go.
//
// Best first over two sources: spans, in order of priority and id, and delayed requests whose time has come. Of one priority first crawls go
// before recrawls, and among those what has been due longest. Handing out writes nothing.
// Of more than 1,024 delayed requests of one host that are due at once, the ones due longest are looked at first; otherwise the order is exact.
import type { Leased } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'
import type { StoredHost } from './host-table.ts'
import type { RequestTable } from './request-table.ts'

interface SpanRow {
  readonly rank: number
  readonly first: number
  readonly size: number
  readonly skip: number
  readonly remaining: number
}

interface DueRow {
  readonly id: number
  readonly rank: number
  /** Of a recrawl: when it was due. */
  readonly due_at?: number | null
}

interface Candidate {
  readonly id: number
  readonly rank: number
  readonly due_at?: number | null
  readonly span?: WaitingSpan
  readonly leased?: Leased
}

const DUE_AT_ONCE = 1_024

/** The queues of one connection. */
export class WaitingQueue {
  readonly #requests: RequestTable
  readonly #spans: Statement<SpanRow>
  readonly #due: Statement<DueRow>
  readonly #nextDelayed: Statement<number>
  readonly #spanAt: Statement<SpanRow>
  readonly #addSpan: Statement
  readonly #shrinkSpan: Statement
  readonly #dropSpan: Statement
  readonly #delay: Statement
  readonly #undelay: Statement

  constructor(db: Database, requests: RequestTable) {
    this.#requests = requests
    const columns = 'rank, first, size, skip, remaining'
    this.#spans = db.prepare<unknown[], SpanRow>(`SELECT ${columns} FROM span WHERE host = +? ORDER BY rank, first LIMIT ? + 0`)
    this.#due = db.prepare<unknown[], DueRow>(
      `SELECT d.id, d.rank, v.due_at FROM delayed d LEFT JOIN visited v ON v.id = d.id
       WHERE d.host = +? AND d.not_before <= +? ORDER BY d.not_before LIMIT ? + 0`,
    )
    this.#nextDelayed = db
      .prepare<unknown[], number>(
        'SELECT not_before FROM delayed WHERE host = +? AND not_before > +? ORDER BY not_before LIMIT 1',
      )
      .pluck()
    this.#spanAt = db.prepare<unknown[], SpanRow>(
      `SELECT ${columns} FROM span WHERE host = +? AND rank = +? AND first <= +? ORDER BY first DESC LIMIT 1`,
    )
    this.#addSpan = db.prepare('INSERT INTO span (host, rank, first, size, remaining) VALUES (?, ?, ?, ?, ?)')
    this.#shrinkSpan = db.prepare('UPDATE span SET skip = ?, remaining = ? WHERE host = ? AND rank = ? AND first = ?')
    this.#dropSpan = db.prepare('DELETE FROM span WHERE host = ? AND rank = ? AND first = ?')
    this.#delay = db.prepare('INSERT OR REPLACE INTO delayed (id, host, not_before, rank) VALUES (?, ?, ?, ?)')
    this.#undelay = db.prepare('DELETE FROM delayed WHERE id = ?')
  }

  /** Hands out up to `n` requests that are due at `now`, best first. */
  handOut(held: HeldHost, host: StoredHost, { n, now }: { n: number; now: number }): Leased[] {
    const ready = this.#ready(held, host, n)
    const due = host.delayed > 0 ? this.#dueOf(held, now) : []
    const best = due.length === 0 ? ready : [...ready, ...due].sort(better).slice(0, n)
    // All are read before one is marked: what a disk that fails half-way had marked would never be handed out again.
    const handed = best.flatMap(({ id, span, leased }) => {
      const request = leased ?? this.#requests.read(host, id)
      return request === undefined ? [] : [{ id, span, request }]
    })
    return handed.map(({ id, span, request }) => {
      if (span !== undefined) {
        span.cursor = id + 1
        span.out.add(id)
        held.spans.set(span.first, span)
      }
      held.out.set(id, span)
      held.returned.delete(id)
      return request
    })
  }

  /** Takes back what was handed out: it waits like the others. */
  putBack(held: HeldHost, ids: readonly number[]): void {
    for (const id of ids) {
      const span = held.out.get(id)
      if (!held.out.delete(id) || span === undefined) continue
      span.out.delete(id)
      span.cursor = Math.min(span.cursor, id)
      // Read anew from the store when it is handed out again: what is settled of it is known there.
      if (span.out.size === 0) held.spans.delete(span.first)
    }
  }

  /** Earliest moment of a delayed request of the host that is not due at `now`. */
  nextDelayedAt(host: StoredHost, now: number): number | undefined {
    return host.delayed > 0 ? this.#nextDelayed.get(host.id, now) : undefined
  }

  /** Adds `size` new rows from id `first` as one span. */
  addSpan(host: StoredHost, rank: number, { first, size }: { first: number; size: number }): void {
    this.#addSpan.run(host.id, rank, first, size, size)
    host.ready += size
  }

  /** Makes a request that is in no span wait for `notBefore`. */
  delay(host: StoredHost, request: { id: number; rank: number }, notBefore: number): void {
    this.#delay.run(request.id, host.id, notBefore, request.rank)
    host.delayed++
  }

  /** Takes a request out of `delayed`; whether it was there. */
  undelay(host: StoredHost, id: number): boolean {
    const { changes } = this.#undelay.run(id)
    host.delayed -= changes
    return changes > 0
  }

  /** Takes settled or delayed ids of one span out of it; the span in RAM is the caller's to change once this is committed. */
  leaveSpan(host: StoredHost, span: WaitingSpan, gone: ReadonlySet<number>): void {
    host.ready -= gone.size
    const remaining = span.remaining - gone.size
    if (remaining === 0) {
      this.#dropSpan.run(host.id, span.rank, span.first)
      return
    }
    const oldest = oldestOut(span, gone)
    this.#shrinkSpan.run(oldest - span.first, remaining, host.id, span.rank, span.first)
  }

  /** Takes a request that was never tried, and that is not handed out, out of its span. */
  leave(host: StoredHost, request: { id: number; rank: number }): void {
    const row = this.#spanAt.get(host.id, request.rank, request.id)
    if (row !== undefined) this.leaveSpan(host, spanOf(row), new Set([request.id]))
  }

  /** Up to `n` of the best never tried requests, read but not handed out. */
  #ready(held: HeldHost, host: StoredHost, n: number): Candidate[] {
    const found: Candidate[] = []
    if (host.ready === 0 || n <= 0) return found
    for (const row of this.#spans.all(host.id, n + held.spans.size)) {
      const span = held.spans.get(row.first) ?? spanOf(row)
      if (span.cursor >= span.end) continue
      const requests = this.#untried(held, host, span, n - found.length)
      for (const leased of requests) found.push({ id: leased.id, rank: span.rank, span, leased })
      if (requests.length === 0) this.#exhaust(held, span)
      if (found.length >= n) break
    }
    return found
  }

  /** Of a span from which some were put back, some after the cursor may be handed out. */
  #untried({ out }: HeldHost, host: StoredHost, span: WaitingSpan, n: number): Leased[] {
    let ahead = 0
    for (const id of span.out) if (id >= span.cursor) ahead++
    const requests = this.#requests.untried(host, span.cursor, span.end, n + ahead)
    return ahead === 0 ? requests : requests.filter(({ id }) => !out.has(id)).slice(0, n)
  }

  #exhaust(held: HeldHost, span: WaitingSpan): void {
    span.cursor = span.end
    held.spans.set(span.first, span)
  }

  #dueOf(held: HeldHost, now: number): Candidate[] {
    return this.#due.all(held.hostId, now, DUE_AT_ONCE + held.out.size).filter(({ id }) => !held.out.has(id))
  }
}

function better(a: Candidate, b: Candidate): number {
  return a.rank - b.rank || (a.due_at ?? 0) - (b.due_at ?? 0) || a.id - b.id
}

function spanOf({ rank, first, size, skip, remaining }: SpanRow): WaitingSpan {
  return { rank, first, end: first + size, cursor: first + skip, remaining, out: new Set() }
}

/** The first id of a span that is not settled: the next lease begins there. */
function oldestOut(span: WaitingSpan, gone: ReadonlySet<number>): number {
  let oldest = span.cursor
  for (const id of span.out) if (id < oldest && !gone.has(id)) oldest = id
  return oldest
}

// What this process holds of one host: which of its requests are handed out, and how far each span is read. In RAM only; a crash
// forgets it, and everything that was handed out is simply waiting.

/** A range of ids that wait under one host and priority. */
export interface WaitingSpan {
  readonly rank: number
  readonly first: number
  /** Id after the last. */
  readonly end: number
  /** Next id to look at; the ones before are handed out, tried or settled. Those after it may be handed out too, once some were put back. */
  cursor: number
  /** Requests in it that are not settled and not delayed, handed out or not. */
  remaining: number
  /** Handed out, their outcome not committed yet; ascending, for they were handed out in this order, unless some were put back. */
  readonly out: Set<number>
}

/** A host that this process has leased. */
export interface HeldHost {
  readonly hostId: number
  readonly hostKey: string
  readonly epoch: number
  /** Handed out, its outcome not committed yet: the span it is of; undefined for one from `delayed`. */
  readonly out: Map<number, WaitingSpan | undefined>
  /** Put back during this lease: a repeated commit of theirs is harmless. */
  readonly returned: Set<number>
  /** Spans with something handed out or nothing left to hand out, by first id. */
  readonly spans: Map<number, WaitingSpan>
}

/** A host just leased. */
export function heldHost(hostId: number, hostKey: string, epoch: number): HeldHost {
  return { hostId, hostKey, epoch, out: new Map(), returned: new Set(), spans: new Map() }
}
