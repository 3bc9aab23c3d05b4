// Plugins that give what is no answer: a promise where none is waited for, a number that is none, a URL that leads nowhere. Each costs one exchange or
// one item, is counted, and is said with the name of the plugin; no other host feels it, and the crawl goes on.
import { crawl, definePlugin, memoryFrontier, type CrawlConfig, type Json, type Plugin, type Response } from 'avocet'
import type { Exchange } from '@avocet/core/plugin'
import { systemClock, type Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathSpider, run, type Ran } from '../harness.ts'
import { scriptedWeb } from '../scripted-web.ts'

const SHOP = 'http://shop.test'
const BAD = `${SHOP}/2`
const seeds = [`${SHOP}/1`, BAD, `${SHOP}/3`, 'http://other.test/1', 'http://other.test/2']
const script = Object.fromEntries(seeds.map((url) => [url, { body: 'ok' }]))
const spider = pathSpider(seeds)
const boom = (): never => {
  throw new Error('boom')
}
const isBad = ({ request }: Exchange): boolean => request.url === BAD

/** Rejections that nobody handled while the test ran. */
function unhandled(): unknown[] {
  const found: unknown[] = []
  const note = (reason: unknown): void => void found.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  return found
}

/** Lets the event loop turn, so that a rejection which nobody handles is found out. */
const turned = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

const crawled = (plugin: Plugin, config: Partial<CrawlConfig> = {}): Promise<Ran> =>
  run(script, { spider, plugins: [plugin], ...config })

const said = ({ report }: Ran): string => report.problems.map(({ message }) => message).join('\n')

/** As an async function does that throws; the async functions themselves are refused. */
const rejected = async (): Promise<never> => boom()

describe('a hook that is not waited for, and returns a promise,', () => {
  it.each(['onDiscover', 'admit', 'onAdmit', 'onUnsent', 'onResponse', 'onSettled'] as const)(
    'may reject in %s: no rejection is left unhandled, and the page is none the worse',
    async (hook) => {
      const rejections = unhandled()
      const bad = { name: 'bad', [hook]: () => rejected() } as Plugin
      const gate = definePlugin({
        name: 'gate',
        beforeRequest(outgoing) {
          if (hook === 'onUnsent' && isBad(outgoing.exchange) && outgoing.exchange.request.freeAttempts === 0)
            outgoing.retry(outgoing.now, 'again')
        },
      })
      const ran = await run(script, { spider, plugins: [bad, gate] })
      await turned()

      expect(rejections).toEqual([])
      expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5 } })
      expect(ran.report.run.pluginErrors).toBeGreaterThan(0)
      expect(said(ran)).toContain(`plugin bad rejected in ${hook}: boom`)
    },
  )

  it('is reported as not waited for', async () => {
    const ran = await crawled({ name: 'bad', ['onSettled' as string]: () => Promise.resolve() })

    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5 } })
    expect(said(ran)).toMatch(/plugin bad returned a promise from onSettled, which is not waited for/)
  })
})

describe('a number that is none', () => {
  const once = (use: (exchange: Exchange) => void, hook: 'onAdmit'): Plugin => ({
    name: 'bad',
    [hook]: (exchange: Exchange) => {
      if (isBad(exchange)) use(exchange)
    },
  })

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['a text', 'noon'],
    ['nothing', undefined],
  ])('as moment of notBefore (%s) rests the host for a minute, for it may have had a reason', async (_what, at) => {
    let times = 0
    const bad = definePlugin({
      name: 'bad',
      admit: (ask) => {
        if (ask.host.key === 'shop.test' && times++ === 0) ask.notBefore(at as number, 'whim')
      },
    })
    const ran = await crawled(bad)

    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5, pluginErrors: 1 }, retiredHosts: [] })
    expect(ran.asked.find((line) => line.endsWith(' /3'))).toMatch(/^\+6\d{4} /)
    expect(said(ran)).toMatch(/plugin bad threw in admit: expected notBefore\(at, why\) to be given a moment \(epoch ms\), got /)
  })

  it.each([-1, Number.NaN, '2'])('as limit of atMost (%s) does the same, and gives no host up', async (most) => {
    let times = 0
    const bad = definePlugin({
      name: 'bad',
      admit: (ask) => {
        if (ask.host.key === 'shop.test' && times++ === 0) ask.atMost(most as number, 'whim')
      },
    })
    const ran = await crawled(bad)

    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5, pluginErrors: 1 }, retiredHosts: [] })
    expect(said(ran)).toMatch(/plugin bad threw in admit: expected atMost\(n, why\) to be given a number of at least 0, got /)
  })

  it.each([Number.NaN, -5, '30'])('as a time limit (%s) costs that exchange', async (totalMs) => {
    const ran = await crawled(once((exchange) => exchange.limit({ totalMs: totalMs as number }), 'onAdmit'))

    expect(ran.report).toMatchObject({
      ended: 'done',
      run: { pages: 4, pluginErrors: 1 },
      failures: [{ reason: 'plugin-threw', count: 1 }],
    })
    expect(said(ran)).toMatch(/plugin bad threw in onAdmit: expected limit\(\) to be given totalMs as a number above 0, got /)
  })

  it.each([Number.NaN, Infinity, 'later'])(
    'as moment of a retry (%s) costs that exchange, whatever the others vote',
    async (at) => {
      const bad = definePlugin({
        name: 'bad',
        onResponse: (answer) => {
          if (isBad(answer.exchange)) answer.retry(at as number, 'again')
        },
      })
      const good = definePlugin({
        name: 'good',
        onResponse: (answer) => void (isBad(answer.exchange) && answer.retry(answer.now + 1_000, 'later')),
      })
      const ran = await run({ ...script, [BAD]: { status: 500 } }, { spider, plugins: [bad, good] })

      expect(ran.report).toMatchObject({
        ended: 'done',
        run: { pages: 4, pluginErrors: 1 },
        failures: [{ reason: 'plugin-threw', count: 1 }],
      })
      expect(said(ran)).toMatch(
        /plugin bad threw in onResponse: expected retry\(at, reason\) to be given a moment \(epoch ms\), got /,
      )
    },
  )
})

describe('garbage at beforeRequest costs that exchange:', () => {
  const response = (garbage: unknown): Response => garbage as Response
  it.each<
    [
      string,
      Parameters<NonNullable<Plugin['beforeRequest']>>[0] extends infer OutgoingRequest
        ? (outgoing: OutgoingRequest) => unknown
        : never,
      RegExp,
    ]
  >([
    ['a retry at NaN', (outgoing) => outgoing.retry(Number.NaN, 'again'), /expected retry\(at, reason\)/],
    [
      'a drop without a reason',
      (outgoing) => outgoing.drop(undefined as unknown as string),
      /expected drop\(reason\) to be given a word/,
    ],
    [
      'a header with a line break',
      (outgoing) => outgoing.setHeader('x-who', 'me\r\nhost: other.test'),
      /expected setHeader\(\) to be given/,
    ],
    [
      'a header that is no text',
      (outgoing) => outgoing.setHeader('x-who', 5 as unknown as string),
      /expected setHeader\(\) to be given/,
    ],
    ['a header of no name', (outgoing) => outgoing.setHeader('x who', 'me'), /expected setHeader\(\) to be given/],
    ['a response that is none', (outgoing) => outgoing.serve(response('hello')), /expected serve\(\) to be given a response/],
    [
      'a response without a body',
      (outgoing) => outgoing.serve(response({ url: BAD, status: 200, headers: {} })),
      /expected serve\(\) to be given a response/,
    ],
  ])('%s', async (_what, use, message) => {
    const bad = definePlugin({
      name: 'bad',
      beforeRequest: (outgoing) => {
        if (isBad(outgoing.exchange)) use(outgoing)
      },
    })
    const ran = await crawled(bad)

    expect(ran.report).toMatchObject({
      ended: 'done',
      run: { pages: 4, pluginErrors: 1 },
      failures: [{ reason: 'plugin-threw', count: 1 }],
    })
    expect(said(ran)).toMatch(new RegExp(`plugin bad threw in beforeRequest: ${message.source}`))
  })

  it('but what it returns is nobody’s business', async () => {
    let calls = 0
    const ran = await crawled({ name: 'counter', beforeRequest: (() => ++calls) as unknown as () => void })

    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5, pluginErrors: 0 } })
  })
})

describe('a document that cannot be required', () => {
  it.each(['garbage', '', 'ftp://shop.test/x', undefined])('(%s) rests its host, and the others go on', async (url) => {
    let times = 0
    const bad = definePlugin({
      name: 'bad',
      admit: (ask) => {
        if (ask.host.key === 'shop.test' && times++ === 0) ask.require(url as string, () => {})
      },
    })
    const ran = await crawled(bad)

    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5, pluginErrors: 1 } })
    expect(ran.asked.slice(0, 2).map((line) => line.split(' ')[0])).toEqual(['+0', '+1000'])
    expect(said(ran)).toMatch(/plugin bad threw in admit: expected require\(url, take\) to be given an http\(s\) URL, got /)
  })
})

describe('memory that JSON cannot carry', () => {
  const cycle = (): object => {
    const own: { self?: object } = {}
    own.self = own
    return own
  }
  it.each<[string, () => unknown]>([
    ['a Date', () => new Date(0)],
    ['a Map', () => new Map([['a', 1]])],
    ['NaN', () => Number.NaN],
    ['a BigInt', () => 5n],
    ['a cycle', cycle],
  ])('(%s) is not saved, is said once, and costs no page in the next run', async (_what, make) => {
    const bad: Plugin = {
      name: 'bad',
      hostMemory: () => ({ since: undefined, value: make() }),
      onResponse(_answer, host) {
        const { value } = host as { value: unknown }
        // What works with the value itself, and not with what JSON would make of it.
        if (
          typeof value === 'string' ||
          value === null ||
          (typeof value === 'object' && Object.keys(value).length === 0 && value.constructor === Object)
        )
          boom()
      },
    }
    const first = await crawled(bad, { maxPages: 2 })
    const second = await crawled(bad, { frontier: first.frontier })

    expect(second.report).toMatchObject({ ended: 'done', counts: { done: 5, failed: 0 } })
    for (const ran of [first, second]) {
      expect(ran.report.run.pluginErrors).toBeGreaterThan(0)
      expect(said(ran)).toMatch(/^memory of bad .*: not saved; keep plain JSON in it/)
    }
  })

  it.each(['hostMemory', 'crawlMemory'] as const)('or that %s throws for costs no crawl', async (method) => {
    const ran = await crawled({ name: 'bad', [method]: boom })

    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5 } })
    expect(ran.report.run.pluginErrors).toBeGreaterThan(0)
    expect(said(ran)).toContain(`plugin bad threw in ${method}: boom`)
  })

  it('or that merge throws for begins anew', async () => {
    const good: Plugin = { name: 'bad', hostMemory: () => ({ n: 1 }), crawlMemory: () => ({ n: 1 }), merge: (a) => a }
    const clock = new VirtualClock()
    const first = await run(script, { spider, plugins: [good], maxPages: 2, clock })
    const twice: Frontier = {
      ...first.frontier,
      async open(spec, now) {
        const info = await first.frontier.open(spec, now)
        return { ...info, crawlMemories: [...info.crawlMemories, ...info.crawlMemories] }
      },
    }
    const bad: Plugin = { ...good, merge: boom }
    const startAt = clock.now()
    const second = await run(script, { spider, plugins: [bad], frontier: twice, clock: new VirtualClock({ startAt }) })

    expect(second.report).toMatchObject({ ended: 'done', counts: { done: 5 } })
    expect(said(second)).toContain('plugin bad threw in merge: boom')
  })

  it('nor a blob that is no text: the exchange fails', async () => {
    const ran = await crawled(
      definePlugin({
        name: 'bad',
        onResponse: ({ exchange }) => {
          if (isBad(exchange)) exchange.host.keepBlob('bad rules', 5 as unknown as string)
        },
      }),
    )

    expect(ran.report).toMatchObject({ ended: 'done', counts: { done: 4, failed: 1 } })
    expect(said(ran)).toMatch(/plugin bad threw in onResponse: expected keepBlob\(name, text\) to be given texts/)
  })
})

describe('onItem', () => {
  it('that returns nothing leaves the item as it is, and is reported', async () => {
    const bad: Plugin = {
      name: 'bad',
      onItem(item) {
        Object.assign(item as object, { seen: true })
      },
    }
    const ran = await crawled(bad)

    expect(ran.items).toContainEqual({ path: '/1', seen: true })
    expect(ran.items).toHaveLength(5)
    expect(ran.report.run).toMatchObject({ pages: 5, items: 5, pluginErrors: 5 })
    expect(said(ran)).toMatch(/plugin bad returned nothing from onItem/)
  })

  it.each<[string, (item: object) => unknown]>([
    ['a function', () => boom],
    ['a BigInt', () => ({ price: 5n })],
    ['a cycle', (item) => Object.assign(item, { self: item })],
  ])('that returns %s costs that item', async (_what, make) => {
    const bad = {
      name: 'bad',
      onItem: (item: Json) => (JSON.stringify(item).includes('/2') ? make(item as object) : item),
    } as Plugin
    const ran = await crawled(bad)

    expect(ran.items).toHaveLength(3)
    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5, items: 3, pluginErrors: 2 } })
    expect(said(ran)).toMatch(/plugin bad made an invalid item in onItem .*: the item is lost/)
  })
})

describe('a heartbeat that throws', () => {
  it('in changedElsewhere is said, and beats again', async () => {
    const inner = memoryFrontier()
    let beats = 0
    const frontier: Frontier = {
      ...inner,
      sharing: {
        news: async () => [],
        changedElsewhere: () => (++beats < 4 ? boom() : false),
        share: () => undefined,
      },
    }
    const many = Array.from({ length: 60 }, (_, n) => `${SHOP}/${n}`)
    const ran = await run(Object.fromEntries(many.map((url) => [url, { body: 'ok' }])), { spider: pathSpider(many), frontier })

    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 60 } })
    expect(said(ran)).toContain('the heartbeat failed: boom')
    expect(beats).toBeGreaterThan(3)
  })
})

describe('a plugin that never ends', () => {
  const fast = (): CrawlConfig['clock'] => systemClock({ scale: 20_000 })

  it('its close is given up after 30 s', async () => {
    const clock = fast()
    const hanging = definePlugin({ name: 'hanging', close: () => new Promise<void>(() => {}) })
    const report = await crawl({
      policies: [],
      spider: pathSpider([`${SHOP}/1`]),
      plugins: [hanging],
      ...(clock && { clock, fetcher: scriptedWeb(clock, script) }),
    }).run()

    expect(report).toMatchObject({ ended: 'done', run: { pages: 1, pluginErrors: 1 } })
    expect(report.problems.map(({ message }) => message)).toEqual([
      'plugin hanging did not close within 30 s; find what it waits for',
    ])
  })

  it('its open ends the crawl after 5 min, with its name', async () => {
    const clock = fast()
    const hanging = definePlugin({ name: 'hanging', open: () => new Promise<void>(() => {}) })
    const made = crawl({
      policies: [],
      spider: pathSpider([`${SHOP}/1`]),
      plugins: [hanging],
      ...(clock && { clock, fetcher: scriptedWeb(clock, script) }),
    })

    await expect(made.run()).rejects.toMatchObject({
      code: 'AVO_PLUGIN_OPEN',
      message: expect.stringContaining('plugin hanging did not open within 5 min') as string,
    })
  })
})

describe('a spider whose accepts throws', () => {
  it('has the answer judged by the default, and is reported', async () => {
    const ran = await run(script, { spider: pathSpider(seeds, { accepts: boom }) })

    expect(ran.report).toMatchObject({ ended: 'done', run: { pages: 5 } })
    expect(said(ran)).toMatch(/accepts\(200\) of spider test threw boom/)
  })
})
