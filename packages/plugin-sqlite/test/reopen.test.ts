// Failed requests that are opened again: every total of the file can be recounted, under a visit, across processes and after.
import { join } from 'node:path'
import { crawl, spider } from 'avocet'
import { type Fetcher, type Fingerprint, type Frontier, type NewRequest, type CommitUnit } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'reopen', hostKeying: 'host' }

function request(n: number): NewRequest {
  const fingerprint = String(n).padStart(16, '0') as Fingerprint
  const hostKey = `h${n % 3}.example`
  return { fingerprint, hostKey, url: `https://${hostKey}/${n}`, handler: 'start', depth: 0, priority: n % 2 }
}

/** Leases all that is due; every third fails, every third is put back, the others are done. Gives the hosts back if told so. */
async function work(frontier: Frontier, now: number, release: boolean): Promise<void> {
  const { leases } = await frontier.lease({ now, hosts: 9, requestsPerHost: 7 })
  for (const lease of leases) {
    const units = lease.requests.map((leased, n): CommitUnit => {
      const outcome = [
        { kind: 'failed', reason: `http-50${n % 2}` } as const,
        { kind: 'retry', at: now + 5, counted: true, reason: 'reset' } as const,
        { kind: 'done', fetched: { at: now, status: 200, durationMs: 1, wireBytes: 1 } } as const,
      ][n % 3]
      return { lease, requestId: leased.id, ...(outcome && { outcome }), links: [], items: [] }
    })
    await frontier.commit(units)
    if (release) await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
}

it('keeps every total right, with any holder of the host', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'store.db')
  const frontier = sqlite(path)
  await frontier.open(SPEC, 0)
  await frontier.add(Array.from({ length: 60 }, (_, n) => request(n)))
  await work(frontier, 0, false)
  const other = sqlite(path)
  await other.open(SPEC, 0)

  expect(await other.change({ kind: 'reopen', reasons: ['http-500'], limit: 4 })).toBe(4)
  expect(audit(path)).toEqual([])
  await frontier.close()
  for (const now of [10, 20, 30]) {
    await work(other, now, true)
    await other.change({ kind: 'reopen', hostKey: 'h1.example', limit: 99 })
    expect(audit(path)).toEqual([])
  }
  await other.close()
  expect(audit(path)).toEqual([])
})

/** Every page after 10 ms; the first one is not there the first time. */
function forgetfulWeb(clock: VirtualClock, asked: string[]): Fetcher {
  return {
    fetch({ url }, receiver) {
      const status = url.endsWith('/0') && !asked.includes(url) ? 404 : 200
      asked.push(url)
      receiver.sent()
      const headers = { 'content-type': 'text/html' }
      const timings = { firstByteMs: 10, bodyMs: 0, reusedSocket: false }
      const wake = clock.at(clock.now() + 10, () => {
        receiver.headers({ status, headers })
        receiver.done({ url, status, headers, body: new Uint8Array(), wireBytes: 0, timings })
      })
      return () => wake[Symbol.dispose]()
    },
    close: async () => {},
  }
}

it('a crawl that holds the host fetches what another process opens again, in the same run', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  const path = join(folder.path, 'store.db')
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const asked: string[] = []
  const seeds = Array.from({ length: 30 }, (_, n) => `http://shop.test/${n}`)
  const subject = crawl({
    policies: [],
    spider: spider({ name: 'live', seeds, handlers: { *start() {} } }),
    frontier: sqlite(path, { clock }),
    clock,
    fetcher: forgetfulWeb(clock, asked),
  })
  const other = sqlite(path, { clock })
  let reopened = 0
  clock.at(startedAt + 5_500, () => {
    const hold = clock.hold('the other process')
    const reopen = async (): Promise<void> => {
      await other.open({ name: 'live', hostKeying: 'host' }, clock.now())
      reopened = await other.change({ kind: 'reopen', reasons: ['http-404'], limit: 9 })
      await other.close()
      hold[Symbol.dispose]()
    }
    void reopen()
  })
  const report = await clock.run(() => subject.run())

  expect(reopened).toBe(1)
  expect(report).toMatchObject({ ended: 'done', counts: { done: 30, failed: 0, waiting: 0 } })
  expect(asked.filter((url) => url.endsWith('/0'))).toHaveLength(2)
  expect(asked.indexOf('http://shop.test/0', 1)).toBeLessThan(20)
  expect(audit(path)).toEqual([])
})
