// What becomes of a document that a plugin requires: its redirects, its size, and what strangers are told on the way.
import { definePlugin, type Plugin } from '@avocet/core'
import type { OutgoingRequest } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const HOST = 'http://shop.test'
const seeds = [`${HOST}/page`]
const page = { [`${HOST}/page`]: { body: 'ok' } }

/** Requires /doc, remembers what it was given. */
function reader(): { readonly plugin: Plugin; readonly got: string[] } {
  const got: string[] = []
  const plugin = definePlugin({
    name: 'reader',
    hostMemory: () => ({ read: false }),
    admit(ask, memory) {
      if (memory.read) return
      ask.require(`${HOST}/doc`, ({ result, url }) => {
        memory.read = true
        got.push(`${url} ${result.kind === 'answered' ? result.response.status : result.failure.code}`)
      })
    },
  })
  return { plugin, got }
}

const to = (location: string): Answer => ({ status: 302, headers: { location } })

describe('a required document', () => {
  it('has each of its redirects wait for its admission, like any request to this host', async () => {
    const { plugin, got } = reader()
    const script = { ...page, [`${HOST}/doc`]: to('/doc2'), [`${HOST}/doc2`]: to('/doc3'), [`${HOST}/doc3`]: { body: 'x' } }
    const { asked } = await run(script, { spider: pathSpider(seeds), plugins: [plugin], delayMs: 2_000 })

    expect(asked).toEqual(['+0 /doc', '+2000 /doc2', '+4000 /doc3', '+6000 /page'])
    expect(got).toEqual([`${HOST}/doc 200`])
  })

  it('has its redirects followed at a host that is given back between them', async () => {
    const { plugin, got } = reader()
    const script = {
      ...page,
      [`${HOST}/doc`]: to('/doc2'),
      [`${HOST}/doc2`]: to('http://other.test/doc3'),
      'http://other.test/doc3': {},
    }
    const { asked } = await run(script, { spider: pathSpider(seeds), plugins: [plugin], delayMs: 40_000 })

    expect(asked.map((line) => line.split(' ')[1])).toEqual(['/doc', '/doc2', '/doc3', '/page'])
    expect(got).toEqual([`${HOST}/doc 200`])
  })

  it('is given up after five redirects', async () => {
    const { plugin, got } = reader()
    const script = { ...page, [`${HOST}/doc`]: to('/doc') }
    const { asked } = await run(script, { spider: pathSpider(seeds), plugins: [plugin] })

    expect(asked.filter((line) => line.endsWith('/doc')).length).toBe(6)
    expect(got).toEqual([`${HOST}/doc AVO_REDIRECT_LIMIT`])
  })

  it('follows to another host as a stranger: without headers of the user, and to no private address', async () => {
    const { plugin, got } = reader()
    const script = { ...page, [`${HOST}/doc`]: to('http://other.test/doc'), 'http://other.test/doc': { body: 'x' } }
    const headers = { authorization: 'Basic c2VjcmV0' }
    const hosts = { 'shop.test': { allowPrivate: true } }
    const { seen } = await run(script, { spider: pathSpider(seeds), plugins: [plugin], headers, hosts })

    expect(got).toEqual([`${HOST}/doc 200`])
    expect(seen.map(({ outbound }) => [outbound.url, 'authorization' in outbound.headers, outbound.privateAllowed])).toEqual([
      [`${HOST}/doc`, true, true],
      ['http://other.test/doc', false, false],
      [`${HOST}/page`, true, true],
    ])
  })

  it('is read to 512 KiB and no further, so it comes without a content coding', async () => {
    const { plugin } = reader()
    const { seen } = await run({ ...page, [`${HOST}/doc`]: {} }, { spider: pathSpider(seeds), plugins: [plugin] })

    expect(seen.map(({ outbound }) => [outbound.keepBytes, outbound.headers['accept-encoding']])).toEqual([
      [524_288, 'identity'],
      [undefined, 'gzip, deflate, br, zstd'],
    ])
  })

  it.each([
    ['allows its page', 40, 0],
    ['forbids its page', 0, 40],
  ])('of many hosts at once, each as large as it may be, is read once where it %s', async (_what, done, dropped) => {
    const hosts = Array.from({ length: 40 }, (_, n) => `http://shop${n}.test`)
    const read: string[] = []
    const plugin = definePlugin({
      name: 'reader',
      hostMemory: () => ({ read: false }),
      admit(ask, memory) {
        if (memory.read) return
        ask.require(`http://${ask.host.key}/doc`, ({ url }) => {
          memory.read = true
          read.push(url)
        })
      },
      beforeRequest(outgoing) {
        if (dropped > 0) outgoing.drop('forbidden')
      },
    })
    const large = { body: 'x'.repeat(524_288) }
    const script = Object.fromEntries(
      hosts.flatMap((host) => [
        [`${host}/doc`, large],
        [`${host}/page`, { body: 'ok' }],
      ]),
    )
    const { report, asked } = await run(script, {
      spider: pathSpider(hosts.map((host) => `${host}/page`)),
      plugins: [plugin],
      delayMs: 0,
    })

    expect(report).toMatchObject({ ended: 'done', counts: { done, failed: dropped, waiting: 0 } })
    expect(read.toSorted()).toEqual(hosts.map((host) => `${host}/doc`).toSorted())
    expect(asked).toHaveLength(40 + done)
  })
})

describe('a required document of two plugins', () => {
  it('is given to each as it came, whatever the other does with it, and what one throws is told of `require`', async () => {
    const got: string[] = []
    const wants = (name: string, take: (given: { result: unknown }) => void): Plugin =>
      definePlugin({
        name,
        hostMemory: () => ({ asked: false }),
        admit(ask, memory) {
          if (memory.asked) return
          ask.require(`${HOST}/doc`, (given) => {
            memory.asked = true
            take(given)
          })
        },
      })
    const spoils = wants('a', (given) => {
      Object.assign(given, { result: { kind: 'failed' } })
      throw new Error('boom')
    })
    const reads = wants('b', ({ result }) => void got.push((result as { kind: string }).kind))
    const script = { ...page, [`${HOST}/doc`]: { body: 'x' } }
    const { report } = await run(script, { spider: pathSpider(seeds), plugins: [spoils, reads] })

    expect(got).toEqual(['answered'])
    expect(report.problems.map(({ message }) => message)).toEqual(['plugin a threw in require: boom'])
  })
})

describe('a required document whose take throws each time', () => {
  it('is required again after ten minutes', async () => {
    const plugin = definePlugin({
      name: 'broken',
      admit(ask) {
        ask.require(`${HOST}/doc`, () => {
          throw new Error('boom')
        })
      },
    })
    const script = { ...page, [`${HOST}/doc`]: { body: 'x' } }
    const { asked, report } = await run(script, { spider: pathSpider(seeds), plugins: [plugin], maxTimeMs: 3_600_000 })

    expect(asked.map((line) => Math.floor(Number.parseInt(line.slice(1), 10) / 60_000))).toEqual([0, 10, 20, 30, 40, 50])
    expect(report.counts.waiting).toBe(1)
  })
})

describe('a plugin that goes on to require documents, whatever it is given,', () => {
  const script = { ...page, [`${HOST}/doc`]: { body: 'x' } }

  it('has its host rest for ten minutes after ten of them, which is told once', async () => {
    const plugin = definePlugin({ name: 'api-key', admit: (ask) => ask.require(`${HOST}/doc`, () => {}) })
    const { asked, report } = await run(script, { spider: pathSpider(seeds), plugins: [plugin], maxTimeMs: 1_500_000 })

    expect(asked.map((line) => Math.floor(Number.parseInt(line.slice(1), 10) / 300_000))).toEqual([
      ...Array.from({ length: 10 }, () => 0),
      ...Array.from({ length: 10 }, () => 2),
      ...Array.from({ length: 10 }, () => 4),
    ])
    expect(report.problems).toEqual([
      { message: expect.stringContaining('plugin api-key required 10 documents of shop.test in a row') as string, count: 3 },
    ])
  })

  it('lets it be crawled while pages come between them', async () => {
    const paths = Array.from({ length: 30 }, (_, n) => `/page${n}`)
    let next = 0
    const plugin = definePlugin({
      name: 'each',
      admit(ask) {
        if (ask.nextUrl?.endsWith(`/page${next}`) === true) ask.require(`${HOST}/doc`, () => void next++)
      },
    })
    const pages = Object.fromEntries(paths.map((path) => [HOST + path, { body: 'ok' }]))
    const spider = pathSpider(paths.map((path) => HOST + path))
    const { asked, report } = await run({ ...pages, ...script }, { spider, plugins: [plugin], delayMs: 1_000 })

    expect(asked).toHaveLength(60)
    expect(report).toMatchObject({ ended: 'done', problems: [] })
  })
})

describe('what takes a required document', () => {
  it('is no async function', async () => {
    const plugin = definePlugin({
      name: 'async',
      // oxlint-disable-next-line typescript/no-misused-promises -- as in JavaScript
      admit: (ask) => ask.require(`${HOST}/doc`, async () => Promise.reject(new Error('boom'))),
    })
    const { asked, report } = await run(page, { spider: pathSpider(seeds), plugins: [plugin], maxTimeMs: 90_000 })

    expect(asked).toEqual([])
    expect(report.problems.map(({ message }) => message)).toEqual([
      'plugin async threw in admit: require(url, take): expected take to answer at once, got an async function; remove async',
    ])
  })

  it('may give a promise nevertheless, which is a problem when it is rejected, and nothing else', async () => {
    let isRead = false
    const rejects = (): Promise<void> => {
      isRead = true
      return Promise.reject(new Error('boom'))
    }
    const plugin = definePlugin({
      name: 'waits',
      // oxlint-disable-next-line typescript/no-misused-promises -- as in JavaScript
      admit: (ask) => (isRead ? undefined : ask.require(`${HOST}/doc`, rejects)),
    })
    const { report } = await run({ ...page, [`${HOST}/doc`]: {} }, { spider: pathSpider(seeds), plugins: [plugin] })

    expect(report).toMatchObject({ ended: 'done', counts: { done: 1 } })
    expect(report.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('plugin waits returned a promise from require'),
      'plugin waits rejected in require: boom',
    ])
  })
})

describe('a required request', () => {
  it.each([
    ['method', { method: 'G T' }, 'expected method to be a method'],
    ['header field', { headers: { 'x-key': 'a\nb' } }, 'headers'],
    ['body', { body: 1 as unknown as string }, 'expected body to be a text'],
    ['session', { session: 'a b' }, 'expected session to be a name'],
  ])('has a %s that can be sent, as a link has', async (_what, wish, says) => {
    const plugin = definePlugin({
      name: 'own',
      admit: (ask) => ask.require({ url: `${HOST}/doc`, known: HOST, session: undefined, ...wish }, () => {}),
    })
    const { asked, report } = await run(page, { spider: pathSpider(seeds), plugins: [plugin], maxTimeMs: 90_000 })

    expect(asked).toEqual([])
    expect(report.problems.map(({ message }) => message).join()).toContain(says)
  })
})

describe('a required document that another plugin', () => {
  const requires = (seen: string[]) =>
    definePlugin({
      name: 'requires',
      hostMemory: () => ({ isRead: false }),
      admit(ask, host) {
        if (host.isRead) return
        ask.require(`http://${ask.host.key}/rules`, ({ result }) => {
          host.isRead = true
          seen.push(result.kind === 'failed' ? result.failure.code : 'answered')
        })
      },
    })
  const between = (say: (outgoing: OutgoingRequest) => void) =>
    definePlugin({
      name: 'between',
      seesRequired: true,
      beforeRequest: (outgoing) => (outgoing.exchange.required ? say(outgoing) : undefined),
    })
  const site = { 'http://a.example/': { body: 'ok' }, 'http://a.example/rules': { body: 'rules' } }
  const spider = pathSpider(['http://a.example/'])

  it('drops is a failed one, and the crawl goes on', async () => {
    const seen: string[] = []
    const { items } = await run(site, { spider, plugins: [requires(seen), between((outgoing) => outgoing.drop('not that'))] })

    expect([seen, items]).toEqual([['AVO_PLUGIN_CONFLICT'], [{ path: '/' }]])
  })

  it('puts off comes at its moment', async () => {
    const seen: string[] = []
    let until = 0
    const later = between((outgoing) => {
      if (until === 0) until = outgoing.now + 5_000
      if (outgoing.now < until) outgoing.retry(until, 'later')
    })
    const { asked } = await run(site, { spider, plugins: [requires(seen), later] })

    expect([seen, asked[0]]).toEqual([['answered'], '+5000 /rules'])
  })
})
