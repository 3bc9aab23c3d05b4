// Rows of the table of hosts: those on the screen, with what their policies know. Of hosts that this process crawls that is asked of the crawl; of others it is
// read from their memory in the store, a few at a time, and kept.
import type { HoldLine, HostLine, HostLines, HostsWish } from '@avocet/dashboard'
import type { CrawlConfig } from '@avocet/core'
import type { Clock, FrontierReader, HostRecord } from '@avocet/core/store'
import { explainHost, type Explanation, type Hold, type HostStatus } from '@avocet/core/tools'
import { foundRpsOf, historiansOf } from '../load/policies.ts'
import type { Slice } from '../view/answer-history.ts'
import { HostIndex, indexed, type IndexedHost, type HostNow } from './host-index.ts'
import type { LiveSight } from './live-sight.ts'

/** What a row has beyond the index. */
interface HostNotes {
  readonly foundRps: number | null
  readonly breaker: string | null
  readonly hold: HoldLine | null
}

/** What rows are made from. */
export interface RowParts {
  readonly reader: Pick<FrontierReader, 'host' | 'hosts' | 'counts'>
  readonly config: Partial<CrawlConfig>
  readonly clock: Clock
  readonly live?: LiveSight
}

const NO_NOTES: HostNotes = { foundRps: null, breaker: null, hold: null }
/** Rows of which the memory is kept, and for how long. */
const MAX_KEPT = 2_000
const KEEP_MS = 5_000
/** Memories that are read in one turn: beside a crawl, and beside nothing. */
const READ_LIVE = 4
const READ_AT_REST = 60
const INDEX_LIVE_MS = 2
const INDEX_AT_REST_MS = 60
/** As in the terminal: a shorter wait is a pace. */
const HELD_MS = 5_000

/** The table of one crawl. */
export class HostRows {
  readonly #parts: RowParts
  readonly #index: HostIndex
  readonly #kept = new Map<string, { readonly at: number; readonly notes: HostNotes }>()

  constructor(parts: RowParts) {
    const { reader, clock, live } = parts
    this.#parts = parts
    this.#index = new HostIndex({ reader, clock, budgetMs: live === undefined ? INDEX_AT_REST_MS : INDEX_LIVE_MS })
  }

  /** The rows that are wished for. */
  async lines(wish: HostsWish): Promise<HostLines> {
    await this.#index.read()
    const status = this.#statuses()
    const live = new Map([...status].map(([key, each]) => [key, liveHost(each, this.#parts.clock.now())]))
    const wanted = this.#index.wanted(wish, live)
    const from = Math.min(wish.from, Math.max(0, wanted.length - wish.count))
    const hosts = wanted.slice(from, from + wish.count)
    await this.#readNotes(hosts.filter(({ hostKey }) => !status.has(hostKey)))
    const total = this.#index.isComplete
      ? this.#index.size
      : Math.max(this.#index.size, (await this.#parts.reader.counts()).hosts)
    const rows = hosts.map((host) => {
      const known = this.#index.get(host.hostKey) ?? host
      return this.#line({ ...known, ...live.get(host.hostKey) }, status.get(host.hostKey))
    })
    return { total, indexed: this.#index.size, matching: wanted.length, from, rows }
  }

  /** The row of one host. */
  line(record: HostRecord): HostLine {
    const { clock } = this.#parts
    const status = this.#statuses().get(record.hostKey)
    this.#keep(record)
    return this.#line({ ...indexed(record, clock.now()), ...(status && liveHost(status, clock.now())) }, status)
  }

  #statuses(): ReadonlyMap<string, HostStatus> {
    const hosts = this.#parts.live?.scene()?.glance.status.hosts ?? []
    return new Map(hosts.map((host) => [host.hostKey, host]))
  }

  #line({ busy: _busy, ...host }: IndexedHost, status: HostStatus | undefined): HostLine {
    const now = this.#parts.clock.now()
    const closeUp = status && this.#parts.live?.closeUp?.(host.hostKey, now)
    const explained = closeUp?.explained
    const notes =
      explained === undefined
        ? (this.#kept.get(host.hostKey)?.notes ?? NO_NOTES)
        : notesOf(explained, status?.proven === true, now)
    const hold = status === undefined ? notes.hold : holdLine(status.hold, now)
    return { ...host, ...notes, hold, inFlight: status?.inFlight ?? 0, recent: recentOf(closeUp?.slices ?? []) }
  }

  async #readNotes(hosts: readonly IndexedHost[]): Promise<void> {
    const { clock, reader, live } = this.#parts
    const now = clock.now()
    const old = hosts.filter(({ hostKey }) => (this.#kept.get(hostKey)?.at ?? -Infinity) < now - KEEP_MS)
    for (const { hostKey } of old.slice(0, live === undefined ? READ_AT_REST : READ_LIVE)) {
      const record = await reader.host(hostKey)
      if (record) this.#keep(record)
    }
  }

  #keep(record: HostRecord): void {
    const { clock, config } = this.#parts
    const now = clock.now()
    const [oldest] = this.#kept.size < MAX_KEPT ? [] : this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
    const explained = explainHost({ ...historiansOf(config)(record), record, now })
    const { heldFor } = explained
    const notes = notesOf(explained, true, now)
    const atRest = heldFor && record.readyAt > now ? holdLine({ ...heldFor, until: record.readyAt }, now) : null
    this.#kept.delete(record.hostKey)
    this.#kept.set(record.hostKey, { at: now, notes: { ...notes, hold: notes.hold ?? atRest } })
  }
}

function notesOf({ values, holds }: Pick<Explanation, 'values' | 'holds'>, isProven: boolean, now: number): HostNotes {
  const found = isProven ? foundRpsOf(values) : undefined
  const state = Object.values(values)
    .map((known) => known['state'])
    .find((each) => typeof each === 'string')
  return {
    foundRps: found === undefined ? null : Number(found.toPrecision(3)),
    breaker: state ?? null,
    hold: holdLine(holds[0], now),
  }
}

/** A hold that is over is none. */
export function holdLine(hold: Hold | undefined, now: number): HoldLine | null {
  if (hold === undefined || hold.until <= now) return null
  return { by: hold.by, why: hold.why, until: Number.isFinite(hold.until) ? Math.round(hold.until) : null }
}

function recentOf(slices: readonly Slice[]): readonly number[] {
  return slices.flatMap(({ good, bad }) => [good, bad])
}

function liveHost({ waiting, answered, hold, inFlight }: HostStatus, now: number): HostNow {
  const isHeld = hold !== undefined && inFlight === 0 && waiting > 0 && hold.until > now + HELD_MS
  return { waiting, busy: answered + inFlight, state: isHeld ? 'held' : 'crawled' }
}
