// A lock that another program holds on the file: short ones are waited for inside, longer ones are told. On virtual time.
import { hash } from 'node:crypto'
import type { AvocetError } from '@avocet/core'
import type { Fingerprint, Frontier, NewRequest, LeaseToken } from '@avocet/core/store'
import { sqlite, type SqliteOptions } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const SECOND = 1_000
const SPEC = { name: 'locks', hostKeying: 'host' } as const

let folder: ReturnType<typeof temporaryFolder>
let clock: VirtualClock
const opened: Frontier[] = []
const place = (): string => join(folder.path, 'crawl.db')

beforeEach(() => {
  folder = temporaryFolder()
  clock = new VirtualClock()
})
afterEach(async () => {
  for (const frontier of opened.splice(0)) await clock.run(() => frontier.close()).catch(() => {})
  folder.dispose()
})

function made(options: SqliteOptions = {}): Frontier {
  const frontier = sqlite(place(), { clock, ...options })
  opened.push(frontier)
  return frontier
}

async function open(options: SqliteOptions = {}): Promise<Frontier> {
  const frontier = made(options)
  await clock.run(() => frontier.open(SPEC, clock.now()))
  return frontier
}

/** Locks the file until the end, or for `forMs`. */
function lock(forMs = Infinity, how = 'BEGIN IMMEDIATE'): () => void {
  const other = new Database(place())
  other.exec(how)
  const free = (): void => {
    if (!other.open) return
    if (other.inTransaction) other.exec('ROLLBACK')
    other.close()
  }
  clock.at(clock.now() + forMs, free)
  return free
}

const requests = (path: string): NewRequest[] => [
  {
    fingerprint: hash('sha1', path, 'binary').slice(0, 16) as Fingerprint,
    hostKey: 'shop.test',
    url: `http://shop.test/${path}`,
    handler: 'start',
    depth: 0,
    priority: 0,
  },
]

async function leased(frontier: Frontier): Promise<LeaseToken> {
  const { leases } = await clock.run(() => frontier.lease({ now: clock.now(), hosts: 1, requestsPerHost: 4 }))
  const [lease] = leases
  if (lease === undefined) throw new Error('expected a visit')
  return lease
}

const endOf = (call: Promise<unknown>): Promise<{ at: number; code?: string; message?: string }> =>
  call.then(
    () => ({ at: clock.now() }),
    (error: AvocetError) => ({ at: clock.now(), code: error.code, message: error.message }),
  )

describe('a lock of another program', () => {
  it('that lasts is reported after a second, with what to do', async () => {
    const frontier = await open()
    const startedAt = clock.now()
    const free = lock()
    const { at, code, message } = await clock.run(() => endOf(frontier.add(requests('a'))))
    free()

    expect(code).toBe('AVO_FRONTIER_BUSY')
    expect(message).toMatch(
      /crawl\.db: expected no other program to lock the store for long, got: database is locked.* if a program that does not crawl here holds it/,
    )
    expect(at - startedAt).toBeGreaterThan(500)
    expect(at - startedAt).toBeLessThanOrEqual(SECOND)
  })

  it('of some hundred ms is waited for', async () => {
    const frontier = await open()
    lock(600)
    const { code } = await clock.run(() => endOf(frontier.add(requests('a'))))

    expect(code).toBeUndefined()
    expect(await frontier.reader.counts()).toMatchObject({ known: 1 })
  })

  it('that is free for 5 ms of each 25 keeps no call out: another process of the crawl offers a long list of seeds', async () => {
    const frontier = await open()
    for (let ms = 0; ms < SECOND; ms += 25) clock.at(clock.now() + ms, () => lock(20))
    await clock.advance(0)
    const { code } = await clock.run(() => endOf(frontier.add(requests('a'))))

    expect(code).toBeUndefined()
  })

  it('is waited for as long as was asked', async () => {
    const frontier = await open({ lockPatienceMs: 30 * SECOND })
    lock(25 * SECOND)
    const { code } = await clock.run(() => endOf(frontier.add(requests('a'))))

    expect(code).toBeUndefined()
  })

  it('turns away everything that waits in line, at the same moment and in its order, and none of it was done', async () => {
    const frontier = await open()
    await frontier.add(requests('a'))
    const lease = await leased(frontier)
    const startedAt = clock.now()
    const free = lock()
    const order: string[] = []
    const named = (name: string, call: Promise<unknown>): ReturnType<typeof endOf> => endOf(call).finally(() => order.push(name))
    const ends = await clock.run(() =>
      Promise.all([
        named('add', frontier.add(requests('b'))),
        named('renew', frontier.renew([lease], clock.now())),
        named('retire', frontier.retire('shop.test', 'no', Infinity, lease)),
        named('release', frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])),
      ]),
    )
    free()

    expect(ends.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'AVO_FRONTIER_BUSY'))
    expect(Math.max(...ends.map(({ at }) => at - startedAt))).toBeLessThanOrEqual(SECOND)
    expect(order).toEqual(['add', 'renew', 'retire', 'release'])
    expect(await frontier.reader.counts()).toMatchObject({ known: 1, retiredHosts: 0 })
    expect(await clock.run(() => frontier.renew([lease], clock.now()))).toEqual([{ held: true, waiting: 0 }])
  })

  it('is forgotten once it is gone: the next call works, whatever was shared with one that was turned away', async () => {
    const frontier = await open()
    await frontier.add(requests('a'))
    const lease = await leased(frontier)
    const free = lock()
    const turnedAway = await clock.run(() => endOf(frontier.renew([lease], clock.now())))
    free()

    expect(turnedAway.code).toBe('AVO_FRONTIER_BUSY')
    expect(await clock.run(() => frontier.renew([lease], clock.now()))).toEqual([{ held: true, waiting: 0 }])
    await clock.run(() => frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }]))
    expect(audit(place())).toEqual([])
  })

  it.each([
    ['a store', true],
    ['a new file', false],
  ])('on %s keeps the loop free while it is opened, and is reported after a second', async (_what, isStore) => {
    if (isStore) await (await open()).close()
    opened.length = 0
    const startedAt = clock.now()
    const began = performance.now()
    const free = lock(Infinity, isStore ? 'BEGIN IMMEDIATE' : 'BEGIN EXCLUSIVE')
    const frontier = made()
    const { at, code } = await clock.run(() => endOf(frontier.open(SPEC, clock.now())))
    const tookMs = performance.now() - began
    free()

    expect(code).toBe('AVO_FRONTIER_BUSY')
    expect(at - startedAt).toBeLessThanOrEqual(SECOND)
    expect(tookMs).toBeLessThan(20 * SECOND)
    expect(await clock.run(() => frontier.open(SPEC, clock.now()))).toMatchObject({ resumed: false, known: 0 })
  })
})

describe('a store that is closed while another program locks it', () => {
  it('waits for half a minute: nobody would try again', async () => {
    const frontier = await open()
    lock(20 * SECOND)
    const { code } = await clock.run(() => endOf(frontier.close()))
    opened.length = 0

    expect(code).toBeUndefined()
    expect(audit(place())).toEqual([])
  })

  it('waits for a second where the call before was turned away: somebody has waited already', async () => {
    const frontier = await open()
    const free = lock()
    await clock.run(() => endOf(frontier.add(requests('a'))))
    const startedAt = clock.now()
    const { at, code } = await clock.run(() => endOf(frontier.close()))
    opened.length = 0
    free()

    expect(code).toBe('AVO_FRONTIER_BUSY')
    expect(at - startedAt).toBeLessThanOrEqual(SECOND)
  })
})
