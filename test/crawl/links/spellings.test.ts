// A redirect to another spelling of the same canonical URL is a hop of the same request, not a loop.
import { memoryFrontier } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import { type Answer } from '../scripted-web.ts'

const A = 'http://a.test'
const to = (location: string, status = 301): Answer => ({ status, headers: { location } })
const ok: Answer = { body: 'here' }
const urls = (seen: readonly { readonly outbound: { readonly url: string } }[]): string[] =>
  seen.map(({ outbound }) => outbound.url)

describe('a redirect to another spelling of the same canonical URL', () => {
  it.each([
    ['a sorted query', '/p?b=2&a=1', '/p?a=1&b=2'],
    ['a blank value written out', '/p?a', '/p?a='],
    ['a blank value left out', '/p?a=', '/p?a'],
    ['%20 as +', '/p?q=x%20y', '/p?q=x+y'],
    ['+ as %20', '/p?q=x+y', '/p?q=x%20y'],
    ['lower-case escapes', '/caf%C3%A9', '/caf%c3%a9'],
    ['lower-case escapes of a query', '/p?q=%C3%A9', '/p?q=%c3%a9'],
    ['no question mark', '/p?', '/p'],
    ['a question mark', '/p', '/p?'],
    ['an escape undone', '/%7Eme', '/~me'],
    ['an escape done', '/~me', '/%7Eme'],
    ['no empty pair', '/p?a=1&&b=2&', '/p?a=1&b=2'],
    ['characters that forms escape', '/p?a=b:c', '/p?a=b%3Ac'],
  ])('is a page: %s', async (_what, first, second) => {
    const [from, target] = [new URL(first, A).href, new URL(second, A).href]
    const { seen, items, report } = await run({ [from]: to(second), [target]: ok }, { spider: pathSpider([from]) })

    expect(urls(seen)).toEqual([from, target])
    expect(items).toHaveLength(1)
    expect(report.counts).toMatchObject({ known: 1, waiting: 0, done: 1, moved: 0, failed: 0 })
  })

  it('shows the page with the URL that answered, and where it came from', async () => {
    const spider = pathSpider([`${A}/p?b=2&a=1`], {
      handlers: {
        *start({ url, request, baseUrl }) {
          yield { url: url.href, baseUrl, hops: request.hops, from: request.redirectedFrom }
        },
      },
    })
    const { items } = await run({ [`${A}/p?b=2&a=1`]: to('/p?a=1&b=2'), [`${A}/p?a=1&b=2`]: ok }, { spider })

    const answered = `${A}/p?a=1&b=2`
    expect(items).toEqual([{ url: answered, baseUrl: answered, hops: 1, from: `${A}/p?b=2&a=1` }])
  })

  it('is followed through several spellings, and on to another URL', async () => {
    const script = { [`${A}/p?b&a`]: to('/p?a&b'), [`${A}/p?a&b`]: to('/p?a=&b='), [`${A}/p?a=&b=`]: to('/q'), [`${A}/q`]: ok }
    const { seen, report } = await run(script, { spider: pathSpider([`${A}/p?b&a`]) })

    expect(urls(seen)).toEqual([`${A}/p?b&a`, `${A}/p?a&b`, `${A}/p?a=&b=`, `${A}/q`])
    expect(report.counts).toMatchObject({ known: 2, moved: 1, done: 1 })
  })

  it('is a loop when it leads back to texts that were requested three times', async () => {
    const { seen, report, frontier } = await run(
      { [`${A}/p`]: to('/p?'), [`${A}/p?`]: to('/p') },
      { spider: pathSpider([`${A}/p`]) },
    )

    expect(urls(seen)).toEqual([`${A}/p`, `${A}/p?`, `${A}/p`, `${A}/p?`])
    expect(report.failures).toEqual([{ reason: 'redirect-loop', count: 1 }])
    expect(await frontier.reader.requests({ url: `${A}/p` })).toMatchObject([{ state: 'failed' }])
  })

  it('and back again is followed to the page, which a site leads to and fro to see whether its cookies come back', async () => {
    const spider = pathSpider([`${A}/p`], {
      handlers: {
        *start({ url, request }) {
          yield { url: url.href, known: request.knownAs, hops: request.hops, from: request.redirectedFrom }
        },
      },
    })
    const { items, seen, report } = await run({ [`${A}/p`]: [to('/p?'), ok], [`${A}/p?`]: to('/p') }, { spider })

    expect(urls(seen)).toEqual([`${A}/p`, `${A}/p?`, `${A}/p`])
    expect(items).toEqual([{ url: `${A}/p`, hops: 2, from: `${A}/p?` }])
    expect(report.counts).toMatchObject({ known: 1, done: 1, moved: 0, failed: 0 })
  })

  it('and back again has the headers of its link', async () => {
    const spider = pathSpider([], { seeds: [{ url: `${A}/p`, headers: { 'x-key': 'mine' } }] })
    const script = { [`${A}/p`]: [to('/p?'), ok], [`${A}/p?`]: to('/p') }
    const { seen } = await run(script, { spider })

    expect(seen.map(({ outbound }) => outbound.headers['x-key'])).toEqual(['mine', 'mine', 'mine'])
  })

  it('counts as a hop: ten, and no further', async () => {
    const spellings = Array.from({ length: 20 }, (_, n) => `${A}/p?a=1${'&'.repeat(n)}`)
    const script = Object.fromEntries(spellings.map((url, n) => [url, to(spellings[n + 1] ?? '/p?a=1')]))
    const { seen, report } = await run(script, { spider: pathSpider([`${A}/p?a=1`]) })

    expect(seen).toHaveLength(11)
    expect(report.failures).toEqual([{ reason: 'redirect-limit', count: 1 }])
  })

  it('keeps its place when the new spelling has to wait', async () => {
    const script = { [`${A}/p`]: to('/p?'), [`${A}/p?`]: [{ status: 503, headers: { 'retry-after': '120' } }, ok] }
    const retry = { name: 'again', onResponse: retryIn(120_000) }
    const { seen, report } = await run(script, { spider: pathSpider([`${A}/p`]), plugins: [retry] })

    expect(urls(seen)).toEqual([`${A}/p`, `${A}/p?`, `${A}/p?`])
    expect(report.counts).toMatchObject({ done: 1, failed: 0 })
  })

  it('keeps its place when the host is given back between two hops', async () => {
    const script = { [`${A}/p`]: to('/p?'), [`${A}/p?`]: ok, [`${A}/q`]: ok }
    const { seen, report } = await run(script, { spider: pathSpider([`${A}/p`, `${A}/q`]), delayMs: 60_000 })

    expect(urls(seen)).toEqual([`${A}/p`, `${A}/p?`, `${A}/q`])
    expect(report.counts).toMatchObject({ done: 2 })
  })

  it('is not lost to attempts that were given back before', async () => {
    const refused: Answer = { status: 429 }
    const script = { [`${A}/p`]: [refused, refused, refused, to('/p?')], [`${A}/p?`]: ok }
    const { report } = await run(script, {
      spider: pathSpider([`${A}/p`]),
      plugins: [{ name: 'again', onResponse: retryIn(1_000) }],
    })

    expect(report.counts).toMatchObject({ done: 1, failed: 0 })
  })

  it('repeats the method and the body', async () => {
    const spider = pathSpider([], { seeds: [{ url: `${A}/form`, method: 'POST', body: 'a=1' }] })
    const { seen } = await run({ [`${A}/form`]: to('/form?', 308), [`${A}/form?`]: ok }, { spider })

    expect(seen.map(({ outbound }) => [outbound.url, outbound.method, outbound.body])).toEqual([
      [`${A}/form`, 'POST', 'a=1'],
      [`${A}/form?`, 'POST', 'a=1'],
    ])
  })

  it('is followed anew in each visit, by the rules of the URL that is known', async () => {
    const script = { [`${A}/p`]: to('/p?'), [`${A}/p?`]: ok }
    const { seen, report } = await run(script, {
      spider: pathSpider([`${A}/p`]),
      recrawl: [{ everyMs: 3_600_000, match: /\/p$/ }],
      maxTimeMs: 2.5 * 3_600_000,
    })

    expect(urls(seen)).toEqual([`${A}/p`, `${A}/p?`, `${A}/p`, `${A}/p?`, `${A}/p`, `${A}/p?`])
    expect(report.counts).toMatchObject({ known: 1, done: 1 })
  })

  it('begins again after a stop: nothing of the chain is in the store', async () => {
    const frontier: Frontier = memoryFrontier()
    const clock = new VirtualClock()
    const script = { [`${A}/p`]: to('/p?'), [`${A}/p?`]: ok }
    const first = await run(script, { spider: pathSpider([`${A}/p`]), frontier, clock, delayMs: 10_000 }, (made, at) => {
      at.at(at.now() + 1_000, () => made.stop())
    })
    expect(first.report.counts).toMatchObject({ waiting: 1, done: 0 })

    const second = await run(script, { spider: pathSpider([`${A}/p`]), frontier, clock, delayMs: 10_000 })

    expect(urls(second.seen)).toEqual([`${A}/p`, `${A}/p?`])
    expect(second.report.counts).toMatchObject({ known: 1, waiting: 0, done: 1 })
  })
})

describe('a redirect to the very same text', () => {
  it('is requested again twice, whatever was given back before, and then given up', async () => {
    const refused: Answer = { status: 429 }
    const script = { [`${A}/`]: [refused, refused, to('/'), to('/'), ok] }
    const { seen, report } = await run(script, {
      spider: pathSpider([`${A}/`]),
      plugins: [{ name: 'again', onResponse: retryIn(1_000) }],
    })

    expect(seen).toHaveLength(5)
    expect(report.counts).toMatchObject({ done: 1, failed: 0 })
  })
})

type OnResponse = NonNullable<Parameters<typeof run>[1]['plugins']>[number]['onResponse'] & {}

/** Puts refusals back, uncounted. */
function retryIn(ms: number): OnResponse {
  return (answer) => {
    if (answer.response.status === 429 || answer.response.status === 503)
      answer.retry(answer.now + ms, 'refused', { counted: false })
  }
}
