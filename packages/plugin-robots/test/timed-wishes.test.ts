// What a robots.txt wishes by the time of the day is obeyed: Visit-time and Request-rate.
import { atRest } from '@avocet/at-rest'
import { crawlDelayMs, parseRobots, robots } from '@avocet/plugin-robots'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'

const A = 'http://a.test'
const MINUTE_MS = 60_000
const midnight = Date.parse('2026-01-15T00:00Z')
const seeds = (n: number): string[] => Array.from({ length: n }, (_, i) => `${A}/${i + 1}`)
const timed = (lines: string): object => Object.fromEntries(parseRobots(lines).timed)
const UTC = { timeZone: 'UTC' }

describe('Visit-time and Request-rate in robots.txt', () => {
  it.each([
    ['Visit-time: 0600-0845', [{ from: 360, to: 525, ...UTC }]],
    ['visit-time: 22:00 - 06:00 UTC', [{ from: 1_320, to: 360, ...UTC }]],
    ['Request-rate: 1/10m 1300-1659', [{ from: 780, to: 1_019, delayMs: 600_000, ...UTC }]],
    [
      'Request-rate: 30/1m 0600-0845\nVisit-time: 0500-0900',
      [
        { from: 300, to: 540, ...UTC },
        { from: 360, to: 525, delayMs: 2_000, ...UTC },
      ],
    ],
    ['Visit-time: 0000-0500\nVisit-time: 0600-0700', [{ from: 360, to: 420, ...UTC }]],
  ])('are read: %j', (lines, wishes) => {
    expect(timed(`User-agent: *\n${lines}`)).toEqual({ '*': wishes })
  })

  it.each([
    ['1/5', 5_000],
    ['1/10s', 10_000],
    ['1/1m', 60_000],
    ['2 / 1h', 1_800_000],
    ['1/7 0000-2400', 7_000],
    ['1/5\nCrawl-delay: 3', 5_000],
    ['1/2\nCrawl-delay: 3', 3_000],
  ])('a rate for the whole day is a delay: %j', (rate, delayMs) => {
    expect(crawlDelayMs(parseRobots(`User-agent: *\nRequest-rate: ${rate}`), 'avocet')).toBe(delayMs)
  })

  it.each([
    ...[
      'Visit-time: 0600',
      'Visit-time: 0600-0600',
      'Visit-time: 2500-2600',
      'Visit-time: 2400-0600',
      'Visit-time: 06-08',
      'Visit-time:',
    ],
    ...['Request-rate: 1', 'Request-rate: 0/5', 'Request-rate: 1/0', 'Request-rate: 1/2d', 'Request-rate: 1/25h'],
    ...['Request-rate: -1/5', 'Request-rate: 1/5 noon', 'Request-rate: 1/25h 0600-0700', `Request-rate: 1/${'9'.repeat(400)}`],
  ])('are ignored and counted where they are not plausible: %j', (line) => {
    const read = parseRobots(`User-agent: *\n${line}`)

    expect([read.ignoredLines, read.delays.size, read.timed.size]).toEqual([1, 0, 0])
  })

  it('say nothing where they are for the whole day, or outside of a group', () => {
    expect(parseRobots('User-agent: *\nVisit-time: 0000-2400')).toMatchObject({ ignoredLines: 0, timed: new Map() })
    expect(parseRobots('Visit-time: 0600-0845\nUser-agent: *')).toMatchObject({ ignoredLines: 1, timed: new Map() })
  })

  it('are for the agents that were named, like a Crawl-delay', () => {
    const read = parseRobots('User-agent: a\nUser-agent: b\nVisit-time: 0600-0845\nUser-agent: *\nRequest-rate: 1/5')

    expect([...read.timed.keys()]).toEqual(['a', 'b'])
    expect([...read.delays.keys()]).toEqual(['*'])
  })

  it('are few, whatever the site writes', () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `User-agent: a${n}`)
    const lines = Array.from({ length: 5_000 }, (_, n) => `Request-rate: 1/${n + 1} 0600-0700`)
    const read = parseRobots([...names, ...lines].join('\n'))

    expect(new Set([...read.timed.values()].map(({ length }) => length))).toEqual(new Set([8]))
    expect(read.ignoredLines).toBe(4_992)
  })
})

/** Runs from midnight UTC at a host with this robots.txt. */
function runWith(lines: string, pages: number, config: object = {}): Promise<Ran> {
  const script: Record<string, Answer> = { [`${A}/robots.txt`]: { body: `User-agent: *\n${lines}` } }
  for (const url of seeds(pages)) script[url] = { body: 'ok' }
  const clock = new VirtualClock({ startAt: midnight })
  return run(script, {
    spider: pathSpider(seeds(pages)),
    plugins: [robots()],
    delayMs: 0,
    patienceMs: 86_400_000,
    clock,
    ...config,
  })
}

/** When the pages were requested, in minutes since midnight. */
function minutesOf({ seen }: Ran): readonly number[] {
  return seen.filter(({ outbound }) => !outbound.url.endsWith('.txt')).map(({ at }) => (at - midnight) / MINUTE_MS)
}

describe('a host that asks for visits at some hours', () => {
  it('is asked for its robots.txt, and for pages within these hours only', async () => {
    const ran = await runWith('Visit-time: 0600-0845', 400, { delayMs: 30_000 })
    const outside = minutesOf(ran).filter((minute) => minute % 1_440 < 360 || minute % 1_440 >= 525)

    expect(ran.asked[0]).toBe('+0 /robots.txt')
    expect(ran.report.counts).toMatchObject({ done: 400 })
    expect(outside).toEqual([])
    expect(Math.max(...minutesOf(ran))).toBeGreaterThan(1_440)
  })

  it('is asked at any time where its robots.txt is ignored', async () => {
    const ran = await runWith('Visit-time: 0600-0845', 2, { hosts: { 'a.test': { ignoreRobots: true } } })

    expect(minutesOf(ran)[0]).toBe(0)
  })

  it('says so to those who ask why', async () => {
    const ran = await runWith('Visit-time: 0600-0845\nRequest-rate: 1/1m 0600-0700', 1, { maxTimeMs: MINUTE_MS })
    const reader = ran.frontier.reader
    const [host] = await reader.hosts({ limit: 1 })
    const asked = { plugins: [robots()], now: midnight + MINUTE_MS, nextUrl: `${A}/1` }
    if (host === undefined) throw new Error('expected a host in the store, got none')
    const { holds, values } = (await atRest(reader)).explain(host, asked)

    expect(holds).toMatchObject([{ by: 'robots', why: 'Visit-time 0600-0845 UTC' }])
    expect(values['robots']).toMatchObject({
      [A]: { timed: ['Visit-time 0600-0845 UTC', 'Request-rate one in 1 min, 0600-0700 UTC'] },
    })
  })
})

describe('a host that asks for a rate at some hours', () => {
  it('is asked at that rate within them, and at that of the crawl outside', async () => {
    const ran = await runWith('Request-rate: 1/10m 0100-0300', 100, { delayMs: MINUTE_MS })
    const gaps = minutesOf(ran).map((minute, index, all) => [minute, minute - (all[index - 1] ?? minute)] as const)
    const slow = gaps.filter(([minute]) => minute > 61 && minute <= 180)
    const fast = gaps.filter(([minute], index) => index > 0 && (minute <= 60 || minute > 195))

    expect(Math.min(...slow.map(([, gap]) => gap))).toBeGreaterThanOrEqual(10)
    expect(Math.max(...fast.map(([, gap]) => gap))).toBeLessThan(1.1)
    expect(ran.report.counts).toMatchObject({ done: 100 })
  })

  it('that is for the whole day says so as it is written', async () => {
    const ran = await runWith('Crawl-delay: 3\nRequest-rate: 2 / 10s', 3, { maxTimeMs: 2_000 })
    const [host] = await ran.frontier.reader.hosts({ limit: 1 })
    if (host === undefined) throw new Error('expected a host in the store, got none')
    const asked = { plugins: [robots()], now: midnight + 2_000, nextUrl: `${A}/3` }
    const { holds, values } = (await atRest(ran.frontier.reader)).explain(host, asked)

    expect(holds).toMatchObject([{ by: 'robots', why: 'Request-rate of 2 / 10s' }])
    expect(values['robots']).toMatchObject({ [A]: { crawlDelayMs: 5_000, requestRate: '2 / 10s' } })
  })

  it('that is for the whole day is given up where it is longer than a crawl may wait', async () => {
    const { report } = await runWith('Request-rate: 1/10m', 2)

    expect(report.retiredHosts).toMatchObject([
      { hostKey: 'a.test', reason: expect.stringContaining('asks for 10 min') as string },
    ])
  })
})
