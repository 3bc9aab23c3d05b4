// The dump of a crawl of any size, made of the numbers of its URLs: half of them done, with items; the rest waits, failed, or moved.
//
// URLs of some 72 bytes, clustered as links are: runs of a dozen to one host. Memories of hosts, and of the crawl, are those of a real one. Hosts are loopback
// addresses, so that they can be crawled.
import { hash } from 'node:crypto'
import { DUMP_VERSION, type DumpedRequest, type DumpRecord, type Fingerprint, type MemoryParts } from '@avocet/core/store'

/** What is made. */
export interface MadeCrawl {
  readonly urls: number
  readonly hosts: number
  /** Of all hosts. */
  readonly port: number
  readonly spec: { readonly name: string; readonly canonicalisation: string; readonly hostKeying: string }
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

/** All records. */
export async function* madeRecords(crawl: MadeCrawl): AsyncGenerator<DumpRecord> {
  const { urls, hosts, port, spec, memory, crawlMemory, now } = crawl
  yield { type: 'store', version: DUMP_VERSION, ...spec, createdAt: now - 86_400_000, lastAt: now, run: 3 }
  for (let n = 0; n < hosts; n++) {
    const hostKey = hostNumbered(n, port)
    const known = {
      hostKey,
      origin: `http://${hostKey}`,
      readyAt: now + 1_000,
      retried: 2,
      epoch: 40,
      onProbation: n % 10 === 0,
    }
    yield { type: 'host', ...known, memory, ...(n % 100 === 7 && { retired: { reason: 'host-dead', probeAt: Infinity } }) }
  }
  yield { type: 'memory', parts: crawlMemory }
  for (let n = 1; n <= urls; n++) yield requestAt(n, crawl)
  let items = 0
  for (let n = 1; n <= urls; n += 2) {
    if (kindOf(n) !== 'done') continue
    const json = JSON.stringify({ url: urlAt(n, crawl), title: `A title of some words ${String(n)}`, price: n / 100 })
    yield { type: 'item', seq: ++items, requestId: n, visit: 0, ordinal: 0, json }
  }
  yield { type: 'end', hosts, requests: urls, items, records: 0, rejects: 0, sinks: 0 }
}

function kindOf(n: number): 'done' | 'failed' | 'moved' | 'retried' | 'new' {
  const place = (n * 7) % 100
  if (place < 50) return 'done'
  if (place < 53) return 'failed'
  if (place < 54) return 'moved'
  return place < 56 ? 'retried' : 'new'
}

function requestAt(n: number, crawl: MadeCrawl): DumpRecord {
  const { now } = crawl
  const [url, kind] = [urlAt(n, crawl), kindOf(n)]
  const known: DumpedRequest = {
    ...{ type: 'request', id: n, url, hostKey: hostAt(n, crawl), handler: 'start', depth: n < 100 ? 0 : 3, priority: 0 },
    fingerprint: hash('sha1', url, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint,
    ...(n >= 100 && { parentId: Math.ceil(n / 4), anchorText: 'Read more about this' }),
    ...{ state: 'waiting', attempts: 0, freeAttempts: 0 },
  }
  if (kind === 'new') return known
  const fetched = { at: now - (n % 86_400) * 1_000, status: 200, durationMs: 180 + (n % 50), wireBytes: 37_000 }
  const tried = { ...known, attempts: 1, visitedIn: 3, fetched }
  if (kind === 'done') return { ...tried, state: 'done' }
  if (kind === 'moved')
    return { ...tried, state: 'moved', target: url.replace('articles', 'news'), fetched: { ...fetched, status: 301 } }
  if (kind === 'failed')
    return { ...tried, state: 'failed', reason: 'http-404', blame: 'url', fetched: { ...fetched, status: 404 } }
  return { ...tried, notBefore: now + (n % 3_600) * 1_000, reason: 'http-503', fetched: { ...fetched, status: 503 } }
}
