// Every option that limits a crawl, under every rate policy, by what the servers see: an option that a policy forgets is an option that does nothing.
import { definePlugin, link, type CrawlConfig, type Plugin, type Spider } from '@avocet/core'
import { unpaced } from 'avocet'
import { aimd, delayFactor, fixedRate, harmBudget, textbook } from '@avocet/plugin-aimd'
import { polite } from '@avocet/preset-polite'
import { describe, expect, it } from 'vitest'
import { run } from './harness.ts'
import type { Answer, Seen } from './scripted-web.ts'

const HOSTS = ['http://a.test', 'http://b.test'] as const
const PAGES = 8
const TAKES_MS = 700
const SPIDER: Spider = {
  name: 'matrix',
  seeds: HOSTS.map((host) => `${host}/0`),
  handlers: {
    *start(page) {
      // A chain and a fan: page n links to the two after it, and the first to all.
      const n = Number(page.url.pathname.slice(1))
      const last = n === 0 ? PAGES - 1 : Math.min(n + 2, PAGES - 1)
      for (let to = n + 1; to <= last; to++) yield link(`${page.url.origin}/${to}`)
    },
  },
}
const CHAIN: Spider = {
  ...SPIDER,
  handlers: {
    *start(page) {
      yield link(`${page.url.origin}/${Number(page.url.pathname.slice(1)) + 1}`)
    },
  },
}

/** Obeys nothing: admission alone keeps the limits. */
const reckless = definePlugin({ name: 'reckless', policy: 'rate' })
const law = (name: string, rate: Plugin): [string, () => readonly Plugin[]] => [
  name,
  () => [...polite().filter(({ policy }) => policy !== 'rate'), rate],
]

const POLICIES: readonly [string, () => readonly Plugin[]][] = [
  ['polite()', () => polite()],
  ["polite({ rate: 'fixed' })", () => polite({ rate: 'fixed' })],
  ["polite({ rate: 'none' })", () => polite({ rate: 'none' })],
  ['none at all', () => []],
  law('a plugin that obeys nothing', reckless),
  law('harm budget', aimd({ law: harmBudget(), startRps: 20, maxRps: 50 })),
  law('fixed rate', aimd({ law: fixedRate({ rps: 20 }), maxRps: 50 })),
  law('textbook', aimd({ law: textbook(), startRps: 20, maxRps: 50 })),
  law('delay factor', aimd({ law: delayFactor(), startRps: 20, maxRps: 50 })),
  law('no window', aimd({ window: false, startRps: 20, maxRps: 50 })),
]

interface Felt {
  readonly seen: readonly Seen[]
  readonly startedAt: number
  readonly tookMs: number
  readonly pages: number
}

async function felt(policies: readonly Plugin[], config: Partial<CrawlConfig> = {}, robots?: string): Promise<Felt> {
  const pages = HOSTS.flatMap((host) => Array.from({ length: 40 }, (_, n) => `${host}/${n}`))
  const script: Record<string, Answer> = Object.fromEntries(pages.map((url) => [url, { body: url, afterMs: TAKES_MS }]))
  for (const host of HOSTS)
    if (robots !== undefined) script[`${host}/robots.txt`] = { body: robots, headers: { 'content-type': 'text/plain' } }
  const { seen, report } = await run(script, { spider: SPIDER, policies, ...config })
  return { seen, startedAt: report.startedAt, tookMs: report.endedAt - report.startedAt, pages: report.run.pages }
}

const pathOf = ({ outbound }: Seen): string => new URL(outbound.url).pathname
const at = (seen: readonly Seen[], host: string): readonly Seen[] => seen.filter(({ outbound }) => outbound.url.startsWith(host))

/** The smallest time between two starts at a host, robots.txt included. */
function gapMs(seen: readonly Seen[], host: string): number {
  const starts = at(seen, host).map((one) => one.at)
  return Math.min(...starts.slice(1).map((start, n) => start - (starts[n] ?? 0)))
}

/** Most requests for pages that a server had at once. */
function inFlight(seen: readonly Seen[]): number {
  const pages = seen.filter((one) => pathOf(one) !== '/robots.txt')
  return Math.max(...pages.map(({ at: now }) => pages.filter((one) => one.at <= now && now < one.at + TAKES_MS).length))
}

const all = { pages: HOSTS.length * PAGES }

describe.each(POLICIES)('under %s', (_policy, policies) => {
  it('delayMs is the least time between two starts', async () => {
    const { seen, pages } = await felt(policies(), { delayMs: 3_000 })

    expect({ pages }).toEqual(all)
    for (const host of HOSTS) expect(gapMs(seen, host)).toBeGreaterThanOrEqual(3_000)
  })

  it('maxPerHost is the most at once', async () => {
    const { seen, pages } = await felt(policies(), { maxPerHost: 1 })

    expect({ pages }).toEqual(all)
    for (const host of HOSTS) expect(inFlight(at(seen, host))).toBe(1)
  })

  it('maxPerHost alone makes nothing slower', async () => {
    const without = await felt(policies())
    const bounded = await felt(policies(), { maxPerHost: 8 })

    expect(bounded.tookMs).toBeLessThanOrEqual(without.tookMs)
  })

  it('maxRps is the most a second, for all hosts or for one', async () => {
    const { seen, pages } = await felt(policies(), { hosts: { '*': { maxRps: 5 }, 'a.test': { maxRps: 0.5 } } })

    expect({ pages }).toEqual(all)
    // What starts late by up to 50 ms is made up for.
    expect(gapMs(seen, HOSTS[0])).toBeGreaterThanOrEqual(1_950)
    expect(gapMs(seen, HOSTS[1])).toBeGreaterThanOrEqual(150)
    const starts = at(seen, HOSTS[0]).map((one) => one.at)
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual((starts.length - 1) * 2_000 - 50)
  })

  it('what is said of one host holds for it, and for no other', async () => {
    const { seen } = await felt(policies(), { hosts: { 'a.test': { delayMs: 4_000, maxInFlight: 1 } } })

    expect(gapMs(seen, HOSTS[0])).toBeGreaterThanOrEqual(4_000)
    expect(inFlight(at(seen, HOSTS[0]))).toBe(1)
    expect(gapMs(seen, HOSTS[1])).toBeLessThan(4_000)
  })

  it('concurrency is the most at once over all hosts', async () => {
    const { seen, pages } = await felt(policies(), { concurrency: 1 })

    expect({ pages }).toEqual(all)
    expect(inFlight(seen)).toBe(1)
  })

  it('maxPages, maxTimeMs and maxDepth end it', async () => {
    const pages = await felt(policies(), { maxPages: 3 })
    const time = await felt(policies(), { maxTimeMs: 3_500 })
    const depth = await felt(policies(), { spider: { ...CHAIN, scope: { maxDepth: 2 } } })

    expect([pages.pages, depth.pages]).toEqual([3, 6])
    expect(pages.seen.filter((one) => pathOf(one) !== '/robots.txt')).toHaveLength(3)
    expect(Math.max(...time.seen.map((one) => one.at - time.startedAt))).toBeLessThan(3_500)
  })

  it('userAgent and headers go with every request to the sites', async () => {
    const { seen, pages } = await felt(policies(), { userAgent: 'matrix/1 (+https://m.example)', headers: { 'x-who': 'me' } })

    expect({ pages }).toEqual(all)
    expect(new Set(seen.map(({ outbound }) => outbound.headers['user-agent']))).toEqual(
      new Set(['matrix/1 (+https://m.example)']),
    )
    expect(new Set(seen.map(({ outbound }) => outbound.headers['x-who']))).toEqual(new Set(['me']))
  })

  const RULES = 'User-agent: *\nCrawl-delay: 5\nDisallow: /3\n'

  it.runIf(policies().some(({ policy }) => policy === 'robots'))('robots.txt holds, unless it is to be ignored', async () => {
    const kept = await felt(policies(), {}, RULES)
    const faster = await felt(policies(), { delayMs: 100, hosts: { '*': { maxRps: 50 } } }, RULES)
    const slower = await felt(policies(), { delayMs: 7_000 }, RULES)
    const ignored = await felt(policies(), { hosts: { '*': { ignoreRobots: true } } }, RULES)

    for (const { seen, pages } of [kept, faster]) {
      expect(pages).toBe(2 * (PAGES - 1))
      expect(
        Math.min(
          ...HOSTS.map((host) =>
            gapMs(
              at(seen, host).filter((one) => pathOf(one) !== '/robots.txt'),
              host,
            ),
          ),
        ),
      ).toBeGreaterThanOrEqual(5_000)
      expect(seen.map(pathOf)).not.toContain('/3')
    }
    expect(gapMs(slower.seen, HOSTS[0])).toBeGreaterThanOrEqual(7_000)
    expect({ pages: ignored.pages }).toEqual(all)
    expect(gapMs(ignored.seen, HOSTS[0])).toBeLessThan(5_000)
  })
})

describe('what a server feels of maxRps: 10', () => {
  const pages = Array.from({ length: 60 }, (_, n) => `http://a.test/${n}`)

  /** Times between the first start and each, where one answer in twenty takes so long that the one slot starts the next request 49 ms after its turn. */
  async function startsUnder(rate: Plugin): Promise<readonly number[]> {
    const script = Object.fromEntries(pages.map((url, n) => [url, { body: url, afterMs: n % 20 === 0 ? 149 : 50 }]))
    const spider = { ...SPIDER, seeds: pages, handlers: { start: () => [] } }
    const { seen } = await run(script, { spider, policies: [rate], concurrency: 1, hosts: { '*': { maxRps: 10 } } })
    return seen.map((one) => one.at - (seen[0]?.at ?? 0))
  }

  const mostInASecond = (starts: readonly number[]): number =>
    Math.max(...starts.map((from) => starts.filter((start) => start >= from && start < from + 1_000).length))

  it('is one request more in the second after a late start, which is made up for, and never more than ten a second over time', async () => {
    const starts = await startsUnder(reckless)

    expect(starts.slice(0, 4)).toEqual([0, 149, 200, 300])
    expect(mostInASecond(starts)).toBe(11)
    expect(starts.every((start, n) => start >= n * 100)).toBe(true)
    expect(starts).toHaveLength(60)
  })

  it("is ten in any second with rate: 'none', which makes up for nothing", async () => {
    const starts = await startsUnder(unpaced())

    expect(starts.slice(0, 4)).toEqual([0, 149, 249, 349])
    expect(mostInASecond(starts)).toBe(10)
  })
})
