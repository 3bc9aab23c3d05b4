// What plugins can do at each station, and what it costs when they throw there.
import { crawl, definePlugin, memoryFrontier, type Plugin } from 'avocet'
import { systemClock } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import { scriptedWeb, type Answer } from './scripted-web.ts'

const HOST = 'http://shop.test'
const seeds = [`${HOST}/1`, `${HOST}/2`, `${HOST}/3`]
const script = Object.fromEntries(seeds.map((url) => [url, { body: 'ok' }]))
const spider = pathSpider(seeds)

describe('a plugin', () => {
  it('may hold a host, say why, and be named in the status', async () => {
    const lunch = definePlugin({
      name: 'lunch',
      admit: (ask) => ask.notBefore(1_767_225_620_000, 'until noon'),
    })
    let hold: unknown
    const { asked } = await run(script, { spider, plugins: [lunch] }, (made, clock) => {
      clock.at(clock.now() + 5_000, () => (hold = made.status().hosts[0]?.hold))
    })

    expect(asked[0]).toBe('+20000 /1')
    expect(hold).toEqual({ by: 'lunch', why: 'until noon', until: 1_767_225_620_000 })
  })

  it('keeps memory of a host, from run to run', async () => {
    const counter = definePlugin({
      name: 'counter',
      hostMemory: () => ({ answers: 0 }),
      onResponse(_answer, host) {
        host.answers++
      },
    })
    const first = await run(script, { spider, plugins: [counter], maxPages: 2 })
    const second = await run(script, { spider, plugins: [counter], frontier: first.frontier })

    expect((await second.frontier.reader.hosts({ hostKey: 'shop.test' }))[0]?.memory['counter']).toBe('[1,{"answers":3}]')
  })

  it('hears of a problem at once, and of the same problem again only when it was quiet for an hour', async () => {
    const startedAt = 1_767_225_600_000
    const heard: string[] = []
    const alarm = definePlugin({
      name: 'alarm',
      onTrace(event) {
        if (event.kind === 'problem') heard.push(`${(event.at - startedAt) / 60_000} min: ${event.message}`)
      },
    })
    const broken = definePlugin({
      name: 'broken',
      // Every ten minutes, with a pause of two hours after half an hour.
      admit: (ask) => ask.notBefore(startedAt + ([0, 10, 20, 30, 150][ask.host.seq] ?? 0) * 60_000, 'slow shop'),
      onResponse() {
        throw new Error('oops')
      },
    })
    const pages = Array.from({ length: 5 }, (_, n) => `${HOST}/${n}`)
    const { report } = await run(Object.fromEntries(pages.map((url) => [url, { body: 'ok' }])), {
      spider: pathSpider(pages),
      plugins: [alarm, broken],
      patienceMs: 12 * 3_600_000,
    })

    expect(heard.map((line) => line.replace(/^(\d+)\.\d+/, '$1'))).toEqual([
      '0 min: plugin broken threw in onResponse: oops',
      '150 min: plugin broken threw in onResponse: oops',
    ])
    expect(report.problems).toEqual([{ message: 'plugin broken threw in onResponse: oops', count: 5 }])
  })

  it('that throws as it hears of a problem costs nothing but a problem more', async () => {
    let tries = 0
    const alarm = definePlugin({
      name: 'alarm',
      onTrace({ kind }) {
        if (kind === 'problem') throw new Error(`no mail, try ${++tries}`)
      },
    })
    const broken = definePlugin({
      name: 'broken',
      onSettled() {
        throw new Error('oops')
      },
    })
    const { report } = await run(script, { spider, plugins: [alarm, broken] })

    expect(report.counts.done).toBe(3)
    expect(report.problems).toEqual([
      { message: 'plugin broken threw in onSettled: oops', count: 3 },
      { message: 'plugin alarm threw in onTrace: no mail, try 1', count: 1 },
    ])
  })

  it('may answer a request itself, drop it, or put it off', async () => {
    const given: string[] = []
    const gate = definePlugin({
      name: 'gate',
      // Whatever is not sent gives its booking back.
      onUnsent: ({ request }) => void given.push(new URL(request.url).pathname),
      beforeRequest(outgoing) {
        const { url, freeAttempts } = outgoing.exchange.request
        if (url.endsWith('/1')) outgoing.drop('not-today')
        if (url.endsWith('/2') && freeAttempts === 0) outgoing.retry(outgoing.now + 30_000, 'later')
        if (url.endsWith('/3')) {
          const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: false }
          outgoing.serve({ url, status: 200, headers: {}, body: new Uint8Array(), wireBytes: 0, timings })
        }
      },
    })
    const { report, asked } = await run(script, { spider, plugins: [gate] })

    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/2'])
    expect(given).toEqual(['/1', '/2', '/3'])
    expect(report).toMatchObject({ run: { pages: 2, retried: 1 }, failures: [{ reason: 'not-today', count: 1 }] })
  })

  it('may have an answer of any status be none, whatever others vote, and look at it as a page', async () => {
    const insists = definePlugin({
      name: 'insists',
      onResponse(answer) {
        if (answer.response.status === 302 && answer.page().url.pathname === '/moved')
          answer.retry(answer.now + 5_000, 'not-yet', { counted: false, insists: true })
      },
    })
    const other = definePlugin({ name: 'other', onResponse: (answer) => answer.drop('unwanted') })
    const url = 'http://a.test/moved'
    let asked = 0
    const answers: Record<string, Answer> = {
      get [url]() {
        return asked++ === 0 ? { status: 302, headers: { location: '/elsewhere' } } : { body: 'there' }
      },
    }
    const { report } = await run(answers, { spider: pathSpider([url]), plugins: [insists, other] })

    expect(report).toMatchObject({ run: { retried: 1 }, failures: [{ reason: 'unwanted', count: 1 }] })
  })

  it('may set headers; two that disagree on one make the exchange fail, whatever their order', async () => {
    const sets = (name: string, value: string): Plugin =>
      definePlugin({ name, beforeRequest: (outgoing) => outgoing.setHeader('X-Who', value) })
    const alike = await run(script, { spider, plugins: [sets('a', 'me'), sets('b', 'me')] })
    const unlike = await Promise.all([
      run(script, { spider, plugins: [sets('a', 'me'), sets('b', 'you')] }),
      run(script, { spider, plugins: [sets('b', 'you'), sets('a', 'me')] }),
    ])

    expect(alike.seen.map(({ outbound }) => outbound.headers['x-who'])).toEqual(['me', 'me', 'me'])
    for (const { report, seen } of unlike) {
      expect(seen).toEqual([])
      expect(report.failures).toEqual([{ reason: 'plugin-conflict', count: 3 }])
    }
  })

  it('may change items and drop them, in array order', async () => {
    const upper = definePlugin({ name: 'upper', onItem: (item) => ({ ...(item as object), seen: true }) })
    const only2 = definePlugin({ name: 'only-2', onItem: async (item) => (JSON.stringify(item).includes('/2') ? item : null) })
    const { items } = await run(script, { spider, plugins: [upper, only2] })

    expect(items).toEqual([{ path: '/2', seen: true }])
  })

  it('may refuse URLs', async () => {
    const picky = definePlugin({
      name: 'picky',
      onDiscover: (found) => (found.url.endsWith('/2') ? found.refuse('odd') : undefined),
    })
    const { asked } = await run(script, { spider, plugins: [picky] })

    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/1', '/3'])
  })

  it('may require a document, which is fetched first, follows redirects, and reaches nobody else', async () => {
    const rules = definePlugin({
      name: 'rules',
      hostMemory: () => ({ rules: '' }),
      admit(ask, host) {
        if (host.rules !== '') return
        ask.require(`${HOST}/rules.txt`, ({ result }) => {
          host.rules = result.kind === 'answered' ? new TextDecoder().decode(result.response.body) : 'none'
        })
      },
    })
    const { asked, report, frontier } = await run(
      {
        ...script,
        [`${HOST}/rules.txt`]: { status: 301, headers: { location: '/r2.txt' } },
        [`${HOST}/r2.txt`]: { body: 'be kind' },
      },
      { spider, plugins: [rules] },
    )

    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/rules.txt', '/r2.txt', '/1', '/2', '/3'])
    expect(report.counts).toMatchObject({ known: 3, done: 3 })
    expect((await frontier.reader.hosts({ hostKey: 'shop.test' }))[0]?.memory['rules']).toBe('[1,{"rules":"be kind"}]')
  })

  it('may tighten time limits; of several the shortest counts', async () => {
    const limit = (name: string, firstByteMs: number): Plugin =>
      definePlugin({ name, onAdmit: (exchange) => exchange.limit({ firstByteMs }) })
    const { seen } = await run(script, { spider, plugins: [limit('a', 700), limit('b', 300), limit('c', 90_000)] })

    expect(seen[0]?.outbound.limits).toMatchObject({ firstByteMs: 300, connectMs: 15_000 })
  })
})

describe('a plugin that throws', () => {
  const boom = (): never => {
    throw new Error('boom')
  }
  const broken = (hook: string): Plugin => ({ name: 'broken', [hook]: boom })

  it.each(['onAdmit', 'beforeRequest', 'onResponse'] as const)('in %s costs that exchange, and is named', async (hook) => {
    const { report } = await run(script, { spider, plugins: [broken(hook)] })

    expect(report).toMatchObject({ ended: 'done', failures: [{ reason: 'plugin-threw', count: 3 }] })
    expect(report.problems.map(({ message }) => message).join()).toContain(`plugin broken threw in ${hook}: boom`)
  })

  it('in onItem costs that page, and is counted once: among the errors in handlers, with its kind and line', async () => {
    const told: string[] = []
    const ear: Plugin = { name: 'ear', onTrace: (event) => void (event.kind === 'problem' && told.push(event.message)) }
    const { report } = await run(script, { spider, plugins: [broken('onItem'), ear] })

    expect(report).toMatchObject({
      ended: 'done',
      run: { pluginErrors: 3 },
      failures: [{ reason: 'plugin-threw', count: 3 }],
      handlerErrors: [
        {
          count: 3,
          message: 'plugin broken threw in onItem: Error: boom',
          place: expect.stringMatching(/plugins\.test\.ts:\d+:\d+$/) as string,
        },
      ],
      problems: [],
    })
    expect(told).toHaveLength(1)
  })

  it('in onItem a hundred times in a row stops the crawl', async () => {
    const many = Array.from({ length: 120 }, (_, n) => `http://shop.test/${n}`)
    const { report } = await run(Object.fromEntries(many.map((url) => [url, { body: 'ok' }])), {
      spider: pathSpider(many),
      plugins: [broken('onItem')],
      delayMs: 0,
    })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_PLUGIN_THREW' }, counts: { failed: 99 } })
  })

  it.each(['onSettled', 'close'] as const)('in %s costs nothing but a line in the report', async (hook) => {
    const { report } = await run(script, { spider, plugins: [broken(hook)] })

    const pluginErrors = hook === 'close' ? 1 : 3
    expect(report).toMatchObject({ ended: 'done', run: { pages: 3, pluginErrors } })
    expect(report.problems).toEqual([{ message: `plugin broken threw in ${hook}: boom`, count: pluginErrors }])
  })

  it('in onDiscover refuses the URL', async () => {
    const { seen, report } = await run(script, { spider, plugins: [broken('onDiscover')] })

    expect(seen).toEqual([])
    expect(report.problems[0]).toMatchObject({ message: 'plugin broken threw in onDiscover: boom', count: 3 })
  })

  it('in admit rests the host for a minute, for it may have had a reason', async () => {
    let times = 0
    const once = definePlugin({ name: 'once', admit: () => (times++ === 0 ? boom() : undefined) })
    const { asked } = await run(script, { spider, plugins: [once] })

    expect(asked[0]).toBe('+60000 /1')
  })

  it('in onError costs that exchange too, and the host is not blamed twice', async () => {
    const { report } = await run(
      { [seeds[0] ?? '']: { fails: 'AVO_RESET' } },
      { spider: pathSpider([seeds[0] ?? '']), plugins: [broken('onError')] },
    )

    expect(report.failures).toEqual([{ reason: 'plugin-threw', count: 1 }])
  })

  it('in open keeps the crawl from beginning', async () => {
    await expect(run(script, { spider, plugins: [broken('open')] })).rejects.toMatchObject({ code: 'AVO_PLUGIN_OPEN' })
  })

  it('a hundred times in a row stops the crawl, with everything committed', async () => {
    const many = Array.from({ length: 150 }, (_, n) => `${HOST}/${n}`)
    const { report } = await run(Object.fromEntries(many.map((url) => [url, { body: 'ok' }])), {
      spider: pathSpider(many),
      plugins: [broken('onResponse')],
    })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_PLUGIN_THREW' } })
    expect(report.counts.failed + report.counts.waiting).toBe(150)
  })
})

describe('a plugin that is malformed is refused before the crawl begins:', () => {
  it.each([
    { what: 'no name', plugin: {} },
    { what: 'an unknown hook', plugin: { name: 'x', onResponce: () => {} } },
    { what: 'a hook that is no function', plugin: { name: 'x', admit: 5 } },
    { what: "core's name", plugin: { name: 'core' } },
  ])('$what', async ({ plugin }) => {
    await expect(run(script, { spider, plugins: [plugin as unknown as Plugin] })).rejects.toMatchObject({
      code: 'AVO_PLUGIN_INVALID',
    })
  })
})

describe('a plugin that never finishes', () => {
  const forEver = (): Promise<never> => new Promise(() => {})
  // Real promises that hang hold virtual time for good reason, so real time passes here: 50 ms.
  it('in onItem costs that page, when the handler deadline is over', async () => {
    const clock = systemClock()
    const frontier = memoryFrontier()
    const fetcher = scriptedWeb(clock, script)
    const config = {
      spider: pathSpider([`${HOST}/1`]),
      plugins: [{ name: 'stuck', onItem: forEver }],
      handlerTimeoutMs: 50,
      clock,
      fetcher,
      frontier,
    }
    const report = await crawl({ policies: [], ...config }).run()

    expect(report).toMatchObject({ ended: 'done', failures: [{ reason: 'plugin-timeout', count: 1 }] })
  })
})
