// Links that are not followed are counted, by the rule that refused them and by where they led, in all runs.
import { definePlugin, link, memoryFrontier, spider, type CrawlReport } from 'avocet'
import { sitemaps } from '@avocet/plugin-sitemaps'
import { describe, expect, it } from 'vitest'
import { run } from '../harness.ts'

const html = (...hrefs: readonly string[]) => ({
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: hrefs.map((href) => `<a href="${href}">x</a>`).join('\n'),
})

const follows = spider({
  name: 'follows',
  seeds: ['http://a.test/'],
  scope: { blockedHosts: ['ads.test'], maxDepth: 1, deny: [/logout/] },
  handlers: {
    *start(page) {
      for (const anchor of page.$('a')) yield link(page.$(anchor).attr('href') ?? '')
    },
  },
})

const footer = ['http://other.test/x', 'http://third.test/', 'mailto:me@a.test', 'http://ads.test/?1']

const WEB = {
  'http://a.test/': html('/1', '/2', '/logout', '/3#a', ...footer),
  'http://a.test/1': html('/deep', ...footer, 'http://other.test/y'),
  'http://a.test/2': html('/logout', 'http://a.test:25/'),
  'http://a.test/3': html('/private', ...footer),
}

const sumOf = ({ refusedLinks }: CrawlReport): number => refusedLinks.reduce((sum, { count }) => sum + count, 0)

describe('links that are not followed', () => {
  it('are counted by rule and host, and add up to the refused links of the run', async () => {
    const { report } = await run(WEB, { spider: follows })

    const counts = report.refusedLinks.map(({ rule, count, hosts }) => [
      rule,
      count,
      ...hosts.map(({ hostKey, count: each }) => `${hostKey} ${each}`),
    ])
    expect(counts).toEqual([
      ['off-host', 8, 'other.test 4', 'third.test 3', 'a.test:25 1'],
      ['not-http', 3],
      ['blocked-host', 3, 'ads.test 3'],
      ['denied', 2, 'a.test 2'],
      ['too-deep', 2, 'a.test 2'],
    ])
    expect(sumOf(report)).toBe(report.run.refusedLinks)
  })

  it('are counted where a handler yields one that is longer than 8,000 bytes; the reader of a page passes over it', async () => {
    const longest = `/?q=${'x'.repeat(8_000 - 'http://a.test/?q='.length)}`
    const tooLong = `${longest}x`
    const refresh = `<meta http-equiv="refresh" content="0;url=/refresh${tooLong}">`
    const locs = [longest, `${tooLong}1`].map((path) => `<url><loc>http://a.test${path}</loc></url>`)
    const web = {
      'http://a.test/': html(longest, tooLong),
      'http://a.test/only-refreshes': { ...html(), body: refresh },
      'http://a.test/robots.txt': { status: 404 },
      'http://a.test/sitemap.xml': { headers: { 'content-type': 'text/xml' }, body: `<urlset>${locs.join('')}</urlset>` },
      [`http://a.test${longest}`]: html('/moved'),
      'http://a.test/moved': { status: 302, headers: { location: tooLong } },
    }
    const linksOnly = spider({
      name: 'long',
      seeds: ['http://a.test/', 'http://a.test/only-refreshes'],
      handlers: {
        *start(page) {
          yield* page.links()
          yield link(`http://a.test${tooLong}`)
        },
      },
    })
    const plugins = [sitemaps({ urls: ['http://a.test/sitemap.xml'], robots: false })]
    const { report, frontier } = await run(web, { spider: linksOnly, plugins })

    expect(report.refusedLinks).toMatchObject([{ rule: 'url-too-long', count: 3 }])
    expect(report.counts).toMatchObject({ done: 4, failed: 1 })
    const [failed] = await frontier.reader.requests({ state: 'failed', limit: 1 })
    expect(failed?.reason).toBe('redirect-target')
  })

  it('are counted for the plugin that refused them', async () => {
    const noThree = definePlugin({
      name: 'no-three',
      onDiscover: (found) => void (found.url.endsWith('/3') && found.refuse('three')),
    })
    const { report } = await run(WEB, { spider: follows, plugins: [noThree] })

    expect(report.refusedLinks).toContainEqual({
      rule: 'plugin no-three',
      count: 1,
      hosts: [{ hostKey: 'a.test', count: 1 }],
      others: 0,
    })
    expect(sumOf(report)).toBe(report.run.refusedLinks)
  })

  it('are counted over runs, and are bounded', async () => {
    const many = Array.from({ length: 40 }, (_, n) => `http://h${n}.test/`)
    const web = { ...WEB, 'http://a.test/': html('/1', '/2', ...many) }
    const frontier = memoryFrontier()
    const first = await run(web, { spider: follows, frontier, maxPages: 1 })
    const second = await run(web, { spider: follows, frontier })

    const offHost = second.report.refusedLinks.find(({ rule }) => rule === 'off-host')
    expect(offHost).toMatchObject({ count: 44, others: 34 })
    expect(offHost?.hosts).toHaveLength(10)
    expect(sumOf(second.report)).toBe(first.report.run.refusedLinks + second.report.run.refusedLinks)
  })
})
