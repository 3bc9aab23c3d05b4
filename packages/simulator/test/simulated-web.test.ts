// What the simulated web promises: the phases, limits and codes of the real fetcher at exact virtual moments, and what the targets felt.
import type { Response } from '@avocet/core'
import type { Failure } from '@avocet/core/plugin'
import { DEFAULTS, type BodyWish, type Outbound, type TimeLimits } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { simulatedWeb, siteModel, VirtualClock, type DeathStyle, type HostSpec, type SimulatedWeb } from '../src/index.ts'

/** One exchange and when (ms since the start) each callback came. */
interface Story {
  readonly said: string[]
  response?: Response
  failure?: Failure
  endedAt?: number
}

class Bench {
  readonly clock = new VirtualClock({ startAt: 0 })
  readonly web: SimulatedWeb

  constructor(...hosts: Partial<HostSpec>[]) {
    const model = siteModel({
      seed: 'a',
      hosts: hosts.map((host, n) => ({ name: `h${String(n)}.test`, pages: { kind: 'list', pages: 100 }, ...host })),
    })
    this.web = simulatedWeb(model, { clock: this.clock })
  }

  start(url: string, options: { limits?: Partial<TimeLimits>; wish?: BodyWish } = {}): { story: Story; abort: () => void } {
    const story: Story = { said: [] }
    const say = (word: string): void => void story.said.push(`${word} ${String(this.clock.now())}`)
    const outbound: Outbound = {
      url,
      method: 'GET',
      headers: {},
      limits: { ...DEFAULTS.timeLimits, ...options.limits },
      privateAllowed: true,
    }
    const abort = this.web.fetch(outbound, {
      sent: () => say('sent'),
      headers: ({ status }) => (say(`headers ${String(status)}`), options.wish ?? 'read'),
      done: (response) => (say('done'), (story.response = response)),
      failed: (failure) => (say(`failed ${failure.code}`), (story.failure = failure)),
    })
    return { story, abort }
  }

  async exchange(url: string, options: Parameters<Bench['start']>[1] = {}): Promise<Story> {
    const { story } = this.start(url, options)
    await this.clock.advance(1_000_000)
    return story
  }
}

describe('simulated web', () => {
  it('connects, sends, answers', async () => {
    const bench = new Bench({ latency: { law: 'fixed', ms: 200 } })

    const { said, response } = await bench.exchange('http://h0.test/item/7')

    expect(said).toEqual(['sent 1', 'headers 200 201', 'done 201'])
    expect(response).toMatchObject({
      url: 'http://h0.test/item/7',
      status: 200,
      timings: { connectMs: 1, firstByteMs: 200, bodyMs: 0, reusedSocket: false },
    })
    expect(response?.wireBytes).toBe(response?.body.byteLength)
    expect(new TextDecoder().decode(response?.body)).toContain('<h1>')
  })

  it('says nothing before fetch has returned', () => {
    const bench = new Bench({ latency: { law: 'fixed', ms: 0 } })

    expect(bench.start('http://h0.test/item/1').story.said).toEqual([])
    expect(bench.start('http://nobody.test/').story.said).toEqual([])
  })

  it('uses an idle connection again', async () => {
    const bench = new Bench({ latency: { law: 'fixed', ms: 10 } })
    await bench.exchange('http://h0.test/item/1')

    const { response } = await bench.exchange('http://h0.test/item/2')

    expect(response?.timings).toEqual({ firstByteMs: 10, bodyMs: 0, reusedSocket: true })
    expect(bench.web.connections()).toEqual({ open: 1, busy: 0 })
  })

  it('answers 404 where nothing stands, and fails where no host is', async () => {
    const bench = new Bench({})

    expect((await bench.exchange('http://h0.test/nowhere')).response?.status).toBe(404)
    expect((await bench.exchange('http://h9.test/')).failure).toMatchObject({
      code: 'AVO_DNS_NOT_FOUND',
      phase: 'dns',
      sent: false,
    })
  })

  it.each<[DeathStyle, string[], Partial<Failure>]>([
    ['refuse', ['failed AVO_CONNECT_REFUSED 1'], { phase: 'connect', sent: false, blame: 'host' }],
    ['blackhole', ['failed AVO_CONNECT_TIMEOUT 15000'], { phase: 'connect', sent: false }],
    ['dns-not-found', ['failed AVO_DNS_NOT_FOUND 1'], { phase: 'dns', sent: false }],
    ['dns-failed', ['failed AVO_DNS_FAILED 10000'], { phase: 'dns', sent: false, blame: 'host' }],
    ['hang', ['sent 1', 'failed AVO_FIRST_BYTE_TIMEOUT 30001'], { phase: 'firstByte', sent: true, wireBytes: 0 }],
    ['reset', ['sent 1', 'failed AVO_RESET 51'], { phase: 'firstByte', sent: true }],
    ['drip', ['sent 1', 'headers 200 51', 'failed AVO_TOO_SLOW 30051'], { phase: 'body', wireBytes: 30 }],
    ['truncate', ['sent 1', 'headers 200 51', 'failed AVO_TRUNCATED 51'], { phase: 'body', blame: 'url' }],
    ['endless', ['sent 1', 'headers 200 51', 'failed AVO_BODY_TOO_LARGE 10051'], { phase: 'body', wireBytes: 10_485_760 }],
  ])('dies by %s as the real web does', async (death, said, failure) => {
    const story = await new Bench({ death }).exchange('http://h0.test/item/1')

    expect(story.said).toEqual(said)
    expect(story.failure).toMatchObject(failure)
  })

  it.each<[Partial<HostSpec>, Partial<TimeLimits>, string]>([
    [{ death: 'blackhole' }, { connectMs: 700 }, 'failed AVO_CONNECT_TIMEOUT 700'],
    [{ death: 'blackhole' }, { totalMs: 600 }, 'failed AVO_TOTAL_TIMEOUT 600'],
    [{ death: 'dns-failed' }, { connectMs: 700 }, 'failed AVO_CONNECT_TIMEOUT 700'],
    [{ death: 'hang' }, { firstByteMs: 500 }, 'failed AVO_FIRST_BYTE_TIMEOUT 501'],
    [{ death: 'hang' }, { totalMs: 400 }, 'failed AVO_TOTAL_TIMEOUT 400'],
    [{ latency: { law: 'fixed', ms: 300 } }, { firstByteMs: 300 }, 'done 301'],
    [{ latency: { law: 'fixed', ms: 300 } }, { firstByteMs: 299 }, 'failed AVO_FIRST_BYTE_TIMEOUT 300'],
    [{ death: 'drip' }, { idleMs: 900 }, 'failed AVO_IDLE_TIMEOUT 951'],
    [{ death: 'drip' }, { minBytesPerSecond: 0 }, 'failed AVO_TOTAL_TIMEOUT 180000'],
    [{ bytesPerSecond: 100 }, { totalMs: 2_000 }, 'failed AVO_TOTAL_TIMEOUT 2000'],
  ])('honours limits: %o under %o', async (host, limits, last) => {
    const { said } = await new Bench(host).exchange('http://h0.test/item/1', { limits })

    expect(said.at(-1)).toBe(last)
  })

  it('takes time for a body when the host has a throughput', async () => {
    const { response } = await new Bench({ bytesPerSecond: 1_000 }).exchange('http://h0.test/item/1')

    expect(response?.timings.bodyMs).toBe(response?.wireBytes)
  })

  it('lets go of a body that nobody wants', async () => {
    const { said, response } = await new Bench({ death: 'endless' }).exchange('http://h0.test/item/1', { wish: 'discard' })

    expect(said).toEqual(['sent 1', 'headers 200 51', 'done 51'])
    expect(response?.body).toHaveLength(0)
  })

  it('is silent after an abort, and nothing reaches the host before it is sent', async () => {
    const bench = new Bench({}, {})
    const unsent = bench.start('http://h0.test/item/1')
    const sent = bench.start('http://h1.test/item/1')
    unsent.abort()
    bench.clock.at(30, sent.abort)

    await bench.clock.advance(1_000)
    sent.abort()

    expect(unsent.story.said).toEqual([])
    expect(sent.story.said).toEqual(['sent 1'])
    expect(bench.web.felt('h0.test').requests).toBe(0)
    expect(bench.web.felt('h1.test')).toMatchObject({
      requests: 1,
      failed: 1,
      inFlight: 0,
      log: [{ at: 1, endedAt: 30, status: 0 }],
    })
    expect(bench.clock.scheduled).toBe(0)
  })

  it('refuses what is above the capacity, with Retry-After', async () => {
    const bench = new Bench({
      capacity: { law: 'bucket', perSecond: 1, burst: 2 },
      refusal: { status: 429, retryAfter: 'seconds' },
    })
    const stories = [1, 2, 3].map((n) => bench.start(`http://h0.test/item/${String(n)}`, { wish: 'discard' }).story)

    await bench.clock.advance(10_000)

    expect(stories.map(({ said }) => said.at(-1))).toEqual(['done 51', 'done 51', 'done 6'])
    expect(stories[2]?.response).toMatchObject({ status: 429, headers: { 'retry-after': '1' }, wireBytes: 0 })
    expect(bench.web.felt('h0.test')).toMatchObject({ requests: 3, served: 2, refused: 1, maxInFlight: 3, minGapMs: 0 })
  })

  it('gives the n-th request of a host the same latency whatever happens at other hosts', async () => {
    const latencies = async (...others: string[]): Promise<(number | undefined)[]> => {
      const random: Partial<HostSpec> = { latency: { law: 'lognormal', medianMs: 100, spread: 1 } }
      const bench = new Bench(random, random)
      for (const url of others) bench.start(url)
      const stories = [1, 2, 3].map((n) => bench.start(`http://h0.test/item/${String(n)}`).story)
      await bench.clock.advance(1_000_000)
      return stories.map(({ response }) => response?.timings.firstByteMs)
    }

    const alone = await latencies()

    expect(await latencies('http://h1.test/item/1', 'http://h1.test/item/2')).toEqual(alone)
    expect(new Set(alone).size).toBe(3)
  })

  it('aborts what is under way when it closes', async () => {
    const bench = new Bench({ death: 'hang' })
    const { story } = bench.start('http://h0.test/item/1')
    await bench.clock.advance(10)

    await bench.web.close()
    await bench.clock.advance(100_000)

    expect(story.said).toEqual(['sent 1'])
    expect(bench.web.connections().busy).toBe(0)
  })
})
