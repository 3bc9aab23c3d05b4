// Whole crawls on virtual time, with an SDK in memory: what it is told is what happened.
import { crawl, memoryFrontier, spider, type CrawlReport, type Plugin } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec, type SimulatedWeb } from '@avocet/simulator'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { openTelemetry } from '../src/index.ts'
import { sdk, type Sdk } from './sdk.ts'

const HOSTS: readonly HostSpec[] = [
  { name: 'well.example', pages: { kind: 'list', pages: 20 }, latency: { law: 'fixed', ms: 80 }, bytesPerSecond: 1_000 },
  { name: 'refuses.example', pages: { kind: 'list', pages: 5 }, refuseRatio: 0.3 },
  { name: 'dead.example', pages: { kind: 'list', pages: 1 }, death: 'reset' },
]

interface Ran {
  readonly sdk: Sdk
  readonly report: CrawlReport
  readonly web: SimulatedWeb
}

async function crawled(sampleRatio: number, plugins: readonly Plugin[] = [], maxHosts = 100): Promise<Ran> {
  const model = siteModel({ seed: 'telemetry', hosts: HOSTS })
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const kept = sdk()
  const subject = crawl({
    policies: [],
    spider: spider({
      name: 'telemetry',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          if (page.url.pathname.endsWith('/7')) throw new Error('seven')
          yield { title: page.title }
          yield* page.links()
        },
      },
    }),
    frontier: memoryFrontier(),
    randomSeed: 'telemetry',
    clock,
    fetcher: web,
    plugins: [openTelemetry({ ...kept.given, sampleRatio, maxHosts }), ...plugins],
  })
  return { sdk: kept, report: await clock.run(() => subject.run()), web }
}

const epochMs = ([seconds, nanos]: readonly [number, number]): number => seconds * 1_000 + nanos / 1e6
const idOf = (span: ReadableSpan): string => span.spanContext().spanId
const childrenOf = (spans: readonly ReadableSpan[], parent: ReadableSpan): readonly ReadableSpan[] =>
  spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === idOf(parent))
const msOf = ({ startTime, endTime }: ReadableSpan): number => Math.round(epochMs(endTime) - epochMs(startTime))
const countOf = (value: Awaited<ReturnType<Sdk['points']>>[number]['value']): number =>
  typeof value === 'number' ? value : value.count

describe('the traces', () => {
  it('have a span for each station of an exchange, one after another, below one for all of them', async () => {
    const { sdk: kept } = await crawled(1)
    const spans = kept.spans()
    const root = spans.find(({ name, attributes }) => name === 'exchange' && attributes['avocet.outcome'] === 'done')
    if (root === undefined) throw new Error('no page was traced')

    const stations = childrenOf(spans, root)

    expect(stations.map(({ name }) => name)).toEqual(['beforeRequest', 'GET', 'judge', 'handle', 'commit'])
    expect(root.parentSpanContext).toBeUndefined()
    for (const [n, station] of stations.slice(1).entries())
      expect(epochMs(station.startTime)).toBeGreaterThanOrEqual(epochMs(stations[n]?.endTime ?? [0, 0]))
    expect(new Set(stations.map((span) => span.spanContext().traceId))).toEqual(new Set([root.spanContext().traceId]))
    expect(stations.at(-1)?.attributes).toMatchObject({ 'avocet.items': 1 })
  })

  it('describe the request by the conventions of HTTP clients, with its phases', async () => {
    const { sdk: kept } = await crawled(1)
    const spans = kept.spans()
    const request = spans.find(
      ({ kind, attributes }) => kind === SpanKind.CLIENT && attributes['server.address'] === 'well.example',
    )
    if (request === undefined) throw new Error('no request was traced')

    expect(request.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.port': 80,
      'url.scheme': 'http',
      'url.full': expect.stringMatching(/^http:\/\/well\.example\//),
    })
    expect(request.attributes).not.toHaveProperty('error.type')
    const phases = childrenOf(spans, request)
    expect(phases.map(({ name }) => name)).toEqual(['connect', 'first byte', 'body'])
    expect(phases.map(msOf)[1]).toBe(80)
    expect(phases.reduce((sum, phase) => sum + msOf(phase), 0)).toBe(msOf(request))
  })

  it('say what went wrong: a refusal, a failure, a handler that threw, and how often a request was sent before', async () => {
    const { sdk: kept } = await crawled(1)
    const spans = kept.spans()
    const withAttribute = (name: string, value: unknown): ReadableSpan | undefined =>
      spans.find((span) => span.kind === SpanKind.CLIENT && span.attributes[name] === value)

    expect(withAttribute('http.response.status_code', 429)).toMatchObject({
      attributes: { 'error.type': '429' },
      status: { code: SpanStatusCode.ERROR },
    })
    expect(withAttribute('error.type', 'reset')).toMatchObject({ status: { code: SpanStatusCode.ERROR } })
    expect(withAttribute('http.request.resend_count', 1)).toBeDefined()
    expect(spans.find(({ name, status }) => name === 'handle' && status.code === SpanStatusCode.ERROR)).toMatchObject({
      attributes: { 'error.type': 'handler-threw' },
    })
  })

  it('are of a share of the exchanges, the same in every run', async () => {
    const rootsOf = async (ratio: number): Promise<readonly string[]> =>
      (await crawled(ratio)).sdk
        .spans()
        .filter(({ name }) => name === 'exchange')
        .map(({ attributes }) => `${String(attributes['avocet.host'])} ${String(attributes['avocet.exchange.seq'])}`)

    const [all, some, again, none] = [await rootsOf(1), await rootsOf(0.3), await rootsOf(0.3), await rootsOf(0)]

    expect(some).toEqual(again)
    expect(none).toEqual([])
    expect(some.length / all.length).toBeGreaterThan(0.1)
    expect(some.length / all.length).toBeLessThan(0.6)
    for (const one of some) expect(all).toContain(one)
  })

  it('are all ended when the crawl is over', async () => {
    const { sdk: kept, report, web } = await crawled(1)
    const roots = kept.spans().filter(({ name }) => name === 'exchange')

    expect(roots.length).toBeGreaterThanOrEqual(HOSTS.reduce((sum, { name }) => sum + web.felt(name).requests, 0))
    expect(roots.filter(({ attributes }) => attributes['avocet.incomplete'] === true)).toEqual([])
    expect(roots.filter(({ attributes }) => attributes['avocet.outcome'] === 'done')).toHaveLength(report.run.pages)
  })

  it('have no user, no password and no secret in a URL', async () => {
    const { sdk: kept } = await crawled(1)

    expect(JSON.stringify(kept.spans().map(({ attributes }) => attributes))).not.toMatch(/@|password/)
  })
})

describe('the metrics', () => {
  it('count every exchange once, and agree with the report', async () => {
    const { sdk: kept, report, web } = await crawled(0)
    const durations = await kept.points('http.client.request.duration')
    const total = durations.reduce((sum, { value }) => sum + countOf(value), 0)
    const of = async (outcome: string): Promise<number> =>
      countOf(
        (await kept.points('avocet.requests.settled')).find(({ attributes }) => attributes['avocet.outcome'] === outcome)
          ?.value ?? 0,
      )

    expect(total).toBe(HOSTS.reduce((sum, { name }) => sum + web.felt(name).requests, 0))
    expect(await of('done')).toBe(report.run.pages)
    expect(await of('failed')).toBe(report.run.failed)
    expect((await kept.points('avocet.items')).map(({ value }) => value)).toEqual([report.run.items])
    expect(kept.spans()).toEqual([])
  })

  it('are in seconds, by method, status or failure, server and port', async () => {
    const { sdk: kept } = await crawled(0)
    const durations = await kept.points('http.client.request.duration')
    const ofWell = durations.find(({ attributes }) => attributes['server.address'] === 'well.example')

    expect(ofWell?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': 'well.example',
      'server.port': 80,
      'url.scheme': 'http',
    })
    expect(ofWell?.value).toMatchObject({ min: expect.closeTo(0.95, 1) })
    expect(durations.map(({ attributes }) => attributes['error.type'])).toEqual(
      expect.arrayContaining(['429', 'reset', undefined]),
    )
  })

  it('have nothing in flight when the crawl is over', async () => {
    const { sdk: kept } = await crawled(0)
    const active = await kept.points('http.client.active_requests')

    expect(active.length).toBeGreaterThan(0)
    expect(active.map(({ value }) => value)).toEqual(active.map(() => 0))
  })

  it('name no more hosts than they may', async () => {
    const { sdk: kept } = await crawled(0, [], 1)
    const durations = await kept.points('http.client.request.duration')
    const names = new Set(durations.map(({ attributes }) => attributes['server.address']))

    expect(names.size).toBe(2)
    expect(names).toContain('_OTHER')
    expect((await kept.points('http.client.active_requests')).map(({ value }) => value)).toEqual([0, 0])
  })
})

describe('its options', () => {
  it.each([{ sampleRatio: 2 }, { sampleRatio: Number.NaN }, { maxHosts: -1 }, { ratio: 1 }])('are checked: %o', (options) => {
    expect(() => openTelemetry(options)).toThrow(/opentelemetry/)
  })
})
