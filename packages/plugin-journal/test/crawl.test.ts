// Whole crawls on virtual time: what the journal says is what the simulated hosts felt.
import { crawl, definePlugin, memoryFrontier, spider, type CrawlConfig, type Plugin } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock, type Felt, type HostSpec } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { forgetful } from '../../../test/control/forgetful.ts'
import { journal, journalOf, type HostJournal } from '../src/index.ts'

const list = (name: string, pages: number, more: Partial<HostSpec> = {}): HostSpec => ({
  name,
  pages: { kind: 'list', pages },
  ...more,
})

interface Ran {
  readonly felt: Felt
  readonly known: HostJournal
}

/** Crawls one host, under core's own politeness unless a plugin paces, and again until nothing is left. */
async function crawled(host: HostSpec, { plugins = [], ...config }: Partial<CrawlConfig> = {}): Promise<Ran> {
  const model = siteModel({ seed: 'journal', hosts: [host] })
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const frontier = memoryFrontier()
  for (let runs = 0, ended = ''; ended !== 'done' && runs < 50; runs++) {
    const subject = crawl({
      policies: [],
      spider: spider({ name: 'journal', seeds: model.seeds(), handlers: { *start() {} } }),
      frontier,
      clock,
      fetcher: web,
      plugins: [...plugins, journal()],
      patienceMs: 86_400_000,
      ...config,
    })
    ;({ ended } = await clock.run(() => subject.run()))
  }
  return { felt: web.felt(host.name), known: await journalFrom(frontier, host.name) }
}

async function journalFrom(frontier: Frontier, host: string): Promise<HostJournal> {
  const [record] = await frontier.reader.hosts({ hostKey: host })
  const known = record && journalOf(record.memory)
  if (known === undefined) throw new Error('nothing was written down')
  return known
}

const total = ({ buckets }: HostJournal, field: 'requests' | 'refusals' | 'failures'): number =>
  buckets.reduce((sum, bucket) => sum + bucket[field], 0)

/** By hand, from the log of the host. */
function mostIn({ log }: Felt, lengthMs: number): number {
  return Math.max(...log.map(({ at: first }) => log.filter(({ at }) => at >= first && at < first + lengthMs).length))
}

function expectAsFelt({ felt, known }: Ran): void {
  expect(total(known, 'requests')).toBe(felt.requests)
  expect(total(known, 'refusals')).toBe(felt.refused)
  expect(known.inSecond).toBe(mostIn(felt, 1_000))
  expect(known.inMinute).toBe(mostIn(felt, 60_000))
  expect(known.smallestGapMs).toBe(Math.round(felt.minGapMs))
}

/** Reads robots.txt, and then asks every three seconds. */
const threeSeconds = definePlugin<{ read: boolean }>({
  name: 'three-seconds',
  policy: 'rate',
  hostMemory: () => ({ read: false }),
  admit(ask, memory) {
    if (!memory.read) ask.require(`http://${ask.host.key}/robots.txt`, () => void (memory.read = true))
    ask.atMost(1, 'one at a time')
    ask.notBefore(ask.host.lastStartAt + 3_000, 'every three seconds')
  },
})

describe('the journal', () => {
  it('says what load a host had, of one with room for two a second that says Retry-After', async () => {
    const ran = await crawled(
      list('shop.test', 400, {
        latency: { law: 'lognormal', medianMs: 900, spread: 0.8 },
        capacity: { law: 'bucket', perSecond: 2, burst: 4 },
        refusal: { status: 429, retryAfter: 'seconds' },
      }),
      { delayMs: 50, maxPerHost: 4 },
    )

    expectAsFelt(ran)
    expect(ran.felt.refused).toBeGreaterThan(0)
    expect(ran.known.waits?.asked).toBe(ran.felt.refused)
    expect(ran.known.waits?.early).toBe(ran.felt.duringRetryAfter)
  })

  it('sees a Retry-After that nobody keeps', async () => {
    const stubborn: Plugin = {
      name: 'stubborn',
      policy: 'rate',
      onResponse: (answer) => {
        if (answer.response.status === 429) answer.retry(answer.now + 500, 'again')
      },
    }
    const { felt, known } = await crawled(
      list('shop.test', 20, {
        capacity: { law: 'window', requests: 5, seconds: 30 },
        refusal: { status: 429, retryAfter: 'seconds' },
      }),
      { plugins: [stubborn, forgetful] },
    )

    expect(known.waits?.early).toBe(felt.duringRetryAfter)
    expect(known.waits?.early).toBeGreaterThan(10)
  })

  it('knows the smallest gap since robots.txt was read', async () => {
    const ran = await crawled(
      list('shop.test', 30, {
        robots: { body: 'User-agent: *\nAllow: /\n' },
        latency: { law: 'uniform', minMs: 50, maxMs: 4_000 },
      }),
      { plugins: [threeSeconds] },
    )

    expectAsFelt(ran)
    // A ms less than it was booked for: the first had to connect.
    expect(ran.known.gapSinceMs).toBe(2_999)
    expect(ran.known.requiredAt).toBeLessThan(ran.felt.log[1]?.at ?? 0)
  })

  it('goes on over several runs: the gap between two of them counts, and each is named', async () => {
    const ran = await crawled(list('shop.test', 40), { delayMs: 300, maxPages: 15 })

    expect(total(ran.known, 'requests')).toBe(40)
    expect(ran.known.smallestGapMs).toBe(Math.round(ran.felt.minGapMs))
    expect(ran.known.inMinute).toBe(mostIn(ran.felt, 60_000))
    expect(ran.known.runs).toHaveLength(3)
    expect([ran.known.firstAt, ran.known.lastAt]).toEqual([ran.felt.log[0]?.at, ran.felt.log.at(-1)?.at])
  })

  it('keeps every count of a crawl of hours in few buckets, each once', async () => {
    const everyMinute: Plugin = {
      name: 'every-minute',
      policy: 'rate',
      admit: (ask) => ask.notBefore(ask.host.lastStartAt + 60_000, 'slowly'),
    }
    const ran = await crawled(list('shop.test', 300), { plugins: [everyMinute], maxPages: 70 })
    const places = ran.known.buckets.map(({ at }) => at)

    expect(total(ran.known, 'requests')).toBe(300)
    expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
    expect(places.length).toBeLessThanOrEqual(97)
    expect(ran.known.widthMs).toBe(320_000)
  })

  it('tells failures from answers, and counts no start that never reached the host', async () => {
    const { known } = await crawled(list('shop.test', 3, { death: 'refuse' }))

    expect(total(known, 'failures')).toBe(total(known, 'requests'))
    expect(known).toMatchObject({ inSecond: 0, inMinute: 0, lastAt: 0 })
  })

  it('counts what a stop let go of: the host was asked', async () => {
    const host = list('shop.test', 3, { latency: { law: 'fixed', ms: 20_000 } })
    const model = siteModel({ seed: 'journal', hosts: [host] })
    const [clock, frontier] = [new VirtualClock(), memoryFrontier()]
    const web = simulatedWeb(model, { clock })
    const subject = crawl({
      policies: [],
      spider: spider({ name: 'journal', seeds: model.seeds(), handlers: { *start() {} } }),
      frontier,
      clock,
      fetcher: web,
      plugins: [journal()],
      timeLimits: { firstByteMs: 60_000 },
    })
    clock.at(clock.now() + 5_000, () => subject.stop({ recallMs: 2_000 }))

    await clock.run(() => subject.run())
    const [felt, known] = [web.felt(host.name), await journalFrom(frontier, host.name)]

    expect([felt.requests, total(known, 'requests'), total(known, 'failures')]).toEqual([1, 1, 0])
    expect(known).toMatchObject({ lastAt: felt.log[0]?.at, ends: [{ how: 'let-go', count: 1 }] })
  })

  it('knows how exchanges ended, and the last URL of those that went wrong', async () => {
    const { felt, known } = await crawled(
      list('shop.test', 40, {
        capacity: { law: 'window', requests: 10, seconds: 30 },
        refusal: { status: 429, retryAfter: 'seconds' },
      }),
    )
    const dead = await crawled(list('dead.test', 3, { death: 'refuse' }))

    expect(known.ends.reduce((sum, { count }) => sum + count, 0)).toBe(felt.requests)
    expect(known.ends).toMatchObject([
      { how: '200', count: 40 },
      { how: '429', count: felt.refused, url: expect.stringMatching(/^http:\/\/shop\.test\//) },
    ])
    expect(known.ends[0]).not.toHaveProperty('url')
    expect(dead.known.ends).toMatchObject([{ how: 'connect-refused', url: expect.stringContaining('dead.test') }])
  })

  it('reads nothing where it was no part of the crawl', () => {
    expect(journalOf({ core: '[1,{}]' })).toBeUndefined()
  })
})
