// A scope that changes between two runs: what it excludes by name is not requested any more, also where it waits or is due.
import { memoryFrontier, spider, type CrawlConfig, type Spider } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { html, runs } from './runs.ts'
import { crawlWritten, type WrittenRun } from './written-web.ts'

const SHOP = 'http://shop.test'
const OTHER = 'http://other.test'
const script = {
  [`${SHOP}/`]: html('/1', '/logout', `${OTHER}/2`, '/next'),
  [`${SHOP}/1`]: html(),
  [`${SHOP}/next`]: html('/deep'),
  [`${SHOP}/deep`]: html(),
  [`${SHOP}/logout`]: html(),
  [`${OTHER}/2`]: html(),
}

function within(scope: Spider['scope'], seeds = [`${SHOP}/`]): { readonly spider: CrawlConfig['spider'] } {
  const made = spider({
    name: 'narrowed',
    seeds,
    scope: { within: 'any', ...scope },
    handlers: {
      *start(page) {
        yield* page.links()
      },
    },
  })
  return { spider: made }
}

const first = { maxPages: 1 }

describe.each(['memory', 'sqlite'])('a request that waits in a store of %s', (kind) => {
  it.each<[string, Spider['scope'], string[]]>([
    ['blockedHosts', { blockedHosts: ['other.test'] }, ['GET /1', 'GET /deep', 'GET /logout', 'GET /next']],
    ['deny', { deny: [/logout/] }, ['GET /1', 'GET /2', 'GET /deep', 'GET /next']],
    ['allow', { allow: [/shop\.test\/(?:$|next|deep)/] }, ['GET /deep', 'GET /next']],
  ])('is not sent where %s excludes it by now', async (_rule, scope, asked) => {
    const [, second] = await runs(kind, { script, ...within({}) }, first, within(scope))

    expect(second?.asked.toSorted()).toEqual(asked)
    expect(second?.report.counts.waiting).toBe(0)
  })

  it('is sent where it is deeper than a page may be by now', async () => {
    const [, second] = await runs(
      kind,
      { script, ...within({}) },
      first,
      within({ maxDepth: 0, deny: [/next|logout/], blockedHosts: ['other.test'] }),
    )

    expect(second?.asked).toEqual(['GET /1'])
  })

  it('is told, and waits again in a run whose scope lets it in, and in no other', async () => {
    const blocked = within({ blockedHosts: ['other.test'] })
    const [, second, third, fourth] = await runs(kind, { script, ...within({}) }, first, blocked, blocked, within({}))

    expect(second?.report.failures).toEqual([{ reason: 'out-of-scope', count: 1 }])
    expect(second?.report.problems.map(({ message }) => message)).toEqual([
      `requests of earlier runs that the scope excludes now (blocked-host) are not sent; once it lets them in, the next run sends them`,
    ])
    expect([third?.asked, third?.report.problems]).toEqual([[], []])
    expect(fourth?.asked).toEqual(['GET /2'])
  })

  it('is settled once in a crawl that goes on in rounds', async () => {
    const watching = { recrawl: [{ everyMs: 60_000 }], maxTimeMs: 600_000 }
    const blocked = { ...watching, ...within({ blockedHosts: ['other.test'] }) }
    const [, second, third] = await runs(kind, { script, ...within({}), apartMs: 1_000 }, first, blocked, blocked)

    expect([second?.report.run.failed, third?.report.run.failed, third?.report.counts.failed]).toEqual([1, 0, 1])
  })

  it('is not visited again in rounds, and stays done', async () => {
    const watching = { recrawl: [{ everyMs: 60_000 }], maxTimeMs: 90_000 }
    const [, second, third] = await runs(
      kind,
      { script, ...within({}), apartMs: 1_000 },
      watching,
      { ...watching, ...within({ blockedHosts: ['other.test'] }) },
      { ...watching, ...within({}) },
    )

    expect(second?.asked.filter((line) => line === 'GET /2')).toEqual([])
    expect([second?.report.counts.done, second?.report.counts.failed]).toEqual([6, 0])
    expect(third?.asked.filter((line) => line === 'GET /2')).toHaveLength(2)
  })
})

it('waits again also where the run that was to bring it back died while it began', async () => {
  const frontier = memoryFrontier()
  const dying: Frontier = {
    ...frontier,
    change: (change) => (change.kind === 'reopen' ? Promise.reject(new Error('killed')) : frontier.change(change)),
  }
  const web = (url: URL): string => (url.pathname === '/' ? `<a href="${OTHER}/2">on</a>` : '')
  const run = (scope: Spider['scope'], config: Pick<CrawlConfig, 'maxPages' | 'frontier'> = {}): Promise<WrittenRun> =>
    crawlWritten(web, { ...within(scope), frontier, ...config })
  await run({}, first)
  await run({ blockedHosts: ['other.test'] })

  await expect(run({}, { frontier: dying })).rejects.toThrow('killed')
  expect((await run({})).pagesOf('other.test')).toBe(1)
})

it('is not said to have been requested where its links wait for a budget', async () => {
  const frontier = memoryFrontier()
  const shops = Array.from({ length: 800 }, (_, n) => `<a href="http://s${n}.mall.test/">on</a>`).join('')
  const pages = Array.from({ length: 9 }, (_, n) => `<a href="/${n}">on</a>`).join('')
  const web = ({ host, pathname }: URL): string =>
    host === 'www.mall.test' ? shops : `<p>${host.replaceAll('.', ' of ')} in ${pathname}</p>${pathname === '/' ? pages : ''}`
  const run = (scope: Spider['scope'], config: Pick<CrawlConfig, 'maxPages'> = {}): Promise<WrittenRun> =>
    crawlWritten(web, { ...within(scope, ['http://www.mall.test/']), frontier, ...config })
  await run({}, { maxPages: 60 })
  const { report, pagesOf } = await run({ blockedHosts: ['www.mall.test'] })

  expect([pagesOf('www.mall.test'), report.counts.done]).toEqual([0, 2_001])
  expect(report.problems.map(({ message }) => message).filter((message) => message.includes('requested again'))).toEqual([])
})
