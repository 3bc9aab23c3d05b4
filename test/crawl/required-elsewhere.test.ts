// A required document that lies on another host is asked for as that host is asked: at its pace, under its limits, with its rights.
import { definePlugin, link, memoryFrontier, type Plugin } from 'avocet'
import { robots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const A = 'http://a.test'
const B = 'http://b.test'
const to = (location: string): Answer => ({ status: 302, headers: { location } })
const ok: Answer = { body: 'ok' }

/** Requires `url` of `host`, and notes what it gets, and at which host each exchange is booked. */
function reader(host: string, url: string): { readonly plugin: Plugin; readonly got: string[]; readonly booked: string[] } {
  const got: string[] = []
  const booked: string[] = []
  const plugin = definePlugin({
    name: 'reader',
    seesRequired: true,
    hostMemory: () => ({ read: false }),
    admit(ask, memory) {
      if (memory.read || ask.host.key !== host) return
      ask.require(url, ({ result, host: { key } }) => {
        memory.read = true
        got.push(`${key} ${result.kind === 'answered' ? result.response.status : result.failure.code}`)
      })
    },
    onAdmit({ host: { key }, request }) {
      booked.push(`${key} ${request.url}`)
    },
  })
  return { plugin, got, booked }
}

/** Holds `host` for an hour. */
const holding = (host: string): Plugin =>
  definePlugin({
    name: 'holding',
    admit(ask) {
      if (ask.host.key === host) ask.notBefore(1_767_225_600_000 + 3_600_000, 'closed')
    },
  })

describe('a required document that a redirect leads to another host for', () => {
  it('is booked at the host that it is on', async () => {
    const { plugin, got, booked } = reader('a.test', `${A}/doc`)
    const script = { [`${A}/doc`]: to(`${B}/doc`), [`${B}/doc`]: ok, [`${A}/page`]: ok }
    const { report } = await run(script, { spider: pathSpider([`${A}/page`]), plugins: [plugin] })

    expect(booked).toEqual([`a.test ${A}/doc`, `b.test ${B}/doc`, `a.test ${A}/page`])
    expect(got).toEqual(['a.test 200'])
    expect(report.ended).toBe('done')
  })

  it('waits for the pace of that host, ahead of its own pages', async () => {
    const { plugin } = reader('a.test', `${A}/doc`)
    const pages = Array.from({ length: 5 }, (_, n) => `${B}/${n}`)
    const script = { ...Object.fromEntries(pages.map((url) => [url, ok])), [`${A}/doc`]: { ...to(`${B}/doc`), afterMs: 3_000 } }
    const { seen } = await run(
      { ...script, [`${B}/doc`]: ok, [`${A}/page`]: ok },
      { spider: pathSpider([...pages, `${A}/page`]), plugins: [plugin], delayMs: 2_000 },
    )

    const atB = seen.filter(({ outbound }) => outbound.url.startsWith(B))
    expect(atB.map(({ outbound }) => outbound.url.slice(B.length))).toEqual(['/0', '/1', '/doc', '/2', '/3', '/4'])
    for (const [n, { at }] of atB.entries()) expect(at - (atB[n - 1]?.at ?? -Infinity)).toBeGreaterThanOrEqual(2_000)
  })

  it('of twenty hosts comes to a host that nobody holds at its pace, one at a time', async () => {
    const hosts = Array.from({ length: 20 }, (_, n) => `http://h${n}.test`)
    const script = Object.fromEntries(
      hosts.flatMap((host) => [
        [`${host}/robots.txt`, to(`${B}/robots.txt`)],
        [`${host}/`, ok],
      ]),
    )
    const { seen, items } = await run(
      { ...script, [`${B}/robots.txt`]: ok },
      { spider: pathSpider(hosts.map((host) => `${host}/`)), plugins: [robots()], delayMs: 1_000 },
    )

    const atB = seen.filter(({ outbound }) => outbound.url.startsWith(B)).map(({ at }) => at)
    expect(atB).toHaveLength(20)
    for (const [n, at] of atB.entries()) expect(at - (atB[n - 1] ?? -Infinity)).toBeGreaterThanOrEqual(1_000)
    expect(items).toHaveLength(20)
  })

  it('that fails is the failure of the host that it is on', async () => {
    const { plugin, got } = reader('a.test', `${A}/doc`)
    const script: Record<string, Answer> = {
      [`${A}/doc`]: to(`${B}/doc`),
      [`${B}/doc`]: { fails: 'AVO_CONNECT_TIMEOUT' },
      [`${A}/page`]: ok,
    }
    const failed: string[] = []
    const { items } = await run(script, { spider: pathSpider([`${A}/page`]), plugins: [plugin] }, (made) => {
      made.hooks.onError.tap({ name: 'test', seesRequired: true }, ({ exchange }) => {
        failed.push(`${exchange.host.key} ${exchange.host.consecutiveFailures}`)
      })
    })

    expect(failed).toEqual(['b.test 1'])
    expect(got).toEqual(['a.test AVO_CONNECT_TIMEOUT'])
    expect(items).toHaveLength(1)
  })

  it('fails at once while that host must wait for long', async () => {
    const { plugin, got } = reader('a.test', `${A}/doc`)
    const script = { [`${A}/doc`]: to(`${B}/doc`), [`${B}/doc`]: ok, [`${A}/page`]: ok }
    const { seen } = await run(script, { spider: pathSpider([`${A}/page`]), plugins: [plugin, holding('b.test')] })

    expect(seen.map(({ outbound }) => outbound.url)).toEqual([`${A}/doc`, `${A}/page`])
    expect(got).toEqual(['a.test AVO_REQUIRED_ELSEWHERE'])
  })

  it('fails at once while that host is given up, and sends it no request', async () => {
    const { plugin, got } = reader('a.test', `${A}/doc`)
    const pages = [1, 2, 3, 4].map((n) => `${B}/${n}`)
    const script = {
      ...Object.fromEntries([...pages, `${B}/doc`].map((url): [string, Answer] => [url, { fails: 'AVO_CONNECT_REFUSED' }])),
      [`${A}/doc`]: { ...to(`${B}/doc`), afterMs: 20_000 },
      [`${A}/page`]: ok,
    }
    const { seen, report } = await run(script, { spider: pathSpider([...pages, `${A}/page`]), plugins: [plugin] })

    expect(seen.map(({ outbound }) => outbound.url)).not.toContain(`${B}/doc`)
    expect(got).toEqual(['a.test AVO_REQUIRED_ELSEWHERE'])
    expect(report).toMatchObject({ ended: 'given-up', run: { pages: 1 } })
  })

  it('does not wait for the documents that two hosts require of one another', async () => {
    const script = {
      [`${A}/robots.txt`]: to(`${B}/robots.txt?a`),
      [`${B}/robots.txt`]: to(`${A}/robots.txt?b`),
      [`${A}/robots.txt?b`]: ok,
      [`${B}/robots.txt?a`]: ok,
      [`${A}/`]: ok,
      [`${B}/`]: ok,
    }
    const { items } = await run(script, { spider: pathSpider([`${A}/`, `${B}/`]), plugins: [robots()] })

    expect(items).toHaveLength(2)
  })

  it('may lead there and back, five redirects in all', async () => {
    const { plugin, got, booked } = reader('a.test', `${A}/doc`)
    const script = { [`${A}/doc`]: to(`${B}/doc`), [`${B}/doc`]: to(`${A}/doc`), [`${A}/page`]: ok }
    await run(script, { spider: pathSpider([`${A}/page`]), plugins: [plugin] })

    expect(booked.map((line) => line.split(' ')[0])).toEqual([
      'a.test',
      'b.test',
      'a.test',
      'b.test',
      'a.test',
      'b.test',
      'a.test',
    ])
    expect(got).toEqual(['a.test AVO_REDIRECT_LIMIT'])
  })

  it('is requested with the rights of the host that it is on', async () => {
    const { plugin } = reader('a.test', `${A}/doc`)
    const script = {
      [`${A}/doc`]: to(`${B}/doc`),
      [`${B}/doc`]: to('http://c.test/doc'),
      'http://c.test/doc': ok,
      [`${A}/page`]: ok,
    }
    const spider = pathSpider([`${A}/page`], { scope: { hosts: ['b.test'] } })
    const addresses = { 'a.test': ['10.0.0.1'], 'b.test': ['10.0.0.2'], 'c.test': ['10.0.0.3'] }
    const { seen } = await run(script, { spider, plugins: [plugin], headers: { authorization: 'Basic x' }, addresses })

    expect(seen.map(({ outbound }) => [outbound.url, 'authorization' in outbound.headers, outbound.privateAllowed])).toEqual([
      [`${A}/doc`, true, true],
      [`${B}/doc`, true, true],
      ['http://c.test/doc', false, false],
      [`${A}/page`, true, true],
    ])
  })

  it('leaves what it taught in the memory of a host that is held', async () => {
    const { plugin } = reader('a.test', `${A}/doc`)
    const script = {
      [`${A}/doc`]: { ...to(`${B}/doc`), afterMs: 500 },
      [`${B}/doc`]: ok,
      [`${B}/`]: ok,
      [`${B}/2`]: ok,
      [`${A}/page`]: ok,
    }
    const frontier = memoryFrontier()
    await run(script, { spider: pathSpider([`${B}/`, `${B}/2`, `${A}/page`]), plugins: [plugin], frontier })

    const memory = (await frontier.reader.host('b.test'))?.memory ?? {}
    expect(JSON.parse(memory['core'] ?? '')).toMatchObject([1, { seq: 3 }])
  })

  it('is remembered when that host is leased: its pages keep their distance', async () => {
    const script = { [`${A}/robots.txt`]: to(`${B}/robots.txt`), [`${A}/`]: to(`${B}/`), [`${B}/robots.txt`]: ok, [`${B}/`]: ok }
    const { seen } = await run(script, { spider: pathSpider([`${A}/`]), plugins: [robots()], delayMs: 5_000 })

    const atB = seen.filter(({ outbound }) => outbound.url.startsWith(B)).map(({ at }) => at)
    for (const [n, at] of atB.entries()) expect(at - (atB[n - 1] ?? -Infinity)).toBeGreaterThanOrEqual(5_000)
  })

  it('is remembered when that host is leased a moment later: its first page keeps its distance', async () => {
    const { plugin } = reader('a.test', `${A}/doc`)
    const spider = pathSpider([`${A}/page`, 'http://c.test/'], {
      scope: { hosts: ['b.test'] },
      handlers: {
        *start({ url }) {
          if (url.hostname === 'c.test') yield link(`${B}/`)
        },
      },
    })
    const script = { [`${A}/doc`]: to(`${B}/doc`), [`${B}/doc`]: ok, [`${B}/`]: ok, 'http://c.test/': { ...ok, afterMs: 500 } }
    const { seen } = await run(script, { spider, plugins: [plugin], delayMs: 5_000 })

    const atB = seen.filter(({ outbound }) => outbound.url.startsWith(B)).map(({ at }) => at)
    expect(atB.map((at) => at - (atB[0] ?? 0))).toEqual([0, 5_000])
  })

  it('and that is still under way when that host is leased is waited for: one exchange at a time', async () => {
    const { plugin } = reader('a.test', `${A}/doc`)
    // Others keep the crawl busy, so that nobody looks for what it forgot.
    const others = Array.from({ length: 40 }, (_, n) => `http://d.test/${n}`)
    const spider = pathSpider([`${A}/page`, 'http://c.test/', ...others], {
      scope: { hosts: ['b.test'] },
      handlers: {
        *start({ url }) {
          if (url.hostname === 'c.test') yield link(`${B}/`)
        },
      },
    })
    const slow = { ...ok, afterMs: 8_000 }
    const script = {
      ...Object.fromEntries(others.map((url) => [url, ok])),
      [`${A}/doc`]: to(`${B}/doc`),
      [`${B}/doc`]: slow,
      [`${B}/`]: ok,
      'http://c.test/': { ...ok, afterMs: 500 },
    }
    const { seen } = await run(script, { spider, plugins: [plugin] })

    const atB = seen.filter(({ outbound }) => outbound.url.startsWith(B)).map(({ at }) => at)
    // As long again as the document took.
    expect(atB.map((at) => at - (atB[0] ?? 0))).toEqual([0, 16_000])
  })
})

describe('a document that a plugin requires of another host outright', () => {
  it('is booked there like one that a redirect leads to', async () => {
    const { plugin, got, booked } = reader('a.test', `${B}/doc`)
    const { items } = await run({ [`${B}/doc`]: ok, [`${A}/page`]: ok }, { spider: pathSpider([`${A}/page`]), plugins: [plugin] })

    expect(booked).toEqual([`b.test ${B}/doc`, `a.test ${A}/page`])
    expect(got).toEqual(['a.test 200'])
    expect(items).toHaveLength(1)
  })
})
