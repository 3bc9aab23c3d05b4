// The rows of a crawl of any size, made of the numbers of its URLs: half of them done, with items; the rest waits, failed, or moved.
//
// URLs of some 72 bytes, clustered as links are: runs of a dozen to one host. Memories of hosts, and of the crawl, are those of a real one. Hosts are loopback
// addresses, so that they can be crawled.
import { hash } from 'node:crypto'
import { CANONICALISATION, type MemoryParts } from '@avocet/core/store'
import type { CopiedRow, CopiedRows } from '@avocet/plugin-sqlite'

/** Rows that come together. */
const AT_ONCE = 1_000

/** What is made. */
export interface MadeCrawl {
  readonly urls: number
  readonly hosts: number
  /** Of all hosts. */
  readonly port: number
  readonly spec: { readonly name: string; readonly hostKeying: string }
  /** Of each host. */
  readonly memory: MemoryParts
  readonly crawlMemory: MemoryParts
  /** Epoch ms. */
  readonly now: number
}

/** The URL with this number. */
export function urlAt(n: number, crawl: Pick<MadeCrawl, 'hosts' | 'port'>): string {
  return `http://${hostAt(n, crawl)}/articles/2026/a-title-of-some-more-words-${String(n).padStart(8, '0')}`
}

/** The host of the URL with this number. */
export function hostAt(n: number, { hosts, port }: Pick<MadeCrawl, 'hosts' | 'port'>): string {
  const run = Math.floor((n - 1) / 12)
  // The first runs meet each host once.
  return hostNumbered(run < hosts ? run : (Math.imul(run, 2_654_435_761) >>> 8) % hosts, port)
}

/** The host with this number, of 65,536 at most. */
export function hostNumbered(host: number, port: number): string {
  return `127.1.${String(host >> 8)}.${String(host & 255)}:${String(port)}`
}

/** All rows. */
export async function* madeRows(crawl: MadeCrawl): AsyncGenerator<CopiedRows> {
  const { spec, memory, crawlMemory, now } = crawl
  const { name, hostKeying: host_keying } = spec
  yield {
    table: 'crawl',
    rows: [{ id: 1, name, created_at: now - 86_400_000, last_at: now, run: 3, canonicalisation: CANONICALISATION, host_keying }],
  }
  yield { table: 'handler', rows: [{ id: 1, word: 'start' }] }
  yield { table: 'reason', rows: ['http-404', 'http-503'].map((word, n) => ({ id: n + 1, word })) }
  yield { table: 'host', rows: Array.from({ length: crawl.hosts }, (_, n) => hostRow(n, crawl)) }
  const parts = (of: MemoryParts): CopiedRow[] => Object.entries(of).map(([part, json]) => ({ part, json }))
  const hosts = Array.from({ length: crawl.hosts }, (_, n) => parts(memory).map((row) => ({ host: n + 1, ...row })))
  yield { table: 'host_memory', rows: hosts.flat() }
  yield { table: 'crawl_memory', rows: parts(crawlMemory).map((row) => ({ process: 1, ...row })) }
  for (let from = 1; from <= crawl.urls; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, crawl.urls + 1 - from) }, (_, n) => from + n)
    const tables = numbers.flatMap((n) => rowsAt(n, crawl))
    for (const table of ['request', 'attempt', 'delayed', 'trouble', 'item'] as const) {
      const rows = tables.filter((row) => row.table === table).map(({ row }) => row)
      if (rows.length > 0) yield { table, rows }
    }
  }
}

function hostRow(n: number, { port, now }: MadeCrawl): CopiedRow {
  const key = hostNumbered(n, port)
  const known = { id: n + 1, key, origin: `http://${key}`, ready_at: now + 1_000, retried: 2, epoch: 40, abandoned: 0 }
  return { ...known, probation: n % 10 === 0 ? 1 : 0, retired_for: n % 100 === 7 ? 'host-dead' : null, probe_at: null }
}

type Kind = 'done' | 'failed' | 'moved' | 'retried' | 'new'

function kindOf(n: number): Kind {
  const place = (n * 7) % 100
  if (place < 50) return 'done'
  if (place < 53) return 'failed'
  if (place < 54) return 'moved'
  return place < 56 ? 'retried' : 'new'
}

const STATES: Readonly<Record<Kind, number>> = { new: 0, retried: 0, done: 1, moved: 2, failed: 3 }
const STATUSES: Readonly<Record<Kind, number>> = { new: 0, retried: 503, done: 200, moved: 301, failed: 404 }

/** Those of the request with this number, and of its item. */
function rowsAt(n: number, crawl: MadeCrawl): { readonly table: CopiedRows['table']; readonly row: CopiedRow }[] {
  const { now, hosts } = crawl
  const [url, kind] = [urlAt(n, crawl), kindOf(n)]
  const run = Math.floor((n - 1) / 12)
  const host = (run < hosts ? run : (Math.imul(run, 2_654_435_761) >>> 8) % hosts) + 1
  const fingerprint = hash('sha1', url).slice(0, 32)
  const found =
    n < 100 ? { parent: null, depth: 0, anchor: null } : { parent: Math.ceil(n / 4), depth: 3, anchor: 'Read more about this' }
  const known = { id: n, host, path: url.slice(url.indexOf('/', 7)), fingerprint, ...found, rank: 0, handler: 1 }
  const request = { table: 'request', row: known } as const
  if (kind === 'new') return [request]
  const fetched = {
    fetched_at: now - (n % 86_400) * 1_000,
    status: STATUSES[kind],
    duration_ms: 180 + (n % 50),
    wire_bytes: 37_000,
  }
  const attempt = { id: n, state: STATES[kind], attempts: 1, free_attempts: 0, ...fetched, run: 3 }
  const json = JSON.stringify({ url, title: `A title of some words ${String(n)}`, price: n / 100 })
  const trouble = { id: n, reason: null, blame: null, target: null, error: null }
  const more = {
    done: n % 2 === 1 ? [{ table: 'item', row: { seq: n, request: n, visit: 0, ordinal: 0, json } } as const] : [],
    moved: [{ table: 'trouble', row: { ...trouble, target: url.replace('articles', 'news') } } as const],
    failed: [{ table: 'trouble', row: { ...trouble, reason: 1, blame: 'url' } } as const],
    retried: [
      { table: 'trouble', row: { ...trouble, reason: 2 } } as const,
      { table: 'delayed', row: { id: n, host, not_before: now + (n % 3_600) * 1_000, rank: 0 } } as const,
    ],
  }
  return [request, { table: 'attempt', row: attempt }, ...more[kind]]
}
