// Which hosts are in trouble, and what the owner of a host is told.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier, spider } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { historiansOf, treatmentOf } from '../../src/load/policies.ts'
import type { HostReport } from '../../src/treatment/host-report.ts'
import { politenessSheet } from '../../src/treatment/politeness-sheet.ts'
import { storeReport, type StoreReport } from '../../src/treatment/store-report.ts'
import { troublesOf } from '../../src/treatment/host-trouble.ts'
import { runCli } from '../run-cli.ts'
import { smallSite } from '../small-site.ts'

const healthy = (n: number): HostSpec => ({ name: `shop-${n}.test`, pages: { kind: 'list', pages: 6 } })
const HOSTS: readonly HostSpec[] = [
  ...[10, 2, 1].map(healthy),
  { name: 'dead.test', pages: { kind: 'list', pages: 4 }, death: 'refuse' },
  {
    name: 'refuses.test',
    pages: { kind: 'list', pages: 60 },
    capacity: { law: 'window', requests: 4, seconds: 600 },
    refusal: { status: 429, retryAfter: 'seconds' },
  },
]

/** What a crawl of `hosts` left after `patienceMs` without anything to do. */
async function reportOn(hosts: readonly HostSpec[], patienceMs = 300_000): Promise<StoreReport> {
  const model = siteModel({ seed: 'page', hosts })
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const subject = crawl({
    spider: spider({
      name: 'shops',
      seeds: model.seeds(),
      handlers: {
        *start() {
          yield { price: 1 }
        },
      },
    }),
    frontier,
    clock,
    fetcher: simulatedWeb(model, { clock }),
    patienceMs,
    userAgent: 'price-watch/1 (+https://example.org/bot; bot@example.org)',
    ...treatmentOf({}),
  })
  await clock.run(() => subject.run())
  return storeReport(frontier.reader, 'shops.db', { explainersFor: historiansOf({}), now: clock.now() })
}

let report: StoreReport
beforeAll(async () => {
  report = await reportOn(HOSTS)
})

describe('trouble', () => {
  const kindsOf = (changed: Partial<HostReport>): readonly (readonly string[])[] => {
    const [, , host] = report.hosts
    if (host === undefined) throw new Error('no host')
    return troublesOf([{ ...host, ...changed }], report.now).map(({ kind, reason, sample }) => [kind, reason, sample ?? ''])
  }
  const yielded = { handler: 'offer', pages: 60, items: 40, dropped: 0, spoiled: 0, recent: 0, yielding: 40, rejects: 0 }

  it('is none where a refusal, or a page that is missing, is one of many', () => {
    expect(
      kindsOf({ requests: 1_000, refusals: 50, ends: [{ how: '404', count: 50, lastAt: 1, url: 'http://a.test/' }] }),
    ).toEqual([])
  })

  it('is to be kept out, or to find nothing where something was before', () => {
    expect(kindsOf({ forbiddenInRow: 4, ends: [{ how: '403', count: 4, lastAt: 1, url: 'http://a.test/p' }] })).toEqual([
      ['suspect', 'seems to block the crawler: the last 4 answers were forbidden', 'http://a.test/p'],
    ])
    expect(kindsOf({ handlers: [{ ...yielded, fruitful: 40, barren: 20, driedUp: true }] })).toEqual([
      ['suspect', 'no items from the last 20 pages of offer; 40 pages before had some', ''],
    ])
    expect(kindsOf({ handlers: [{ ...yielded, items: 0, fruitful: 0, barren: 60, driedUp: false }] })).toEqual([])
  })

  it('is to fail, with the kinds and the last page', () => {
    const ends = [
      { how: '500', count: 6, lastAt: 9, url: 'http://a.test/late' },
      { how: 'first-byte-timeout', count: 2, lastAt: 5, url: 'http://a.test/early' },
    ]
    expect(kindsOf({ requests: 100, ends })).toEqual([
      ['failing', '6 × HTTP 500, 2 × first-byte-timeout of 100 requests', 'http://a.test/late'],
    ])
  })
})

describe('what a host is told', () => {
  it('is how to contact the crawler, what the host asked for, and what became of it', () => {
    const host = report.hosts[1]
    if (host === undefined) throw new Error('no host')
    const { title, facts, sentences, tables } = politenessSheet(host, report)
    const wishes = tables[0]?.rows.map(({ cells }) => cells) ?? []

    expect(title).toBe('refuses.test')
    expect(sentences).toEqual([
      [
        'Requests were sent as ',
        { code: 'price-watch/1 (+https://example.org/bot; bot@example.org)' },
        '; contact: https://example.org/bot, bot@example.org.',
      ],
    ])
    expect(wishes.map(([wish]) => wish)).toEqual(['robots.txt', 'Crawl-delay', 'Retry-After'])
    expect(wishes[2]?.[1]).toMatch(/^asked \d+ times?, the longest .*: obeyed, no request was sent before$/)
    expect(facts.map(({ name }) => name)).toEqual(expect.arrayContaining(['most in any second', 'smallest gap', 'refused']))
    expect(tables.map((table) => table.title)).toEqual(['What the host asked for', 'Statuses and failures', 'Runs'])
  })

  it('is little where it was never reached', () => {
    const [host] = report.hosts
    if (host === undefined) throw new Error('no host')
    const { subtitle, tables } = politenessSheet(host, report)

    expect(subtitle).toContain('given up: never answered')
    expect(tables.map(({ title }) => title)).not.toContain('What the host asked for')
  })
})

describe('avocet report --host --html', () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-page-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('writes the page of that host or of the crawl, and prints its document beside it', async () => {
    const site = await smallSite(3)
    const { host } = new URL(site.url)
    await runCli(['crawl', site.url, '--store', 'small.db', '--max-rps', '10'], { folder })
    site.close()
    const page = await runCli(['report', 'small.db', '--host', host, '--html', 'host.html'], { folder })
    const whole = await runCli(['report', 'small.db', '--html', '-'], { folder })
    const both = await runCli(['report', 'small.db', '--host', `${site.url}some/page`, '--html', 'again.html', '--json'], {
      folder,
    })

    expect(page).toEqual({ code: 0, stdout: '', stderr: 'written: host.html\n' })
    expect(readFileSync(join(folder, 'host.html'), 'utf8').includes('id="file"')).toBe(true)
    expect(whole.stdout.includes('id="file"')).toBe(true)
    expect(JSON.parse(both.stdout)).toMatchObject({ host: { hostKey: host }, lastRuns: [{ userAgent: expect.any(String) }] })
  })
})
