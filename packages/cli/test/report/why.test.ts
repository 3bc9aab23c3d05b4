// `avocet why`: the answer from a store at rest, its lines, and the command.
import { Orders } from '@avocet/at-rest'
import { crawl, definePlugin, memoryFrontier, spider } from 'avocet'
import type { Frontier, HostRecord } from '@avocet/core/store'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerOf, type Answer } from '../../src/why/answer.ts'
import { knownHost } from '../../src/store/known-host.ts'
import { whyLines } from '../../src/why/why.ts'
import { valueInWords } from '../../../project/src/text/value-in-words.ts'
import { runCli } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

/** One page, then an hour of rest. */
const onceAnHour = definePlugin({
  name: 'once-an-hour',
  policy: 'rate',
  hostMemory: () => ({ askedAt: 0 }),
  admit(ask, host) {
    if (host.askedAt > 0) ask.notBefore(host.askedAt + 3_600_000, 'once an hour')
  },
  onAdmit(exchange, host) {
    host.askedAt = exchange.admittedAt
  },
  explain: (_asked, host) => ({ askedAt: host.askedAt, foundRps: 0.0003 }),
})

/** Two pages of one host, of which one is fetched at the first moment of 2026. */
async function halfCrawled(): Promise<{ frontier: Frontier; record: HostRecord }> {
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'why', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 2 } }] })
  const frontier = memoryFrontier()
  const spider = { name: 'why', seeds: model.seeds(), handlers: { *start() {} } }
  const fetcher = simulatedWeb(model, { clock })
  const config = { spider, plugins: [onceAnHour], frontier, clock, fetcher, patienceMs: 60_000 }
  await clock.run(() => crawl({ policies: [], ...config }).run())
  return { frontier, record: await knownHost(frontier.reader, 'shop.test') }
}

const NOON = 1_767_225_600_000 + 600_000

describe('the name of a crawl', () => {
  it('is no host: why says which hosts it has, and the command for its progress as this one was called', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avocet-why-crawl-'))
    const site = await smallSite(1)
    const spider = { name: 'shop', seeds: [site.url], handlers: {} }
    await writeFile(join(folder, 'shop.mjs'), `export default { ...${JSON.stringify(spider)}, handlers: { start: () => [] } }`)
    await runCli(['crawl', 'shop.mjs'], { folder })

    const bare = await runCli(['why', 'shop'], { folder })
    const called = await runCli(['why', 'shop'], { folder, env: { npm_command: 'exec' } })
    site.close()
    await rm(folder, { recursive: true })

    const host = new URL(site.url).host
    const says = `got 'shop', which is a crawl; it knows ${host}; for its progress:`
    expect(bare.stderr).toContain(`${says} avocet status shop (AVO_USAGE)`)
    expect(called.stderr).toContain(`${says} npx avocet status shop (AVO_USAGE)`)
    expect(bare.code).toBe(2)
  })
})

describe('what the command adds to a configuration', () => {
  it('is treated as configured: proxies and sitemaps differ from the last run only where they do', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avocet-why-added-'))
    const site = await smallSite(1)
    const config = `export default { proxy: { 'other.test': 'http://ann:secret@p.test:1' }, sitemaps: true,
      spider: { name: 'shop', seeds: ['${site.url}'], handlers: { start: () => [] } } }`
    await writeFile(join(folder, 'avocet.config.ts'), config)
    await runCli(['crawl'], { folder })

    const { stdout } = await runCli(['why', new URL(site.url).host], { folder })
    site.close()
    await rm(folder, { recursive: true })

    expect(stdout).toMatch(/plugins: .*proxies.*sitemaps/)
    expect(stdout).not.toContain('configured now')
    expect(stdout).not.toContain('secret')
  })
})

describe('the answer', () => {
  it('blames nobody for pages that are not due yet', async () => {
    const { frontier, record } = await halfCrawled()
    const due = { ...record, waiting: 0, again: 2, readyAt: NOON + 86_400_000 }

    const answer = await answerOf({ reader: frontier.reader, config: { policies: [] }, record: due, now: NOON })

    expect(answer.holds).toEqual([])
  })

  it('says of a host how much is left, who holds it until when, and what is known', async () => {
    const { frontier, record } = await halfCrawled()

    const answer = await answerOf({ reader: frontier.reader, config: { policies: [], plugins: [onceAnHour] }, record, now: NOON })

    expect(answer).toMatchObject({
      hostKey: 'shop.test',
      condition: 'fine',
      waiting: 1,
      done: 1,
      readyAt: 1_767_229_200_000,
      atMost: null,
      holds: [{ by: 'once-an-hour', why: 'once an hour', until: 1_767_229_200_000 }],
      closed: [],
      values: {
        core: { lastEndAt: 1_767_225_600_051, lastDurationMs: 50, consecutiveFailures: 0, proven: true },
        'once-an-hour': { askedAt: 1_767_225_600_000, foundRps: 0.0003 },
      },
    })
  })

  it('says of a URL what became of it', async () => {
    const { frontier, record } = await halfCrawled()
    const about = (url: string): Promise<Answer> => answerOf({ reader: frontier.reader, config: {}, record, url, now: NOON })

    const [first = '', second = ''] = (await frontier.reader.requests({ limit: 2 })).map(({ url }) => url)

    expect((await about(first)).requests).toMatchObject([{ state: 'done', status: 200, fetchedAt: 1_767_225_600_001 }])
    expect((await about(second)).requests).toMatchObject([{ state: 'waiting', attempts: 0 }])
    expect((await about('http://shop.test/nowhere')).requests).toEqual([])
  })

  it('says who asked for another visit, of one that a limit put off', async () => {
    const clock = new VirtualClock()
    const model = siteModel({ seed: 'why', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 2 } }] })
    const frontier = memoryFrontier()
    const made = spider({
      name: 'why',
      seeds: model.seeds().map((url) => ({ url, again: true })),
      handlers: {
        *start() {},
      },
    })
    const config = { policies: [], delayMs: 10, spider: made, frontier, clock, fetcher: simulatedWeb(model, { clock }) }
    await clock.run(() => crawl(config).run())
    await clock.run(() => crawl({ ...config, maxPages: 1 }).run())

    const [, second] = await frontier.reader.requests({ limit: 2 })
    const record = await knownHost(frontier.reader, 'shop.test')
    const url = second?.url ?? ''
    const at = second?.asked?.at ?? 0
    const answer = await answerOf({ reader: frontier.reader, config: {}, record, url, now: at + 60_000 })
    expect(whyLines(answer)).toContain('  asked for again   1 min ago, by a seed')
    expect(whyLines(answer).join('\n')).toMatch(/state +done, due again now/)
  })

  it('finds a URL with several secrets among other parameters, by the names that the store knows', async () => {
    const clock = new VirtualClock()
    const model = siteModel({ seed: 'why', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 1 } }] })
    const frontier = memoryFrontier()
    const url = 'http://shop.test/?page=2&token=mine&b=1&key=other'
    const spider = { name: 'why', seeds: [url], handlers: { *start() {} } }
    const fetcher = simulatedWeb(model, { clock })
    const secretParameters = ['token', 'key']
    await clock.run(() => crawl({ policies: [], spider, plugins: [], frontier, clock, fetcher, secretParameters }).run())
    const record = await knownHost(frontier.reader, 'shop.test')

    const about = (asked: string): Promise<Answer> =>
      answerOf({ reader: frontier.reader, config: { policies: [], plugins: [] }, record, url: asked, now: NOON })
    expect((await about(url)).requests).toMatchObject([{ url: 'http://shop.test/?page=2&token=__secret__&b=1&key=__secret__' }])
    expect((await about('http://shop.test/?page=3&token=mine&key=other')).url).toBe(
      'http://shop.test/?page=3&token=__secret__&key=__secret__',
    )
  })

  it('still says when the host is due, and on whose word, when the plugin that held it is gone', async () => {
    const { frontier, record } = await halfCrawled()

    const answer = await answerOf({ reader: frontier.reader, config: { policies: [], plugins: [] }, record, now: NOON })

    expect(answer.holds).toEqual([{ by: 'once-an-hour', why: 'once an hour', until: 1_767_229_200_000 }])
  })

  it('names the host that was meant', async () => {
    const { frontier } = await halfCrawled()

    await expect(knownHost(frontier.reader, 'shpo.test')).rejects.toMatchObject({
      code: 'AVO_USAGE',
      message: "why: expected a host or URL that the store knows, got 'shpo.test' (did you mean 'shop.test'?)",
    })
    await expect(knownHost(frontier.reader, 'www.shop.test')).rejects.toThrow("did you mean 'shop.test'?")
    await expect(knownHost(frontier.reader, 'elsewhere.example')).rejects.toThrow('it knows shop.test')
  })
})

describe('the answer about a host that was given up', () => {
  const retired = { retiredFor: 'never answered, 3 times in a row', probeAt: NOON + 86_400_000 }

  it('says one thing: nothing of it is requested before its probe', async () => {
    const { frontier, record } = await halfCrawled()
    const [, second] = await frontier.reader.requests({ limit: 2 })
    const url = second?.url ?? ''
    const about = { reader: frontier.reader, config: { policies: [], plugins: [] }, url, now: NOON }

    const answer = await answerOf({ ...about, record: { ...record, ...retired } })
    expect(answer).toMatchObject({ condition: 'unreachable', readyAt: NOON + 86_400_000 })
    expect(whyLines(answer)).toContain('  state             waiting; its host is given up')
    expect(whyLines(answer)).toContain(
      '  state             unreachable: given up, never answered, 3 times in a row; probed again in 1 d',
    )
    expect(whyLines(answer).join('\n')).not.toMatch(/at once|held by|\bnow\b/)

    const later = await answerOf({ ...about, record: { ...record, retiredFor: retired.retiredFor } })
    expect(later).toMatchObject({ condition: 'unreachable', readyAt: null })
    expect(whyLines(later)).toContain(
      '  state             unreachable: given up, never answered, 3 times in a row; probed again by the next run',
    )
  })

  it.each([
    [undefined, '  operator          until it is resumed: paused'],
    [NOON + 60_000, '  operator          for 1 min: paused'],
  ])('says of one that is paused until %s that, and no other end beside it', async (until, line) => {
    const { frontier, record } = await halfCrawled()
    const order = { kind: 'pause-host', hostKey: record.hostKey, ...(until !== undefined && { until }) } as const
    await Orders.give(frontier, order, NOON)

    const lines = whyLines(await answerOf({ reader: frontier.reader, config: { policies: [], plugins: [] }, record, now: NOON }))

    expect(lines[1]).toBe('  state             paused: by an operator')
    expect(lines.filter((each) => each.includes('operator  '))).toEqual([line])
  })

  it('says of one that is held for ever that nobody knows until when', async () => {
    const { frontier, record } = await halfCrawled()
    const never = definePlugin({ name: 'never', admit: (ask) => ask.notBefore(Infinity, 'is not wanted') })

    const answer = await answerOf({ reader: frontier.reader, config: { policies: [], plugins: [never] }, record, now: NOON })

    expect(answer).toMatchObject({ condition: 'fine', readyAt: null })
    expect(whyLines(answer)[1]).toBe('  state             fine; held without a known end')
  })
})

describe('its lines', () => {
  const answer: Answer = {
    now: NOON,
    sinks: [],
    failedLogins: [],
    orders: {},
    hostKey: 'shop.test',
    condition: 'fine',
    why: '',
    held: false,
    closed: [],
    waiting: 1_204,
    done: 300,
    moved: 2,
    failed: 1,
    retried: 12,
    again: 0,
    readyAt: NOON + 12_000,
    atMost: 2,
    holds: [
      { by: 'aimd', why: 'paused after a refusal', until: NOON + 12_000 },
      { by: 'robots', why: 'in flight', until: null },
    ],
    lastRun: null,
    policies: 'robots',
    robots: null,
    values: { aimd: { foundRps: 4.8, refusedAt: NOON - 180_000 }, breaker: { state: 'closed', level: 0 }, retry: {} },
  }

  it('fit a screen, times being counted from now', () => {
    expect(whyLines(answer)).toEqual([
      'shop.test',
      '  state             fine; next request in 12 s',
      '  pages             300 done, 2 moved, 1 failed, 1,204 waiting; 12 retries',
      '  in flight         at most 2',
      'held by',
      '  aimd              for 12 s: paused after a refusal',
      '  robots            until what is in flight has ended: in flight',
      'known',
      '  aimd              found 4.8 /s, refused 3 min ago',
      '  breaker           state closed, level 0',
    ])
  })

  it('begin with the URL, if one was asked about', () => {
    const request = { id: 1, handler: 'start', hostKey: 'shop.test', depth: 1, priority: 0, attempts: 1, freeAttempts: 2 }
    const url = 'http://shop.test/7'

    expect(
      whyLines({
        ...answer,
        url,
        requests: [
          {
            ...request,
            url,
            state: 'waiting',
            parent: 'http://shop.test/',
            reason: 'http-503',
            notBefore: NOON + 60_000,
            fetchedAt: NOON - 5_000,
            status: 503,
            durationMs: 120,
            wireBytes: 0,
          },
        ],
      }).slice(0, 6),
    ).toEqual([
      url,
      '  state             waiting, not for 1 min: http-503',
      '  attempts          1, and 2 that did not count',
      '  last fetched      5.0 s ago: status 503 in 120 ms, 0 B',
      '  found on          http://shop.test/',
      '',
    ])
    expect(whyLines({ ...answer, url, requests: [] })[1]).toContain('no page led to it')
  })

  it.each([
    [
      'a handler that failed',
      {
        state: 'failed',
        reason: 'handler-threw',
        handlerError: { code: 'AVO_HANDLER_THREW', message: 'Error: no price', place: '/w/a.ts:3:5' },
      },
      'AVO_HANDLER_THREW: a.ts:3:5 Error: no price',
    ],
    [
      'an attempt that is repeated',
      { state: 'waiting', reason: 'connect-refused' },
      'AVO_CONNECT_REFUSED: nobody listens at that port',
    ],
    ['a status', { state: 'failed', reason: 'http-404' }, undefined],
    [
      'another message of its kind',
      { state: 'failed', reason: 'handler-threw', handlerError: { code: 'AVO_HANDLER_THREW', message: 'Error: row 7' } },
      'AVO_HANDLER_THREW: Error: row 7, or the like',
    ],
  ] as const)('say of a URL what the error of its last attempt was: %s', (_what, failed, error) => {
    const request = {
      id: 1,
      url: 'http://shop.test/7',
      handler: 'start',
      hostKey: 'shop.test',
      depth: 1,
      priority: 0,
      attempts: 1,
      freeAttempts: 0,
    }
    const lines = whyLines({ ...answer, url: request.url, requests: [{ ...request, ...failed }] }, undefined, '/w')

    expect(lines.find((line) => line.startsWith('  error'))).toBe(error && `  error             ${error}`)
  })

  it.each([
    ['firstByteMs', 850, 'first byte 850 ms'],
    ['openUntil', NOON + 60_000, 'open in 1 min'],
    ['refusedAt', 0, 'refused never'],
    ['refusedRatio', 0.013, 'refused 1.3 %'],
    ['sitemaps', ['http://a.test/s.xml'], 'sitemaps ["http://a.test/s.xml"]'],
    ['failingSince', NOON - 20_000, 'failing for 20 s'],
    ['http://a.test', { refreshAt: NOON + 5_000, rules: 3 }, 'http://a.test (refresh in 5.0 s, rules 3)'],
    ['trusted', true, 'trusted yes'],
    ['why', 'a\u001b[2Jb', String.raw`why a\u{1b}[2Jb`],
  ])('show %s as people read it', (key, value, words) => {
    expect(valueInWords(key, value, NOON)).toBe(words)
  })
})

describe('avocet why', () => {
  let folder: string
  let site: SmallSite
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'avocet-why-'))
    site = await smallSite(20)
  })
  afterEach(async () => {
    site.close()
    await rm(folder, { recursive: true })
  })

  it('answers about a host and a URL of a stopped crawl, also as one JSON document', async () => {
    const { host } = new URL(site.url)
    await runCli(['crawl', site.url, '--rate', 'fixed', '--delay', '0', '--max-pages', '5'], { folder })

    const ofHost = await runCli(['why', host], { folder })
    const ofUrl = await runCli(['why', site.url, '--json'], { folder })

    expect(ofHost.stdout).toMatch(
      new RegExp(`^${host}\n {2}state +fine(?:; next request in .*)?\n {2}pages +5 done, 0 moved, 0 failed, 6 waiting`),
    )
    expect(ofHost.code).toBe(0)
    expect(JSON.parse(ofUrl.stdout)).toMatchObject({ schema: 1, hostKey: host, requests: [{ state: 'done', status: 200 }] })
  })

  it('says in one line what is wrong: an unknown host, no store, a broken configuration', async () => {
    const none = await runCli(['why', 'a.example'], { folder })
    await runCli(['crawl', site.url, '--rate', 'fixed', '--delay', '0', '--max-pages', '1'], { folder })
    const unknown = await runCli(['why', 'a.example'], { folder })
    await writeFile(join(folder, 'avocet.config.ts'), 'export default { plugin: [] }')
    const broken = await runCli(['why', 'a.example'], { folder })

    expect([none, unknown, broken].map(({ code }) => code)).toEqual([7, 2, 3])
    expect(none.stderr).toMatch(/^avocet: .*AVO_FRONTIER_MISSING\)\n$/)
    expect(unknown.stderr).toMatch(
      /^avocet: why: expected a host or URL that the store knows, got 'a\.example'.*\(AVO_USAGE\)\n$/,
    )
    expect(broken.stderr).toMatch(/did you mean 'plugins'.*AVO_CONFIG_INVALID\)\n$/)
  })
})
