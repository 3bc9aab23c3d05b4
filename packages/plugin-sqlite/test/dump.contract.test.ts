// A store on SQLite can be copied record by record.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitUnit, Fingerprint, Leased, LeaseToken, NewRequest } from '@avocet/core/store'
import { dumpContract } from '@avocet/testkit/contracts'
import { openReader, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { sqliteStore, temporaryFolder } from './stores.ts'

it('makes a store in which every rule of a store holds', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const [from, to] = ['from.db', 'to.db'].map((name) => join(folder.path, name))
  const original = sqlite(from ?? '')
  await original.open(SPEC, 0)
  const hosts = ['a', 'b', 'c'].map((name) => `${name}.example`)
  await original.add(Array.from({ length: 25_000 }, (_, n) => newRequest(`${hosts[n % 3] ?? ''}/${n}`, { priority: n % 2 })))
  const { leases } = await original.lease({ now: 0, hosts: 2, requestsPerHost: 50 })
  await original.commit(leases.flatMap((lease) => lease.requests.map((request) => doneOf(lease, request))))
  await original.close()

  const [reader, copy] = [await openReader(from ?? ''), sqlite(to ?? '')]
  await copy.open(SPEC, 0)
  const records = reader.dump?.()
  const counts = records && (await copy.load?.(records))
  await Promise.all([reader.close(), copy.close()])

  expect(counts).toMatchObject({ hosts: 3, requests: 25_000, items: 100 })
  expect(await verifyStore(to ?? '')).toEqual({ faults: [], known: 25_000, items: 100 })
})

it('lets nobody begin to crawl in a store while it is read', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'from.db')
  const crawl = sqlite(path, { lockPatienceMs: 20 })
  await crawl.open(SPEC, 0)
  await crawl.add([newRequest('a.example/1', {})])
  await crawl.close()
  const before = readFileSync(path)

  const reader = await openReader(path)
  const records = reader.dump?.()[Symbol.asyncIterator]()
  await records?.next()
  await expect(crawl.open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_BUSY' })
  await records?.return?.()
  await reader.close()

  expect(readFileSync(path)).toEqual(before)
  expect(await crawl.open(SPEC, 0)).toMatchObject({ known: 1 })
  await crawl.close()
})

dumpContract('sqlite', () => sqliteStore({ synchronous: 'normal' }))

const SPEC = { name: 'copy', canonicalisation: 'v1', hostKeying: 'host' }

function newRequest(place: string, more: Partial<NewRequest>): NewRequest {
  const fingerprint = hash('sha1', place, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint
  const hostKey = place.slice(0, place.indexOf('/'))
  return { fingerprint, hostKey, url: `https://${place}`, handler: 'start', depth: 0, priority: 0, ...more }
}

function doneOf({ hostKey, epoch }: LeaseToken, { id }: Leased): CommitUnit {
  const fetched = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }
  return { lease: { hostKey, epoch }, requestId: id, outcome: { kind: 'done', fetched }, links: [], items: [{ json: '{}' }] }
}
