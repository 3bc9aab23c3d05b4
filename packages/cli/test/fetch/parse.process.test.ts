// `avocet parse`: what a handler makes of one page, from the web or from a file, and what is said when it makes nothing of it.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { linkLines } from '../../../dev/src/parse/parse.ts'
import { plain } from '../../../project/src/text/terminal.ts'
import { runCli, spawnCli, type CliRun } from '../run-cli.ts'
import { smallSite } from '../small-site.ts'

const SPIDER = `export default {
  name: 'shop',
  seeds: ['http://shop.test/'],
  scope: { deny: [/\\/cart/] },
  handlers: {
    *start(page) {
      yield { title: page.title, url: page.url.href }
      yield { anchors: page.anchors.length }
      yield* page.links({ handler: 'offer' })
      yield* page.links('.second', { handler: 'start' })
    },
    *offer(page) {
      yield { half: 1 }
      const price = undefined
      yield { price: price.amount }
    },
    async *later() {
      await null
      throw new Error('no price')
    },
    *forgets() {
      Promise.reject(new Error('late'))
      yield { fine: 2 }
    },
    *text() {
      yield 'http://shop.test/'
    },
    *misnamed(page) {
      yield* page.links({ handler: 'ofer' })
    },
  },
}
`
const PAGE = '<title>Shop</title><a href="a">A</a><a href="/cart">Cart</a><a class=second href="/b">B</a><a href="a">A again</a>'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-parse-'))
  await writeFile(join(folder, 'spider.mjs'), SPIDER)
  await writeFile(join(folder, 'page.html'), PAGE)
})
afterEach(() => rm(folder, { recursive: true }))

function parse(...words: string[]): Promise<CliRun> {
  return runCli(['parse', ...words], { folder })
}

describe('a recorded page', () => {
  const recorded = ['page.html', '--url', 'http://shop.test/list/', '--spider', 'spider.mjs']

  it('gives its items as JSON lines, and says how many links there are', async () => {
    const { code, stdout, stderr } = await parse(...recorded)

    expect(stdout).toBe('{"title":"Shop","url":"http://shop.test/list/"}\n{"anchors":4}\n')
    expect(stderr).toBe('2 items, 4 links: 1 repeated or unusable left out\n')
    expect(code).toBe(0)
  })

  it('gives items and links as one document with --json, each link with its handler', async () => {
    const { stdout, stderr } = await parse(...recorded, '--json', '--limit', '4')

    expect(JSON.parse(stdout)).toEqual({
      schema: 1,
      url: 'http://shop.test/list/',
      status: 200,
      handler: 'start',
      counts: { items: 2, rejects: 0, links: 4, yieldedLinks: 5 },
      items: [{ title: 'Shop', url: 'http://shop.test/list/' }, { anchors: 4 }],
      rejects: [],
      links: [
        { handler: 'offer', url: 'http://shop.test/list/a', anchor: 'A' },
        { handler: 'offer', url: 'http://shop.test/cart', anchor: 'Cart' },
        { handler: 'offer', url: 'http://shop.test/b', anchor: 'B' },
        { handler: 'start', url: 'http://shop.test/b', anchor: 'B' },
      ],
    })
    expect(stderr).toBe('')
  })

  it("is for the configuration's spider when none is named", async () => {
    await writeFile(join(folder, 'avocet.config.mjs'), "import spider from './spider.mjs'\nexport default { spider }")
    const run = await parse('page.html', '--limit', '1')

    expect(run.stdout).toBe('{"title":"Shop","url":"http://page.invalid/page.html"}\n')
  })

  it('has its items as plugins leave them, but for plugins that may write them somewhere, which are named', async () => {
    await writeFile(
      join(folder, 'avocet.config.mjs'),
      `import { writeFileSync } from 'node:fs'
      import spider from './spider.mjs'
      const changes = {
        name: 'changes',
        outsideEffects: false,
        crawlMemory: () => ({ count: 0 }),
        admit(ask) { ask.giveUp('a page that is there needs no host') },
        onItem: (item, source, _host, memory) => (item.title ? { ...item, count: ++memory.count, by: source.request.url } : null),
      }
      const saves = { name: 'saves', onItem(item) { writeFileSync('saved.txt', 'x'); return item } }
      const opens = { name: 'opens', open() { throw new Error('no database') } }
      export default { spider, plugins: [changes, saves, opens] }`,
    )

    const { code, stdout, stderr } = await parse('page.html', '--url', 'http://shop.test/list/')

    expect(stdout).toBe('{"title":"Shop","url":"http://shop.test/list/","count":1,"by":"http://shop.test/list/"}\n')
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'left out of parse: saves; if a plugin does nothing outside the crawl, write outsideEffects: false in it',
      '1 item, 4 links: 1 item dropped by plugins, 1 repeated or unusable left out',
    ])
    expect(existsSync(join(folder, 'saved.txt'))).toBe(false)
    expect(code).toBe(0)
  })

  it.each([
    ['offer', 'AVO_HANDLER_THREW', 'spider.mjs:15:28: handler offer threw Cannot read properties of undefined'],
    ['later', 'AVO_HANDLER_THREW', 'spider.mjs:19:13: handler later threw no price'],
    ['misnamed', 'AVO_HANDLER_LINK_INVALID', "(did you mean 'offer'?)"],
    ['text', 'AVO_HANDLER_YIELD_INVALID', 'for a URL write yield link(url)'],
  ])('whose handler %s fails gives no items but one line with %s, and 3', async (handler, error, line) => {
    const run = await parse(...recorded, '--handler', handler)

    expect(run.stderr).toContain(line)
    expect(run.stderr).toMatch(new RegExp(`^avocet: .*\\(${error}\\)\n$`))
    expect(run).toMatchObject({ code: 3, stdout: '' })
  })
})

describe('a promise that a handler forgets', () => {
  it('is said, and costs nothing', async () => {
    // Of its own: a test of this process would fail of it.
    const run = await spawnCli(['parse', 'page.html', '--spider', 'spider.mjs', '--handler', 'forgets'], { folder })

    expect(run.stderr).toMatch(
      /^an unawaited promise was rejected at .*spider\.mjs:22:22\)?: late; await it where it is made\n1 item/,
    )
    expect(run).toMatchObject({ code: 0, stdout: '{"fine":2}\n' })
  })
})

describe('a page of the web', () => {
  it('is requested as by a crawl, robots.txt first', async () => {
    const site = await smallSite(5, 0, 'User-agent: *\nDisallow: /2')

    const allowed = await parse(`${site.url}1`, '--spider', 'spider.mjs', '--limit', '1')
    const forbidden = await parse(`${site.url}2`, '--spider', 'spider.mjs')

    expect(JSON.parse(allowed.stdout)).toEqual({ title: 'page 1', url: `${site.url}1` })
    expect(forbidden.stderr).toMatch(
      /^avocet: parse: expected a page that robots.txt allows, got one that it does not \(Disallow: \/2\)/,
    )
    expect(forbidden).toMatchObject({ code: 6, stdout: '' })
    expect(site.asked).toEqual(['/1'])
    site.close()
  })
})

describe('what is wrong', () => {
  it.each([
    [
      ['page.html', '--spider', 'spider.mjs', '--handler', 'ofer'],
      2,
      "(start, offer, later, forgets, text, misnamed), got 'ofer' (did you mean 'offer'?)",
    ],
    [['page.html'], 2, 'name its file: --spider spider.ts'],
    [['page.html', '-a', 'city=berlin'], 2, '-a: expected a spider file that takes city'],
    [['paeg.html', '--spider', 'spider.mjs'], 3, 'paeg.html; check the path'],
    [['shop.test', '--spider', 'spider.mjs'], 3, "did you mean 'https://shop.test'?"],
    [['page.html', '--spider', 'no.mjs'], 3, 'AVO_SPIDER_LOAD'],
    [['page.html', '--spider', 'spider.mjs', '--url', 'shop'], 3, '--url: expected an http(s) URL'],
  ])('with %j is said in one line, and the exit code is %i', async (words, code, line) => {
    const run = await parse(...words)

    expect(run.stderr).toContain(line)
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(run).toMatchObject({ code, stdout: '' })
  })
})

describe('the table of links', () => {
  const links = [
    { handler: 'offer', url: 'http://shop.test/offer/1', anchor: 'One' },
    { handler: 'start', url: 'http://elsewhere.test/', anchor: '\u001b[2Jx' },
    { handler: 'start', url: `http://shop.test/${'long/'.repeat(20)}` },
  ]

  it('fits the terminal, and shows no more than is allowed', () => {
    const lines = linkLines({ items: [], links, yielded: 3, dropped: 0, rejects: [] }, { limit: 2, columns: 60, paint: plain })

    expect(lines).toEqual([
      'handler  url                       anchor',
      'offer    http://shop.test/offer/1  One',
      String.raw`start    http://elsewhere.test/    \u{1b}[2Jx`,
      '… and 1 more: --limit 3',
      '0 items, 3 links',
    ])
  })

  it('is left out where there is no terminal', () => {
    expect(
      linkLines({ items: [{}], links, yielded: 3, dropped: 0, rejects: [] }, { limit: 2, columns: undefined, paint: plain }),
    ).toEqual(['1 item, 3 links'])
  })
})
