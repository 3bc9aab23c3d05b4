// Limits that hosts share: whole crawls on virtual time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { activePlugins, crawl, definePlugin, memoryFrontier, type CrawlConfig, type Plugin } from 'avocet'
import { sleepUntil, type Frontier } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { aimd } from '@avocet/plugin-aimd'
import { fixedDelay, unpaced } from '@avocet/plugin-aimd/fixed-delay'
import { robots } from '@avocet/plugin-robots'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { processPart } from '../src/process-parts.ts'
import { pathSpider, run } from '../../../test/crawl/harness.ts'
import { scriptedWeb, type Answer } from '../../../test/crawl/scripted-web.ts'
import { CrashStore } from '../../testkit/src/contracts/crash-store.ts'

const SHOPS = ['a', 'b', 'c', 'd'].map((name) => `${name}.shops.test`)
const ok: Answer = { body: 'ok' }
const refused: Answer = { status: 429 }
const limits = [{ match: '*.shops.test', share: true, maxRps: 2 }]

/** Puts refused pages back, uncounted, as plugin-retry would. */
const patient: Plugin = definePlugin({
  name: 'patient',
  onResponse(answer) {
    const { status } = answer.response
    if (status === 429 || status === 503) answer.retry(answer.now, `http-${status}`, { counted: false })
  },
})

type Script = Readonly<Record<string, Answer | readonly Answer[]>>

/** Pages /1 to /n of each host. */
function sites(hosts: readonly string[], n: number, others: Script = {}): Script {
  const urls = hosts.flatMap((host) => Array.from({ length: n }, (_, i) => `http://${host}/${i + 1}`))
  return Object.fromEntries(urls.map((url) => [url, others[url] ?? ok]))
}

interface Start {
  readonly at: number
  readonly host: string
}

/** When which host was asked, ms since the first request. */
async function starts(script: Script, config: Partial<CrawlConfig> = {}): Promise<readonly Start[]> {
  const plugins = [...(config.plugins ?? [aimd()]), patient]
  const { seen } = await run(script, { spider: pathSpider(Object.keys(script)), patienceMs: 86_400_000, ...config, plugins })
  const first = seen[0]?.at ?? 0
  return seen.map(({ at, outbound }) => ({ at: at - first, host: new URL(outbound.url).host }))
}

const gapsOf = (all: readonly Start[]): readonly number[] => all.slice(1).map(({ at }, n) => at - (all[n]?.at ?? 0))

describe('a limit that hosts share', () => {
  it('is never exceeded by what they are asked together', async () => {
    const all = await starts(sites(SHOPS, 10), { limits })

    expect(all).toHaveLength(40)
    expect(Math.min(...gapsOf(all))).toBeGreaterThanOrEqual(450)
    expect(all.at(-1)?.at).toBeLessThan(31_000)
  })

  it.each([
    ['a fixed delay', fixedDelay()],
    ['no pace', unpaced()],
    ['the learned rate', aimd()],
  ])('holds under %s, with `share` and without', async (_name, rate) => {
    const shared = await starts(sites(SHOPS, 5), { limits, plugins: [rate] })
    const bound = await starts(sites(SHOPS, 5), { limits: [{ match: '*.shops.test', maxRps: 2 }], plugins: [rate] })

    expect(Math.min(...gapsOf(shared), ...gapsOf(bound))).toBeGreaterThanOrEqual(450)
  })

  it('gives its hosts equal turns, however long they take to answer', async () => {
    const slow = Object.fromEntries(
      Array.from({ length: 25 }, (_, n) => [`http://a.shops.test/${n + 1}`, { ...ok, afterMs: 1_500 }]),
    )
    const all = await starts(sites(SHOPS, 25, slow), { limits })
    const half = all.slice(20, 60)

    for (const shop of SHOPS) expect(half.filter(({ host }) => host === shop).length).toBeGreaterThanOrEqual(9)
  })

  it('goes to those that have something to send', async () => {
    const all = await starts({ ...sites(SHOPS, 10), ...sites(['a.shops.test'], 60) }, { limits })

    expect(all).toHaveLength(90)
    // At the end of what the others have, the one that is left has the whole pace within a round or two.
    expect(all.at(-1)?.at).toBeLessThan(90 * 500 + 15_000)
  })

  it('leaves other hosts alone', async () => {
    const script = { ...sites(SHOPS, 10), ...sites(['other.test'], 30) }
    const beside = await starts(script, { limits })
    const alone = await starts(sites(['other.test'], 30))

    const times = beside.filter(({ host }) => host === 'other.test').map(({ at }) => at)
    expect(times).toHaveLength(30)
    expect(Math.max(...times) - Math.min(...times)).toBe(alone.at(-1)?.at)
  })

  it('holds beside what a host has of its own: its rate, a delay, another limit', async () => {
    const own = await starts(sites(SHOPS, 6), {
      limits: [...limits, { match: ['*'], maxRps: 2.5 }, { match: 'd.shops.test', maxRps: 0.05 }],
      hosts: { 'a.shops.test': { maxRps: 0.1 }, 'b.shops.test': { delayMs: 15_000 } },
    })
    const gapsAt = (host: string): number => Math.min(...gapsOf(own.filter((each) => each.host === host)))

    expect(Math.min(...gapsOf(own))).toBeGreaterThanOrEqual(450)
    expect(gapsAt('d.shops.test')).toBeGreaterThanOrEqual(19_950)
    expect(gapsAt('a.shops.test')).toBeGreaterThanOrEqual(9_950)
    expect(gapsAt('b.shops.test')).toBeGreaterThanOrEqual(15_000)
  })

  it('holds beside a Crawl-delay and what an operator has ordered', async () => {
    const file = { body: 'User-agent: *\nCrawl-delay: 10\n', headers: { 'content-type': 'text/plain' } }
    const script = { ...sites(SHOPS, 5), 'http://a.shops.test/robots.txt': file }
    const { seen } = await run(
      script,
      {
        spider: pathSpider(SHOPS.flatMap((shop) => [1, 2, 3, 4, 5].map((n) => `http://${shop}/${n}`))),
        plugins: [aimd(), robots()],
        limits,
        patienceMs: 86_400_000,
      },
      (made, clock) =>
        clock.at(
          clock.now() + 1,
          () => void made.control({ kind: 'limit-host', hostKey: 'b.shops.test', limits: { delayMs: 8_000 } }),
        ),
    )
    const all = seen.map(({ at, outbound }) => ({ at, host: new URL(outbound.url).host, url: outbound.url }))
    const gapsAt = (host: string): readonly number[] =>
      gapsOf(all.filter((each) => each.host === host && !each.url.endsWith('robots.txt')))

    expect(all).toHaveLength(24)
    expect(Math.min(...gapsOf(all))).toBeGreaterThanOrEqual(450)
    expect(Math.min(...gapsAt('a.shops.test'))).toBeGreaterThanOrEqual(10_000)
    expect(Math.min(...gapsAt('b.shops.test').slice(1))).toBeGreaterThanOrEqual(8_000)
  })
})

describe('a refusal under a shared limit', () => {
  const patterns = [{ match: '*.shops.test', share: true, maxRps: 20 }]

  it('slows all of its hosts down', async () => {
    const url = 'http://a.shops.test/50'
    const all = await starts(sites(SHOPS, 100, { [url]: [refused, ok] }), { limits: patterns })
    const gaps = gapsOf(all)
    const refusal = gaps.findIndex((gap, n) => n > 150 && gap > 60)

    expect(gaps[refusal - 1]).toBe(50)
    // The next ten starts, of any host.
    expect((all[refusal + 10]?.at ?? 0) - (all[refusal]?.at ?? 0)).toBeGreaterThan(10 * 60)
    expect(new Set(all.slice(refusal, refusal + 10).map(({ host }) => host)).size).toBe(4)
  })

  it('pauses all of them until its Retry-After, and nobody else', async () => {
    const url = 'http://a.shops.test/5'
    const pausing = { [url]: [{ status: 429, headers: { 'retry-after': '60' } }, ok] }
    const script = { ...sites(SHOPS, 10, pausing), ...sites(['other.test'], 10) }
    const all = await starts(script, { limits: patterns })

    const shops = all.filter(({ host }) => host !== 'other.test')
    const pause = gapsOf(shops).findIndex((gap) => gap >= 60_000)
    // What was in flight at the refusal, and no more.
    expect(gapsOf(shops).filter((gap) => gap > 5_000)).toHaveLength(1)
    expect(pause).toBeGreaterThan(3)
    expect(all.filter(({ host }) => host === 'other.test').every(({ at }) => at < 30_000)).toBe(true)
  })

  it('is one for many that come together', async () => {
    const frontier = memoryFrontier()
    const late: Answer = { ...refused, afterMs: 2_000 }
    const script = sites(SHOPS, 40, Object.fromEntries(SHOPS.map((shop) => [`http://${shop}/30`, [late, ok]])))
    await starts(script, { limits: patterns, frontier })

    expect(await explained(frontier, 'b.shops.test', patterns)).toMatchObject({ limit: '*.shops.test', refusals: 1 })
  })

  it("does not count where the limit is a bound of ours: then it is the host's", async () => {
    const url = 'http://a.shops.test/5'
    const script = sites(SHOPS, 10, { [url]: [{ status: 429, headers: { 'retry-after': '60' } }, ok] })
    const all = await starts(script, { limits: [{ match: '*.shops.test', maxRps: 20 }] })

    expect(all.filter(({ host }) => host !== 'a.shops.test').every(({ at }) => at < 30_000)).toBe(true)
    expect(all.at(-1)).toMatchObject({ host: 'a.shops.test' })
  })

  it.each([404, 403, 500])("is the host's alone where it is a %i with Retry-After", async (status) => {
    const url = `http://${SHOPS[0] ?? ''}/3`
    const all = await starts(sites(SHOPS, 10, { [url]: { status, headers: { 'retry-after': '3600' } } }), { limits })

    expect(all.filter(({ host, at }) => host !== SHOPS[0] && at < 60_000)).toHaveLength(30)
  })

  it("is the host's alone where it is a field RateLimit", async () => {
    const url = `http://${SHOPS[0] ?? ''}/3`
    const used = { body: 'ok', headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '3600' } }
    const all = await starts(sites(SHOPS, 10, { [url]: used }), { limits })

    expect(all.filter(({ host, at }) => host !== SHOPS[0] && at < 60_000)).toHaveLength(30)
  })

  it("is the host's alone where it is a 503: one closed shop closes no other", async () => {
    const url = 'http://a.shops.test/5'
    const all = await starts(sites(SHOPS, 10, { [url]: [{ status: 503, headers: { 'retry-after': '600' } }, ok] }), {
      limits: patterns,
    })

    expect(all.filter(({ host }) => host !== 'a.shops.test').every(({ at }) => at < 30_000)).toBe(true)
  })

  it.each([[limits], [[{ match: '*', by: 'exit', share: true }]]] as const)(
    'is kept by the process that goes on after a crash: %j',
    async (kept) => {
      const store = new CrashStore(memoryFrontier())
      let startAt = Date.UTC(2026, 0, 1)
      const live = async (others: Script, cut?: { commit: number; written: boolean }): Promise<readonly number[]> => {
        const clock = new VirtualClock({ startAt })
        const { frontier, died } = store.live(cut)
        const script = sites(['a.shops.test', 'b.shops.test'], 3, others)
        const fetcher = scriptedWeb(clock, script)
        const plugins = [aimd(), patient]
        const spider = pathSpider(Object.keys(script))
        const subject = crawl({ policies: [], spider, frontier, clock, fetcher, plugins, limits: kept, patienceMs: 86_400_000 })
        await clock.run(() => Promise.race([subject.run(), died]))
        startAt = clock.now()
        return fetcher.seen.map(({ at }) => at)
      }
      const pausing = { status: 429, headers: { 'retry-after': '300' } }
      const before = await live({ 'http://a.shops.test/1': pausing }, { commit: 1, written: true })
      const after = await live({})

      expect(before).toHaveLength(1)
      expect((after[0] ?? 0) - (before[0] ?? 0)).toBeGreaterThanOrEqual(300_000)
    },
  )

  it('is named by `why` at each host that it holds', async () => {
    const frontier = memoryFrontier()
    const url = 'http://a.shops.test/1'
    const script = sites(SHOPS, 2, { [url]: { status: 429, headers: { 'retry-after': '86400' } } })
    await starts(script, { limits, frontier, patienceMs: 60_000 })

    const crawl = await atRest(frontier.reader)
    const [record] = await frontier.reader.hosts({ hostKey: 'b.shops.test' })
    if (record === undefined) throw new Error('the host is not known')
    const { holds } = crawl.explain(record, { plugins: activePlugins({ policies: [aimd()], limits }), now: Date.UTC(2026, 0, 1) })
    expect(holds).toContainEqual(expect.objectContaining({ by: 'limits', why: '*.shops.test: the host said until when to wait' }))
  })
})

async function explained(frontier: Frontier, hostKey: string, limits: CrawlConfig['limits'] & {}): Promise<unknown> {
  const [record] = await frontier.reader.hosts({ hostKey })
  if (record === undefined) throw new Error('the host is not known')
  const plugins = activePlugins({ policies: [aimd()], limits })
  return (await atRest(frontier.reader)).explain(record, { plugins, now: 0 }).values['limits']
}

/** Two crawls of twenty shops on one store, the second from 30 s on: when they asked, ms since the beginning. */
function twoProcesses(script: Script, all: CrawlConfig['limits'] = limits): Promise<readonly (readonly Start[])[]> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-limits-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const seen = [0, 30_000].map(async (afterMs) => {
    await sleepUntil(clock, startedAt + afterMs)
    const fetcher = scriptedWeb(clock, script)
    const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
    const spider = pathSpider(Object.keys(script))
    const plugins = [aimd(), patient]
    await crawl({ policies: [], plugins, spider, frontier, clock, fetcher, limits: all, patienceMs: 86_400_000 }).run()
    return fetcher.seen.map(({ at, outbound }) => ({ at: at - startedAt, host: new URL(outbound.url).host }))
  })
  return clock.run(Promise.all(seen))
}

describe('several processes', () => {
  const shops = Array.from({ length: 20 }, (_, n) => `shop-${n}.shops.test`)

  it.each([
    ['is named', { share: true }],
    ['is one of many, which are known once they are met', { by: 'exit' }],
  ] as const)('have a limit together that %s: one that comes later waits until the others know of it', async (_title, kind) => {
    const both = await twoProcesses(sites(shops, 20), [{ match: '*.shops.test', maxRps: 2, ...kind }])

    const all = both
      .flat()
      .map(({ at }) => at)
      .toSorted((a, b) => a - b)
    const inMinute = (times: readonly Start[]): number => times.filter(({ at }) => at >= 60_000 && at < 120_000).length
    expect(all).toHaveLength(400)
    expect(both.map(inMinute).reduce((a, b) => a + b)).toBeGreaterThan(112)
    expect(Math.min(...both.map(inMinute))).toBeGreaterThan(45)
    // In any ten seconds: what two a second come to, and one more of each.
    expect(Math.max(...all.map((at) => all.filter((other) => other >= at && other < at + 10_000).length))).toBeLessThanOrEqual(22)
  })

  it('wait together for the Retry-After that one of them got', async () => {
    const url = 'http://shop-3.shops.test/12'
    const both = await twoProcesses(sites(shops, 20, { [url]: [{ status: 429, headers: { 'retry-after': '120' } }, ok] }))
    const longest = both.map((all) => Math.max(...gapsOf(all)))

    expect(Math.max(...longest)).toBeGreaterThanOrEqual(120_000)
    // The other hears of it within five seconds.
    expect(Math.min(...longest)).toBeGreaterThanOrEqual(115_000)
  })

  it.each([
    ['alone, of its kind', 5, [[5, 0]], 1, 1],
    [
      'by hosts',
      90,
      [
        [90, 0],
        [150, 0],
      ],
      2,
      90 / 240,
    ],
    ['beside one that has not counted yet', 9, [[9, 0]], 2, 0.9],
    [
      'beside one that is gone',
      9,
      [
        [9, 0],
        [50, 20_000],
      ],
      1,
      1,
    ],
    ['before its own count is written', 9, [[3, 0]], 2, 9 / 10],
  ] as const)('have parts that come to one: %s', (_title, own, counts, processes, part) => {
    const now = 1_000_000
    const left = counts.map(([hosts, ago]) => ({ hosts, countedAt: now - ago }))

    expect(processPart(own, left, { now, processes })).toBeCloseTo(part)
  })
})
