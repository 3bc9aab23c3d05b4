// A named session: whose requests they are. It is part of what a request is, and follows links, redirects, retries and restarts.
import { crawl, link, type LinkOptions, type Page } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import { scriptedWeb } from '../scripted-web.ts'

const A = 'http://a.test'
const BOTH = [
  { url: `${A}/`, session: 'alice' },
  { url: `${A}/`, session: 'bob' },
]

/** Every page yields its path and its session; each first page also yields `links`. `visited`: what the handlers saw. */
function named(links: readonly (readonly [string, LinkOptions])[] = [], visited: unknown[] = []): ReturnType<typeof pathSpider> {
  return pathSpider([], {
    seeds: BOTH,
    handlers: {
      *start({ url, request }: Page) {
        const item = { path: url.pathname, session: request.session ?? '' }
        visited.push(item)
        yield item
        if (url.pathname === '/') for (const [to, options] of links) yield link(to, options)
      },
    },
  })
}

const of = (items: readonly unknown[]): string[] =>
  (items as { path: string; session: string }[]).map(({ path, session }) => `${session}${path}`).toSorted()

describe('a session', () => {
  it('makes two requests of one URL', async () => {
    const { items, report } = await run({ [`${A}/`]: {} }, { spider: named() })

    expect(of(items)).toEqual(['alice/', 'bob/'])
    expect(report.counts.known).toBe(2)
  })

  it('is that of the page for its links, unless they name another, or none', async () => {
    const spider = named([
      ['/own', {}],
      ['/other', { session: 'carol' }],
      ['/none', { session: false }],
    ])
    const { items } = await run({ [`${A}/`]: {}, [`${A}/own`]: {}, [`${A}/other`]: {}, [`${A}/none`]: {} }, { spider })

    expect(of(items)).toEqual(['/none', 'alice/', 'alice/own', 'bob/', 'bob/own', 'carol/other'])
  })

  it('is not known for what another one has visited', async () => {
    const spider = { ...named([['/own', {}]]), seeds: [`${A}/`, ...BOTH] }
    const script = { [`${A}/`]: { afterMs: 500 }, [`${A}/own`]: {} }
    const { items } = await run(script, { spider, concurrency: 1 })

    expect(of(items)).toEqual(['/', '/own', 'alice/', 'alice/own', 'bob/', 'bob/own'])
  })

  it('follows redirects, also to another host', async () => {
    const to = (location: string) => ({ status: 302, headers: { location } })
    const spider = { ...named([['/moved', {}]]), scope: { within: 'any' as const } }
    const { items } = await run(
      { [`${A}/`]: {}, [`${A}/moved`]: to('http://b.test/there'), 'http://b.test/there': {} },
      { spider },
    )

    expect(of(items)).toEqual(['alice/', 'alice/there', 'bob/', 'bob/there'])
  })

  it('adds to an identity of its own, and hides neither', async () => {
    const german = { headers: { 'accept-language': 'de' }, identity: 'de' }
    const spider = named([
      ['/x', german],
      ['/x', {}],
    ])
    const { items, seen } = await run({ [`${A}/`]: {}, [`${A}/x`]: {} }, { spider })

    expect(of(items)).toEqual(['alice/', 'alice/x', 'alice/x', 'bob/', 'bob/x', 'bob/x'])
    expect(seen.filter(({ outbound }) => outbound.headers['accept-language'] === 'de')).toHaveLength(2)
  })

  it('is there in a later run, from the store on disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-session-'))
    const visited: unknown[] = []
    const script = { [`${A}/`]: {}, [`${A}/own`]: {} }
    for (const maxPages of [2, 9]) {
      const clock = new VirtualClock()
      const frontier = sqlite(join(folder, 'crawl.avocet'))
      const spider = named([['/own', {}]], visited)
      await clock.run(() => crawl({ policies: [], spider, frontier, clock, fetcher: scriptedWeb(clock, script), maxPages }).run())
    }
    rmSync(folder, { recursive: true })

    expect(of(visited)).toEqual(['alice/', 'alice/own', 'bob/', 'bob/own'])
  })

  it.each(['', 'a b', 'ä', 'x'.repeat(65), '"'])('cannot be named %j', (session) => {
    expect(() => link('/', { session })).toThrow(/expected session to be a name of at most 64/)
  })
})
