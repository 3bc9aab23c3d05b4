// The breaker in whole crawls on virtual time: what a sick host is asked, and what becomes of its pages.
import { crawl, explainHost, memoryFrontier, spider, type Plugin } from '@avocet/core'
import { retry } from '@avocet/plugin-retry'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec, type SimulatedWeb } from '@avocet/testkit'
import { describe, expect, it } from 'vitest'
import { breakerTable } from '../../../bench/control/breaker.ts'
import { pathSpider, run } from '../../../test/crawl/harness.ts'
import { breaker } from '../src/index.ts'

const MINUTE = 60_000
const PATIENCE = 7 * 24 * 60 * MINUTE

/** Votes that every failure is tried again, half a minute later: so that no page is lost, and the breaker alone decides when. */
const stubborn: Plugin = {
  name: 'stubborn',
  onError: ({ now }, ballot) => ballot.retry(now + MINUTE / 2, 'again', { counted: false }),
}

async function crawled(host: Omit<HostSpec, 'name'>, more: { delayMs: number; maxPerHost: number; plugins?: readonly Plugin[] }) {
  const model = siteModel({ seed: 'breaker', hosts: [{ ...host, name: 'sick.test' }] })
  const clock = new VirtualClock()
  const fetcher: SimulatedWeb = simulatedWeb(model, { clock })
  const frontier = memoryFrontier()
  const subject = crawl({
    spider: spider({ name: 'sick', seeds: model.seeds(), handlers: { *start() {} } }),
    plugins: [breaker(), stubborn],
    frontier,
    clock,
    fetcher,
    patienceMs: PATIENCE,
    randomSeed: 'breaker',
    ...more,
  })
  const startedAt = clock.now()
  const report = await clock.run(() => subject.run())
  const log = fetcher
    .felt('sick.test')
    .log.map(({ at, endedAt = at, status }) => ({ at: at - startedAt, endedAt: endedAt - startedAt, status }))
  return { report, log, frontier, clock }
}

describe('a host that goes down for five minutes', () => {
  const outage = { style: 'reset', fromMs: 10_000, untilMs: 10_000 + 5 * MINUTE } as const

  it('is asked one request at a time meanwhile, ever less often, and slowly at first when it is back', async () => {
    const { report, log } = await crawled(
      { pages: { kind: 'list', pages: 400 }, latency: { law: 'fixed', ms: 400 }, outages: [outage] },
      { delayMs: 0, maxPerHost: 8 },
    )
    const meanwhile = log.filter(({ at }) => at >= outage.fromMs && at < outage.untilMs)
    const probes = meanwhile.filter(({ at }) => at >= outage.fromMs + 60_000)
    const back = log.filter(({ at }) => at >= outage.untilMs)
    const inFlightAt = (moment: number): number => back.filter(({ at, endedAt }) => at <= moment && moment < endedAt).length

    expect(report).toMatchObject({ ended: 'done', counts: { done: 400, failed: 0, retiredHosts: 0 } })
    // Eight in flight when it went down, of which three open the circuit; then 6, 17 and at most 42 s after that, and 80 and 160.
    expect(meanwhile.length - probes.length).toBeLessThanOrEqual(16)
    expect(probes).toHaveLength(2)
    // One, then one, then up to 1, 2, 4 and 8 at once.
    expect(back.slice(0, 20).map(({ at }) => inFlightAt(at))).toEqual([
      1, 1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
    ])
  })

  it('is not asked again before its time by a crawl that was stopped and started', async () => {
    const model = siteModel({
      seed: 'breaker',
      hosts: [{ name: 'sick.test', pages: { kind: 'list', pages: 30 }, outages: [outage] }],
    })
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const fetcher = simulatedWeb(model, { clock })
    const frontier = memoryFrontier()
    const more = { frontier, clock, fetcher, randomSeed: 'breaker', plugins: [breaker(), stubborn], patienceMs: PATIENCE }
    const subject = (): ReturnType<typeof spider> => spider({ name: 'sick', seeds: model.seeds(), handlers: { *start() {} } })
    await clock.run(() => crawl({ ...more, spider: subject(), maxTimeMs: 20_000 }).run())
    const record = await frontier.reader.host('sick.test')
    if (record === undefined) throw new Error('expected the host')
    const { readyAt, holds, values } = explainHost({ plugins: [breaker()], record, now: clock.now() })
    const asked = fetcher.felt('sick.test').requests
    await clock.run(() => crawl({ ...more, spider: subject(), maxTimeMs: 10 * MINUTE }).run())

    expect(readyAt - startedAt).toBeGreaterThan(20_000)
    expect(holds).toMatchObject([{ by: 'breaker', why: 'open after reset' }])
    expect(values['breaker']).toMatchObject({ state: 'open', level: 1, cause: 'reset' })
    expect(fetcher.felt('sick.test').log[asked]?.at).toBeGreaterThanOrEqual(readyAt)
    expect(await frontier.reader.counts()).toMatchObject({ done: 30 })
  })
})

describe('a wrong certificate at https://shop.test', () => {
  const HOUR = 60 * MINUTE
  const http = Array.from({ length: 30 }, (_, n) => `http://shop.test/plain-${n}`)
  const https = Array.from({ length: 30 }, (_, n) => `https://shop.test/secure-${n}`)
  const mixed = http.flatMap((url, n) => [url, https[n] ?? url])
  const wrong = Object.fromEntries(https.map((url) => [url, { fails: 'AVO_TLS_CERTIFICATE' } as const]))
  const script = { ...Object.fromEntries(http.map((url) => [url, { body: 'ok' }])), ...wrong }
  const secure = (asked: readonly string[]): number => asked.filter((line) => line.includes('/secure-')).length

  it.each<[string, readonly string[], () => readonly Plugin[]]>([
    ['beside breaker and retry, pages of both in turn', mixed, () => [breaker(), retry()]],
    ['when its pages come first', [...https, ...http], () => [breaker(), retry()]],
    ['with all policies', mixed, () => polite()],
  ])('does not stop http://shop.test: %s', async (_what, seeds, plugins) => {
    const { report, asked } = await run(
      {
        ...script,
        'http://shop.test/robots.txt': { status: 404 },
        'https://shop.test/robots.txt': { fails: 'AVO_TLS_CERTIFICATE' },
      },
      { spider: pathSpider(seeds), plugins: plugins(), patienceMs: PATIENCE, maxTimeMs: 10 * HOUR },
    )

    expect(report.counts).toMatchObject({ done: 30, failed: 0, retiredHosts: 0, waiting: 30 })
    const plainAt = asked.filter((line) => line.includes('/plain-')).map((line) => Number(/\d+/.exec(line)?.[0]))
    expect(Math.max(...plainAt)).toBeLessThan(3 * MINUTE)
    // After 5, 10, 20 minutes and so on, and then once an hour, with what is booked beside the probe.
    expect(secure(asked)).toBeLessThanOrEqual(16)
  })

  it('costs no page: they are served when it is renewed, soon if it is soon and within the hour if it takes hours', async () => {
    const renewedAfter = async (failures: number): Promise<{ done: number; at: number }> => {
      let left = failures
      const failing: Record<string, object> = {}
      for (const url of https)
        failing[url] = [...Array.from({ length: left-- > 0 ? 1 : 0 }, () => ({ fails: 'AVO_TLS_CERTIFICATE' })), { body: 'ok' }]
      const { report, asked } = await run(
        { ...script, ...failing },
        { spider: pathSpider(mixed), plugins: [breaker(), retry()], patienceMs: PATIENCE },
      )
      return { done: report.counts.done, at: Number(/\d+/.exec(asked.at(-1) ?? '')?.[0]) }
    }

    expect(await renewedAfter(1)).toMatchObject({ done: 60 })
    expect((await renewedAfter(1)).at).toBeLessThan(15 * MINUTE)
    expect(await renewedAfter(4)).toMatchObject({ done: 60 })
  })

  it('of which no other origin ever answered holds the host, and after a day the host is given up with its pages', async () => {
    const [first = '', ...rest] = https
    const { report, asked } = await run(
      { ...wrong, [first]: { body: 'ok' } },
      { spider: pathSpider([first, ...rest]), plugins: [breaker(), retry()], patienceMs: PATIENCE, maxTimeMs: 40 * HOUR },
    )

    expect(report.counts).toMatchObject({ done: 1, failed: 0 })
    expect(report.retiredHosts).toMatchObject([{ waiting: 29 }])
    expect(report.retiredHosts[0]?.reason).toContain('https://shop.test: given up after tls-certificate')
    expect(asked.length).toBeLessThan(35)
  })

  it('or a port 443 at which nobody ever listened, does not stop http://shop.test', async () => {
    const refused = Object.fromEntries(https.map((url) => [url, { fails: 'AVO_CONNECT_REFUSED' } as const]))
    const { report, asked } = await run(
      { ...script, ...refused },
      { spider: pathSpider(mixed), plugins: [breaker(), retry()], patienceMs: PATIENCE, maxTimeMs: 10 * HOUR },
    )

    expect(report.counts).toMatchObject({ done: 30, failed: 0, retiredHosts: 0, waiting: 30 })
    expect(secure(asked)).toBeLessThanOrEqual(24)
  })
})

it('keeps its figures: bench/control/breaker.ts, the quick table', async () => {
  const rows = await breakerTable({ seeds: 2, quick: true })
  expect(rows.filter(({ holds }) => !holds)).toEqual([])
  expect(rows.length).toBeGreaterThan(8)
})
