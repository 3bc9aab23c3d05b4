// Hosts without end, slots that are few: every host whose time has come gets its turn, whatever is in RAM already.
import { link, memoryFrontier } from 'avocet'
import { VirtualClock } from '@avocet/simulator'
import { beforeAll, describe, expect, it } from 'vitest'
import { wideRun, wideSpider, type WideHost, type WideRun } from './links/wide-web.ts'

const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `h${n}.test`)
const MINUTE = 60_000

/** Three odd hosts among many that keep all 20 slots busy for twenty minutes: h1 said 429 once, h2 wants 40 s between pages, new.test is found in minute 2. */
function oddHosts(count: number, latencyMs: number): Promise<WideRun> {
  const spider = wideSpider(names(count), {
    handlers: {
      *start({ url, fetchedAt }) {
        const n = Number(url.pathname.slice(1))
        for (const next of n === 0 ? Array.from({ length: 30 }, (_, k) => k + 1) : [n + 30]) yield link(`${url.origin}/${next}`)
        foundAt ??= fetchedAt
        if (fetchedAt - (foundAt ?? fetchedAt) > 2 * MINUTE) yield link('http://new.test/0', { priority: 100 })
      },
    },
  })
  let foundAt: number | undefined
  const refusal = { status: 429, headers: { 'retry-after': '60' } }
  return wideRun(
    { spider, concurrency: 20, delayMs: 0, hosts: { 'h2.test': { delayMs: 40_000 } }, maxTimeMs: 20 * MINUTE },
    (name) => (name === 'h1.test' ? { latencyMs, first: refusal } : { latencyMs }),
  )
}

/** Pages of the middle one of the ordinary hosts in a span of time. */
function usual({ settled }: WideRun, fromMs = 0): number {
  const counts = [...settled]
    .filter(([host]) => !['h1.test', 'h2.test', 'new.test'].includes(host))
    .map(([, moments]) => moments.filter((at) => at >= fromMs).length)
    .sort((a, b) => a - b)
  return counts[counts.length >> 1] ?? 0
}

describe('sixty hosts and twenty slots that are never free', () => {
  let ran: WideRun
  beforeAll(async () => {
    ran = await oddHosts(60, 3_200)
  }, 60_000)

  it('leave a host that answered 429 with Retry-After: 60 once all but that minute', () => {
    expect(ran.pagesOf('h1.test')).toBeGreaterThan(0.9 * usual(ran, 70_000))
  })

  it('leave a host that wants 40 s between its pages a page every 40 s or so', () => {
    expect(ran.pagesOf('h2.test')).toBeGreaterThanOrEqual(25)
  })

  it('leave a host that is found in minute 2, with priority 100, as much as any other from then on', () => {
    expect(ran.settled.get('new.test')?.[0]).toBeLessThan(2 * MINUTE + 30_000)
    expect(ran.pagesOf('new.test')).toBeGreaterThan(0.9 * usual(ran, 2 * MINUTE + 10_000))
  })
})

describe('four hundred hosts and twenty slots that are never free', () => {
  let ran: WideRun
  beforeAll(async () => {
    ran = await oddHosts(400, 1_000)
  }, 60_000)

  it('are served alike, though fewer are held', () => {
    expect(ran.mostHeld).toBeLessThanOrEqual(200)
    const counts = names(400)
      .filter((name) => name !== 'h1.test' && name !== 'h2.test')
      .map((name) => ran.pagesOf(name))
    // 20 slots for 1,200 s and 400 hosts are 60 pages each.
    expect(Math.min(...counts)).toBeGreaterThan(45)
    expect(Math.max(...counts)).toBeLessThan(75)
  })

  it('leave the one that was refused, the one that is slow to be asked and the one of high priority their share', () => {
    expect(ran.pagesOf('h1.test')).toBeGreaterThan(45)
    expect(ran.pagesOf('h2.test')).toBeGreaterThanOrEqual(18)
    expect(ran.settled.get('new.test')?.[0]).toBeLessThan(2 * MINUTE + 45_000)
  })
})

describe('slow and quick hosts, more than are held', () => {
  it('share the slots by time, over all visits of a host', async () => {
    const ran = await wideRun(
      { spider: wideSpider(names(400)), concurrency: 20, delayMs: 0, maxPerHost: 4, maxTimeMs: 15 * MINUTE },
      (name) => ({ latencyMs: Number(name.slice(1, -5)) % 2 === 0 ? 500 : 8_000 }),
    )
    const mean = (odd: number): number => {
      const some = names(400).filter((_, n) => n % 2 === odd)
      return some.reduce((sum, name) => sum + ran.pagesOf(name), 0) / some.length
    }
    // Half of 20 slots for 900 s over 200 hosts are 45 s each: 90 quick pages, or 5 to 6 slow ones.
    expect(mean(0)).toBeGreaterThan(70)
    expect(mean(1)).toBeGreaterThan(4)
  })
})

describe('ten thousand hosts', () => {
  it('are crawled by a hundred slots that hold ten times as many hosts at most, as quickly as if all were held', async () => {
    const ran = await wideRun({ spider: wideSpider(names(10_000), { pages: 3 }), concurrency: 100 }, () => ({ latencyMs: 50 }))

    expect([...ran.settled.values()].reduce((sum, { length }) => sum + length, 0)).toBe(30_000)
    expect(ran.mostHeld).toBeLessThanOrEqual(1_000)
    // 100 slots of 50 ms serve 2,000 pages a second; half of them while nobody is proven.
    expect(ran.endedAfterMs).toBeLessThan(25_000)
  })

  it('that hang do not hide ten that answered before', async () => {
    const well = Array.from({ length: 10 }, (_, n) => `well${n}.test`)
    const hosts = [...names(3_000), ...well]
    const latency = (name: string): WideHost => ({ latencyMs: 100, hangs: !name.startsWith('well') })
    const before = { frontier: memoryFrontier(), clock: new VirtualClock(), concurrency: 20 }
    await wideRun({ ...before, spider: wideSpider(well, { pages: 20 }), maxPages: 20 }, latency)

    const ran = await wideRun({ ...before, spider: wideSpider(hosts, { pages: 20 }), maxTimeMs: 3 * MINUTE }, latency)

    // 3,000 unknown hosts are looked through in a minute, though only half of the slots are theirs, for 30 s each.
    expect(well.map((name) => ran.pagesOf(name)).every((pages) => pages >= 16)).toBe(true)
    expect(Math.max(...well.map((name) => ran.settled.get(name)?.[0] ?? Infinity))).toBeLessThan(MINUTE)
  })
})
