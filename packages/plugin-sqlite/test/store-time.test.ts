// Processes on one store whose wall clocks differ: who lives and what time it is goes by the clock that they share.
import { join } from 'node:path'
import { crawl, spider } from 'avocet'
import { CANONICALISATION, type Fetcher, type Frontier } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { leaseOne, newRequest, SPEC } from '../../testkit/src/contracts/frontier/story.ts'
import { temporaryFolder } from './stores.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = 1_767_225_600_000

/** Two stores on one file, of one machine; the second is not open yet. */
function two(): { path: string; first: Frontier; second: Frontier; clock: VirtualClock } {
  const folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  const clock = new VirtualClock()
  const [first, second] = [sqlite(path, { clock }), sqlite(path, { clock })]
  onTestFinished(async () => {
    await first.close()
    await second.close()
    folder.dispose()
  })
  return { path, first, second, clock }
}

/** Puts all processes into a container that the other cannot see into, so that only silence tells. */
function elsewhere(path: string): void {
  const db = new Database(path)
  db.exec("UPDATE process SET namespace = 'pid:[elsewhere]'")
  db.close()
}

describe.each([
  ['2 h behind', -2 * HOUR],
  ['2 h ahead', 2 * HOUR],
])('a process with a clock %s', (_, aheadMs) => {
  it('learns on open how far the time of the store is from its own, and moves no wait', async () => {
    const { first, second } = two()
    await first.open(SPEC, NOW)
    await first.add([newRequest('a.example/1')])
    await first.release([{ lease: await leaseOne(first, { now: NOW }), rest: { readyAt: NOW + MINUTE, memory: {} } }])

    const info = await second.open(SPEC, NOW + aheadMs)

    expect(info.aheadMs).toBe(-aheadMs)
    expect(info).not.toHaveProperty('setBackMs')
    expect(await second.lease({ now: NOW, hosts: 9, requestsPerHost: 9 })).toMatchObject({ nextReadyAt: NOW + MINUTE })
    expect(second.aheadMs?.(NOW - 7_000)).toBe(7_000)
    expect(first.aheadMs?.(NOW - 7_000)).toBeUndefined()
  })

  it('takes no process that it cannot see for dead while that one beats, and takes it for dead when it is silent', async () => {
    const { path, first, second, clock } = two()
    await first.open(SPEC, NOW)
    await first.add([newRequest('a.example/1')])
    await leaseOne(first, { now: NOW })
    await second.open(SPEC, NOW + aheadMs)
    elsewhere(path)

    await clock.advance(MINUTE - 1)
    expect(await second.lease({ now: NOW + aheadMs, hosts: 9, requestsPerHost: 9 })).toMatchObject({
      leases: [],
      heldElsewhere: 1,
    })
    await clock.advance(2)
    expect((await second.lease({ now: NOW + aheadMs, hosts: 9, requestsPerHost: 9 })).leases).toHaveLength(1)
  })
})

describe('the time of a store', () => {
  it('is that of the process that has it open longest, and of the next one when that has left', async () => {
    const { first, second, clock } = two()
    await first.open(SPEC, NOW)
    await second.open(SPEC, NOW)
    await clock.advance(10_000)
    await first.renew([], NOW + 8_000)

    expect(second.aheadMs?.(NOW + 10_000)).toBe(-2_000)
    await first.close()
    expect(second.aheadMs?.(NOW + 10_000)).toBeUndefined()
  })

  it('is not that of a process that has not beaten for a minute', async () => {
    const { first, second, clock } = two()
    await first.open(SPEC, NOW)
    await second.open(SPEC, NOW)
    await clock.advance(MINUTE + 1)

    expect(second.aheadMs?.(NOW)).toBeUndefined()
  })
})

describe.each([
  ['2 h ahead', 2 * HOUR],
  ['2 h behind', -2 * HOUR],
])('a store that a process of another container had open, with a clock %s', (_, aheadMs) => {
  it('waits to see whether that one lives, and goes by the own clock of who finds it dead', async () => {
    const { path, first, second, clock } = two()
    await first.open(SPEC, NOW + aheadMs)
    await first.renew([], NOW + aheadMs)
    elsewhere(path)

    await clock.advance(5_000)
    await expect(second.open(SPEC, NOW + 5_000)).rejects.toMatchObject({
      code: 'AVO_FRONTIER_BUSY',
      message: expect.stringContaining('try again in 55 s'),
    })
    await clock.advance(MINUTE)
    const info = await second.open(SPEC, NOW + MINUTE + 5_000)

    expect(info).not.toHaveProperty('aheadMs')
    expect(info.setBackMs).toBe(aheadMs > 0 ? aheadMs - MINUTE - 5_000 : undefined)
    expect(second.aheadMs?.(NOW)).toBeUndefined()
  })

  it('goes by the time of that one as soon as it beats', async () => {
    const { path, first, second, clock } = two()
    await first.open(SPEC, NOW + aheadMs)
    elsewhere(path)

    await clock.advance(5_000)
    await expect(second.open(SPEC, NOW + 5_000)).rejects.toMatchObject({ code: 'AVO_FRONTIER_BUSY' })
    await clock.advance(5_000)
    await first.renew([], NOW + aheadMs + 10_000)
    await clock.advance(1_000)

    expect((await second.open(SPEC, NOW + 11_000)).aheadMs).toBe(aheadMs)
  })

  it('opens at once beside a process that it can see', async () => {
    const { path, first, second, clock } = two()
    const third = sqlite(path, { clock })
    onTestFinished(() => third.close())
    await first.open(SPEC, NOW + aheadMs)
    elsewhere(path)
    await clock.advance(5_000)
    await third.open(SPEC, NOW + aheadMs + 5_000)

    expect((await second.open(SPEC, NOW + 5_000)).aheadMs).toBe(aheadMs)
  })
})

it('a store that a process of another container had open opens at once where their clocks agree', async () => {
  const { path, first, second, clock } = two()
  await first.open(SPEC, NOW)
  elsewhere(path)
  await clock.advance(5_000)

  expect(await second.open(SPEC, NOW + 9_000)).toMatchObject({ aheadMs: -4_000 })
})

it('a crawl after one that was killed in another container waits for a minute, says why, and goes by its own clock', async () => {
  const { path, first, second, clock } = two()
  const startedAt = clock.now()
  await first.open({ ...SPEC, canonicalisation: CANONICALISATION }, startedAt + 2 * HOUR)
  await first.add([newRequest('a.example/1')])
  await first.release([
    {
      lease: await leaseOne(first, { now: startedAt + 2 * HOUR }),
      rest: {
        readyAt: startedAt + 2 * HOUR + MINUTE,
        memory: {},
      },
    },
  ])
  await first.renew([], startedAt + 2 * HOUR)
  elsewhere(path)
  const made = crawl({
    policies: [],
    spider: spider({ name: 'next', seeds: ['http://a.example/2'], handlers: { *start() {} } }),
    frontier: second,
    clock,
    fetcher: empty(clock),
  })
  let paused: string | undefined
  clock.at(startedAt + 30_000, () => (paused = made.status().pausedFor))

  const report = await clock.run(() => made.run())

  expect(paused).toContain('another container')
  expect(report).toMatchObject({ ended: 'done', counts: { done: 2 } })
  expect(report.problems.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('the clock is 1.98 h behind the last run'),
  )
  expect(clock.now() - startedAt).toBeLessThan(3 * MINUTE)
})

/** A web of empty pages. */
function empty(clock: VirtualClock): Fetcher {
  return {
    fetch({ url }, receiver) {
      receiver.sent()
      const wake = clock.at(clock.now() + 10, () => {
        const head = { status: 200, headers: { 'content-type': 'text/html' } }
        const timings = { firstByteMs: 10, bodyMs: 0, reusedSocket: false }
        receiver.headers(head)
        receiver.done({ url, ...head, body: new Uint8Array(), wireBytes: 0, timings })
      })
      return () => wake[Symbol.dispose]()
    },
    close: async () => {},
  }
}
