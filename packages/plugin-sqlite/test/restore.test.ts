// A store on SQLite is copied row by row, whole or not at all.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitUnit, Fingerprint, Frontier, Leased, LeaseToken, NewRequest } from '@avocet/core/store'
import { openReader, sqlite, verifyStore, type CopiedRows } from '@avocet/plugin-sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'copy', hostKeying: 'host' }

it('makes a store in which every rule of a store holds, and that knows all of its URLs', async () => {
  const [from, to] = newPaths()
  const requests = Array.from({ length: 25_000 }, (_, n) => newRequest(`${'abc'[n % 3] ?? ''}.example/${n}`, { priority: n % 2 }))
  const original = await opened(from)
  await original.add(requests)
  const { leases } = await original.lease({ now: 0, hosts: 2, requestsPerHost: 50 })
  await original.commit(leases.flatMap((lease) => lease.requests.map((request) => doneOf(lease, request))))
  await original.close()

  const [reader, copy] = [await openReader(from), await opened(to)]
  await copy.restore(reader.rows())
  await Promise.all([reader.close(), copy.close()])

  expect(await verifyStore(to)).toEqual({ faults: [], known: 25_000, items: 100 })
  const again = await opened(to)
  expect(await again.add([...requests.slice(-9), newRequest('new.example/')])).toEqual({ added: 1, known: 9 })
  await again.close()
})

it('is refused where there is a crawl, and for rows of none', async () => {
  const [from, to] = newPaths()
  const original = await opened(from)
  await original.add([newRequest('a.example/1')])

  await expect(original.restore(only([]))).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNUSABLE' })
  await original.close()
  const empty = await opened(to)
  await expect(empty.restore(only([]))).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
  await empty.close()
})

it('leaves a store that was half filled one that says so when it is opened', async () => {
  const [path] = newPaths()
  const half = await opened(path)
  const host = { id: 1, key: 'a.example', origin: 'https://a.example', ready_at: 0, retried: 0, epoch: 0 }
  const rows = [{ ...host, abandoned: 0, probation: 1, retired_for: null, probe_at: null }]
  await expect(half.restore(only([{ table: 'host', rows }]))).rejects.toThrow('expected the rows of a crawl')
  await half.close()

  await expect(opened(path)).rejects.toMatchObject({ code: 'AVO_FRONTIER_UNFINISHED' })
})

it('lets nobody begin to crawl in a store while it is read', async () => {
  const [path] = newPaths()
  const crawl = sqlite(path, { lockPatienceMs: 20 })
  await crawl.open(SPEC, 0)
  await crawl.add([newRequest('a.example/1')])
  await crawl.close()
  const before = readFileSync(path)

  const reader = await openReader(path)
  const rows = reader.rows()
  await rows.next()
  await expect(crawl.open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_BUSY' })
  await rows.return(undefined)
  await reader.close()

  expect(readFileSync(path)).toEqual(before)
  expect(await crawl.open(SPEC, 0)).toMatchObject({ known: 1 })
  await crawl.close()
})

function newPaths(): [string, string] {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  return [join(folder.path, 'from.db'), join(folder.path, 'to.db')]
}

async function opened(path: string): Promise<Frontier & Pick<ReturnType<typeof sqlite>, 'restore'>> {
  const frontier = sqlite(path)
  await frontier.open(SPEC, 0)
  return frontier
}

async function* only(all: readonly CopiedRows[]): AsyncGenerator<CopiedRows> {
  yield* all
}

function newRequest(place: string, more: Partial<NewRequest> = {}): NewRequest {
  const fingerprint = hash('sha1', place, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint
  const hostKey = place.slice(0, place.indexOf('/'))
  return { fingerprint, hostKey, url: `https://${place}`, handler: 'start', depth: 0, priority: 0, ...more }
}

function doneOf({ hostKey, epoch }: LeaseToken, { id }: Leased): CommitUnit {
  const fetched = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }
  return { lease: { hostKey, epoch }, requestId: id, outcome: { kind: 'done', fetched }, links: [], items: [{ json: '{}' }] }
}
