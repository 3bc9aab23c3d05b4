// What hosts can be told to do: how much they take, whom they turn away, how they change, and what is kept of it. Ms since the web was started.
import type { Response } from '@avocet/core'
import type { Failure } from '@avocet/core/plugin'
import { DEFAULTS } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { simulatedWeb, siteModel, VirtualClock, type CapacityLaw, type HostSpec, type ModelSpec } from '../src/index.ts'
import { capacityGate } from '../src/site-model/capacity.ts'
import { HostLife } from '../src/site-model/host-life.ts'

const PAGES: HostSpec['pages'] = { kind: 'list', pages: 10 }

function life(spec: Partial<HostSpec>): HostLife {
  return new HostLife({ name: 'h.test', pages: PAGES, ...spec }, 'a', 0)
}

/** Answers of a simulated host to requests begun at the given moments: `status or code @ ms`. */
async function answers(model: Partial<ModelSpec> & { host?: Partial<HostSpec> }, moments: readonly number[], limits = {}) {
  const { host, ...rest } = model
  const clock = new VirtualClock({ startAt: 0 })
  const spec: ModelSpec = {
    seed: 'a',
    hosts: [{ name: 'h.test', pages: PAGES, latency: { law: 'fixed', ms: 50 }, ...host }],
    ...rest,
  }
  const web = simulatedWeb(siteModel(spec), { clock })
  const said: string[] = []
  const responses: Response[] = []
  const failures: Failure[] = []
  for (const at of moments) {
    clock.at(at, () => {
      const say = (what: string): void => void said.push(`${what} @${String(clock.now())}`)
      const outbound = { url: 'http://h.test/item/1', method: 'GET', headers: {}, privateAllowed: true }
      web.fetch(
        { ...outbound, limits: { ...DEFAULTS.timeLimits, ...limits } },
        {
          sent() {},
          headers: () => 'read',
          done: (response) => (say(String(response.status)), void responses.push(response)),
          failed: (failed) => (say(failed.code), void failures.push(failed)),
        },
      )
    })
  }
  await clock.advance(1_000_000)
  return { said, responses, failures, felt: web.felt('h.test') }
}

describe('capacity laws', () => {
  it.each<[string, CapacityLaw, number[], number[]]>([
    [
      'a sliding window',
      { law: 'sliding', requests: 2, seconds: 10 },
      [0, 4_000, 5_000, 10_000, 13_999, 14_000],
      [0, 0, 5_000, 0, 1, 0],
    ],
    ['a bucket', { law: 'bucket', perSecond: 1, burst: 1 }, [0, 500, 1_000], [0, 500, 0]],
    [
      'a bucket that penalises',
      { law: 'penalising', perSecond: 1, burst: 1 },
      [0, 500, 1_000, 1_000, 3_000],
      [0, 1_500, 2_000, 2_000, 0],
    ],
    ['its floor', { law: 'penalising', perSecond: 1, burst: 1, floor: 0 }, [0, 0, 0, 0, 1_000], [0, 1_000, 1_000, 1_000, 0]],
    [
      'a bucket that halves',
      { law: 'bucket', perSecond: 1, burst: 1, changes: [{ atMs: 1_000, factor: 0.5 }] },
      [0, 500, 1_000, 2_000, 3_000],
      [0, 500, 0, 1_000, 0],
    ],
    [
      'a bucket that stops for a minute',
      {
        law: 'bucket',
        perSecond: 1,
        burst: 1,
        changes: [
          { atMs: 0, factor: 0 },
          { atMs: 60_000, factor: 1 },
        ],
      },
      [0, 30_000, 61_000],
      [0, 31_000, 0],
    ],
    [
      'a bucket on a wave',
      { law: 'bucket', perSecond: 1, burst: 1, wave: { ratio: 1, periodMs: 4_000 } },
      [0, 1_000, 3_000, 4_000],
      [0, 0, 0, 470.5],
    ],
    ['no refusal by workers', { law: 'servers', servers: 1 }, [0, 0, 0], [0, 0, 0]],
  ])('%s', (_name, law, moments, waits) => {
    const gate = capacityGate(law)

    const answered = moments.map((ms) => gate.take(ms))

    for (const [n, wait] of waits.entries()) expect(answered[n]).toBeCloseTo(wait, 1)
  })

  it('lets two workers take one request after the other', () => {
    const gate = capacityGate({ law: 'servers', servers: 2, changes: [{ atMs: 1_000, factor: 0.5 }] })

    expect([0, 0, 0, 50].map((ms) => gate.answerMs?.(ms, 100))).toEqual([100, 100, 200, 150])
    expect(gate.answerMs?.(2_000, 100)).toBe(200)
  })
})

describe('a host', () => {
  it('bans a client that asks too much, and forgives', () => {
    const host = life({ ban: { requests: 2, windowSeconds: 1, banSeconds: 10 } })

    const kinds = [0, 500, 900, 5_000, 10_899, 10_900].map((now) => host.receive(now).kind)

    expect(kinds).toEqual(['serve', 'serve', 'banned', 'banned', 'banned', 'serve'])
    // What was asked before the ban is forgotten with it, also when the window is longer.
    const strict = life({ ban: { requests: 1, windowSeconds: 60, banSeconds: 1 } })
    expect([0, 10, 1_010].map((now) => strict.receive(now).kind)).toEqual(['serve', 'banned', 'serve'])
  })

  it('refuses a share by chance, whatever the rate', () => {
    const host = life({ refuseRatio: 0.1, refusal: { status: 429, retryAfter: 'seconds' } })

    const receptions = Array.from({ length: 10_000 }, (_, n) => host.receive(n * 60_000))

    const refused = receptions.filter(({ kind }) => kind === 'refuse')
    expect(refused.length).toBeGreaterThan(900)
    expect(refused.length).toBeLessThan(1_100)
    expect(refused[0]).toMatchObject({ status: 429, headers: { 'retry-after': '1' }, restMs: 1_000 })
  })

  it('slows down at a moment, and refuses as slowly as it serves', () => {
    const host = life({
      latency: { law: 'fixed', ms: 100 },
      latencyChanges: [{ atMs: 1_000, factor: 25 }],
      capacity: { law: 'window', requests: 1, seconds: 1 },
      refusal: { status: 503, latencyMs: 'as-served' },
    })

    expect([0, 1, 1_000, 1_001].map((now) => host.receive(now))).toMatchObject([
      { kind: 'serve', latencyMs: 100 },
      { kind: 'refuse', status: 503, latencyMs: 100 },
      { kind: 'serve', latencyMs: 2_500 },
      { kind: 'refuse', latencyMs: 2_500 },
    ])
  })

  it.each<[NonNullable<HostSpec['rateLimitFields']>, Record<string, string>]>([
    ['draft', { 'ratelimit-policy': '"default";q=10;w=60', ratelimit: '"default";r=9;t=55' }],
    ['legacy', { 'ratelimit-limit': '10', 'ratelimit-remaining': '9', 'ratelimit-reset': '55' }],
    ['x', { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '60' }],
    ['lying', { 'ratelimit-policy': '"default";q=100;w=60', ratelimit: '"default";r=100;t=55' }],
  ])('says its limits in the form %s', (rateLimitFields, headers) => {
    const host = life({ rateLimitFields, capacity: { law: 'window', requests: 10, seconds: 60 } })

    expect(host.receive(5_000)).toMatchObject({ kind: 'serve', headers })
  })

  it('says on its page the limits it has, and has a robots.txt when it is given one', async () => {
    const { responses } = await answers(
      { host: { rateLimitFields: 'draft', capacity: { law: 'bucket', perSecond: 2, burst: 4 } } },
      [0],
    )
    const model = siteModel({
      seed: 'a',
      hosts: [
        { name: 'a.test', pages: PAGES, robots: { body: 'User-agent: *\nCrawl-delay: 2\n' } },
        { name: 'b.test', pages: { kind: 'plain', pages: 3 }, robots: { status: 503 } },
        { name: 'c.test', pages: { kind: 'plain', pages: 3 } },
      ],
    })

    expect(responses[0]?.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', ratelimit: '"default";r=3;t=1' })
    expect(new TextDecoder().decode(model.page('a.test', '/robots.txt')?.body)).toBe('User-agent: *\nCrawl-delay: 2\n')
    expect(model.page('b.test', '/robots.txt')?.status).toBe(503)
    expect(model.page('c.test', '/robots.txt')).toBeUndefined()
    expect(model.page('b.test', '/2')?.body).toEqual(model.page('c.test', '/2')?.body)
  })

  it('dies of a certificate for somebody else, or falls silent after its headers', async () => {
    expect((await answers({ host: { death: 'tls-certificate' } }, [0])).failures[0]).toMatchObject({
      code: 'AVO_TLS_CERTIFICATE',
      phase: 'tls',
      sent: false,
    })
    expect((await answers({ host: { death: 'stall' } }, [0], { idleMs: 900 })).said).toEqual(['AVO_IDLE_TIMEOUT @951'])
  })
})

describe('an outage of the client', () => {
  const outage = (style: 'unreachable' | 'blackhole') => ({ clientOutages: [{ style, fromMs: 1_000, untilMs: 20_000 }] })

  it('is reported as the network that is down', async () => {
    const { said, failures, felt } = await answers(outage('unreachable'), [0, 2_000, 20_000])

    expect(said).toEqual(['200 @51', 'AVO_NETWORK_DOWN @2001', '200 @20050'])
    expect(failures[0]).toMatchObject({ blame: 'local', sent: false })
    expect(felt).toMatchObject({ requests: 2, attempts: 3 })
  })

  it('swallows connections, and holds back what was under way', async () => {
    const { said } = await answers({ ...outage('blackhole'), host: { latency: { law: 'fixed', ms: 500 } } }, [900, 2_000, 10_000])

    expect(said).toEqual(['AVO_CONNECT_TIMEOUT @17000', '200 @20000', '200 @20501'])
  })
})

describe('what a host felt', () => {
  it('is how long it took of the slots, and how it ended', async () => {
    const { felt } = await answers(
      {
        host: { capacity: { law: 'bucket', perSecond: 0.1, burst: 1 }, ban: { requests: 2, windowSeconds: 60, banSeconds: 60 } },
      },
      [0, 100, 200],
    )

    expect(felt).toMatchObject({
      attempts: 3,
      served: 1,
      refused: 1,
      banned: 1,
      slotMs: { served: 51, refused: 5, banned: 5, failed: 0 },
    })
  })

  it('is who came too early, who came in vain, and who was given up too soon', async () => {
    const early = await answers(
      {
        host: {
          capacity: { law: 'bucket', perSecond: 0.1, burst: 1 },
          refusal: { status: 429, retryAfter: 'seconds', retryAfterSeconds: 20 },
        },
      },
      [0, 1_000, 1_003, 2_000, 22_003, 22_009],
    )
    const dead = await answers({ host: { death: 'blackhole' } }, [0])
    const slow = await answers({ host: { latency: { law: 'fixed', ms: 59_000 } } }, [0], { firstByteMs: 20_000 })
    const slower = await answers({ host: { latency: { law: 'fixed', ms: 61_000 } } }, [0], { firstByteMs: 20_000 })

    // That of 1,003 was on its way before the answer was there.
    expect(early.felt.duringRetryAfter).toBe(2)
    expect(dead.felt).toMatchObject({ attempts: 1, deadAttempts: 1, requests: 0, slotMs: { failed: 15_000 } })
    expect(slow.felt.falseTimeouts).toBe(1)
    expect(slower.felt.falseTimeouts).toBe(0)
  })
})
