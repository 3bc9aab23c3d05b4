// The breaker in whole crawls on virtual time: what a sick host is asked, and what becomes of its pages.
import { crawl, memoryFrontier, spider, type Plugin } from 'avocet'
import { atRest } from '@avocet/at-rest'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec, type SimulatedWeb } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { breakerTable } from '../../../bench/control/breaker.ts'
import { pathSpider, run } from '../../../test/crawl/harness.ts'
import { breaker } from '../src/index.ts'

const MINUTE = 60_000
const PATIENCE = 7 * 24 * 60 * MINUTE

/** Votes that every failure is tried again, half a minute later: so that no page is lost, and the breaker alone decides when. */
const stubborn: Plugin = {
  name: 'stubborn',
  onError: (failed) => failed.retry(failed.now + MINUTE / 2, 'again', { counted: false }),
}

async function crawled(host: Omit<HostSpec, 'name'>, more: { delayMs: number; maxPerHost: number; plugins?: readonly Plugin[] }) {
  const model = siteModel({ seed: 'breaker', hosts: [{ ...host, name: 'sick.test' }] })
  const clock = new VirtualClock()
  const fetcher: SimulatedWeb = simulatedWeb(model, { clock })
  const frontier = memoryFrontier()
  const subject = crawl({
    policies: [],
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
    // Eight in flight when it went down, of which three open the circuit; then 6, 17 and at most 42 s after that, and 62, 130 and 270.
    expect(meanwhile.length - probes.length).toBeLessThanOrEqual(16)
    expect(probes).toHaveLength(3)
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
    await clock.run(() => crawl({ policies: [], ...more, spider: subject(), maxTimeMs: 20_000 }).run())
    const [record] = await frontier.reader.hosts({ hostKey: 'sick.test' })
    if (record === undefined) throw new Error('expected the host')
    const { readyAt, holds, values } = (await atRest(frontier.reader)).explain(record, {
      plugins: [breaker()],
      now: clock.now(),
    })
    const asked = fetcher.felt('sick.test').requests
    await clock.run(() => crawl({ policies: [], ...more, spider: subject(), maxTimeMs: 15 * MINUTE }).run())

    expect(readyAt - startedAt).toBeGreaterThan(20_000)
    expect(holds).toMatchObject([{ by: 'breaker', why: 'open after reset' }])
    expect(values['breaker']).toMatchObject({ state: 'open', level: 1, cause: 'reset' })
    expect(fetcher.felt('sick.test').log[asked]?.at).toBeGreaterThanOrEqual(readyAt)
    expect(await frontier.reader.counts()).toMatchObject({ done: 30 })
  })
})

it('a host that was given up gets its probe in the next run, however soon, and all its pages once it is well', async () => {
  const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `http://shop.test/${n}`)
  const [first = '', ...others] = seeds
  const plugins = [breaker({ openMs: 1_000, maxOpenMs: 1_000, giveUpAfterMs: 0 }), stubborn]
  const config = { spider: pathSpider(seeds), plugins, frontier, clock }
  const dead = Object.fromEntries(others.map((url) => [url, { fails: 'AVO_CONNECT_REFUSED' as const }]))
  const runs = [await run({ [first]: {}, ...dead }, config), await run(dead, config)]
  const last = await run(Object.fromEntries(seeds.map((url) => [url, {}])), config)

  expect(runs.map(({ report }) => report.ended)).toEqual(['given-up', 'given-up'])
  expect(runs[0]?.report.retiredHosts).toMatchObject([{ reason: expect.stringContaining('breaker: given up after') }])
  expect(runs[1]?.seen).toHaveLength(1)
  expect(last.report).toMatchObject({ ended: 'done', counts: { done: 9, failed: 0, waiting: 0, retiredHosts: 0 } })
})

it('keeps its figures: bench/control/breaker.ts, the quick table', async () => {
  const rows = await breakerTable({ seeds: 2, quick: true })
  expect(rows.filter(({ holds }) => !holds)).toEqual([])
  expect(rows.length).toBeGreaterThan(8)
})
