// A link's own header fields: they replace ours, whatever their case, and may be part of what the request is.
import { link, memoryFrontier, type LinkOptions } from 'avocet'
import { fingerprintOf } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

const A = 'http://a.test'
const to = (location: string): Answer => ({ status: 301, headers: { location } })

/** A spider whose first page yields these links; every other page tells its Accept-Language. */
function yielding(...links: readonly (readonly [string, LinkOptions])[]): ReturnType<typeof pathSpider> {
  return pathSpider([`${A}/`], {
    handlers: {
      *start() {
        for (const [url, options] of links) yield link(url, { handler: 'page', ...options })
      },
      *page({ url, request }) {
        yield { url: url.href, language: request.headers['accept-language'] ?? '', data: request.data ?? null }
      },
    },
  })
}

describe("a link's own header", () => {
  it('replaces ours whatever its case', async () => {
    const spider = yielding(['/x', { headers: { 'User-Agent': 'mine', ACCEPT: 'text/plain' } }])
    const { seen } = await run({ [`${A}/`]: {}, [`${A}/x`]: {} }, { spider, headers: { 'Accept-Language': 'en' } })

    const { headers } = seen[1]?.outbound ?? { headers: {} }
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'accept-encoding', 'accept-language', 'user-agent'])
    expect(headers).toMatchObject({ 'user-agent': 'mine', accept: 'text/plain', 'accept-language': 'en' })
  })

  it('replaces ours on a seed as well', async () => {
    const spider = pathSpider([], { seeds: [{ url: `${A}/`, headers: { 'User-Agent': 'mine' } }] })
    const { seen } = await run({ [`${A}/`]: {} }, { spider })

    expect(seen[0]?.outbound.headers['user-agent']).toBe('mine')
    expect(seen[0]?.outbound.headers).not.toHaveProperty('User-Agent')
  })
})

describe('identity', () => {
  const german = { headers: { 'Accept-Language': 'de' }, identity: 'de' }
  const french = { headers: { 'accept-language': 'fr' }, identity: 'fr' }
  const languages = (items: readonly unknown[]): unknown[] => items.map((item) => (item as { language: string }).language)

  it('makes two requests of links that differ in it', async () => {
    const spider = yielding(['/x', german], ['/x', french], ['/x', german])
    const { items, report } = await run({ [`${A}/`]: {}, [`${A}/x`]: {} }, { spider })

    expect(languages(items)).toEqual(['de', 'fr'])
    expect(report.counts.known).toBe(3)
  })

  it('is not looked for among the links that are known', async () => {
    const seeds = [`${A}/`, `${A}/2`]
    const spider = { ...yielding(['/x', {}], ['/x', german], ['/x', french]), seeds }
    const script = { [`${A}/`]: { afterMs: 500 }, [`${A}/2`]: { afterMs: 500 }, [`${A}/x`]: {} }
    const { items } = await run(script, { spider, concurrency: 1 })

    expect(languages(items)).toEqual(['', 'de', 'fr'])
  })

  it('without it two links that differ in a header are one request, as they were', async () => {
    const spider = yielding(['/x', { headers: { 'accept-language': 'de' } }], ['/x', { headers: { 'accept-language': 'fr' } }])
    const { items, frontier } = await run({ [`${A}/`]: {}, [`${A}/x`]: {} }, { spider })

    expect(languages(items)).toEqual(['de'])
    const known = fingerprintOf({ method: 'GET', canonicalUrl: `${A}/x`, handler: 'page' })
    const again = { url: `${A}/x`, hostKey: 'a.test', handler: 'page', depth: 1, priority: 0, fingerprint: known }
    expect(await frontier.add([again]).catch(String)).toMatchObject({ added: 0 })
  })

  it('goes along with a redirect to another origin, and the headers of the link do not', async () => {
    const https = 'https://a.test/x'
    const spider = yielding(['/x', german], ['/x', french])
    const { items, report } = await run({ [`${A}/`]: {}, [`${A}/x`]: to(https), [https]: {} }, { spider })

    expect(languages(items)).toEqual(['', ''])
    expect(report.counts).toMatchObject({ known: 5, moved: 2, done: 3 })
  })

  it('goes along with a redirect that leads back to a page of another identity', async () => {
    const spider = yielding(['/x', german], ['/y', french])
    const { items } = await run({ [`${A}/`]: {}, [`${A}/x`]: {}, [`${A}/y`]: to('/x') }, { spider })

    expect(languages(items)).toEqual(['de', 'fr'])
  })

  it('survives a stop', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    const spider = yielding(['/x', german], ['/x', french])
    const script = { [`${A}/`]: {}, [`${A}/x`]: to('/z'), [`${A}/z`]: {} }
    await run(script, { spider, frontier, clock, maxPages: 1 })
    const { items, report } = await run(script, { spider, frontier, clock })

    expect(languages(items)).toEqual(['de', 'fr'])
    expect(report.counts).toMatchObject({ known: 5, waiting: 0 })
  })

  it('works together with a method, a body and a handler', async () => {
    const post = { method: 'POST', body: 'q=1', identity: 'a' }
    const spider = yielding(['/x', post], ['/x', { ...post, identity: 'b' }], ['/x', { ...post, handler: 'start' }], ['/x', post])
    const { report } = await run({ [`${A}/`]: {}, [`${A}/x`]: {} }, { spider })

    expect(report.counts.known).toBe(4)
  })

  it('of a seed counts like that of a link', async () => {
    const seeds = [
      { url: `${A}/`, headers: { 'accept-language': 'de' }, identity: 'de' },
      { url: `${A}/`, headers: { 'accept-language': 'fr' }, identity: 'fr' },
    ]
    const { seen } = await run({ [`${A}/`]: {} }, { spider: pathSpider([], { seeds }) })

    expect(seen.map(({ outbound }) => outbound.headers['accept-language'])).toEqual(['de', 'fr'])
  })

  it.each([[['accept-language']], [[]], ['']])('%j is a mistake, and says what to write', async (identity) => {
    const message = /expected identity to be a key, got .*leave it out/
    const given = { identity } as unknown as { readonly identity: string }
    const { report } = await run({ [`${A}/`]: {} }, { spider: yielding(['/x', given]) })

    expect(report.failures).toEqual([{ reason: 'handler-link-invalid', count: 1 }])
    expect(report.handlerErrors[0]?.message).toMatch(message)
    const seeds = [{ url: `${A}/`, ...given }]
    await expect(run({}, { spider: pathSpider([], { seeds }) })).rejects.toThrow(message)
  })
})
