// The page of a crawl for a browser: trouble first, every host in its place, and a page of one host for its owner.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier, spider } from 'avocet'
import { htmlReport, type ReportPart } from '@avocet/html-report'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { historiansOf, treatmentOf } from '../../src/load/policies.ts'
import type { HostReport } from '../../src/report/host-report.ts'
import { hostPage } from '../../src/report/host-page.ts'
import { itemsTable } from '../../src/report/host-tables.ts'
import { reportPage } from '../../src/report/report-page.ts'
import { storeReport, type StoreReport } from '../../src/report/store-report.ts'
import { troublesOf } from '../../src/report/host-trouble.ts'
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

type Table = ReportPart & { readonly kind: 'table' }

function tableOf(parts: readonly ReportPart[], title: string): Table {
  const table = parts.find((part): part is Table => part.kind === 'table' && part.title === title)
  if (table === undefined) throw new Error(`there is no table ${title}`)
  return table
}

/** Cells as a reader sees them. */
function rowsOf(table: Table): readonly (readonly string[])[] {
  const words = ({ cells }: Table['rows'][number]): string[] =>
    cells.map((cell) => (cell === null ? '' : typeof cell === 'string' ? cell : 'order' in cell ? cell.text : 'chart'))
  return table.rows.map(words)
}

let report: StoreReport
beforeAll(async () => {
  report = await reportOn(HOSTS)
})

describe('the page of a crawl', () => {
  it('has what is in trouble first, each with a reason and a page that shows it', () => {
    const [first] = reportPage(report, 4).parts
    const rows = rowsOf(tableOf(reportPage(report, 4).parts, 'Hosts in trouble'))

    expect(first).toMatchObject({ kind: 'table', title: 'Hosts in trouble', lead: '1 given up, 1 refusing; 3 hosts healthy.' })
    expect(rows.map(([host, kind]) => [host, kind])).toEqual([
      ['dead.test', 'given up'],
      ['refuses.test', 'refusing'],
    ])
    expect(rows[0]?.[2]).toMatch(/^never answered, 3 times in a row \(last: [a-z-]+\); probed again by the next run$/)
    expect(rows[0]?.[3]).toBe('http://dead.test/robots.txt')
    expect(rows[1]?.[2]).toMatch(/^\d+ of \d+ requests refused \(\d+ %\)$/)
    expect(rows[1]?.[3]).toMatch(/^http:\/\/refuses\.test\//)
  })

  it('has all hosts, those in trouble before the others, which are in the order in which people count', () => {
    const table = tableOf(reportPage(report, 4).parts, 'All hosts')

    expect(rowsOf(table).map(([host]) => host)).toEqual([
      'dead.test',
      'refuses.test',
      'shop-1.test',
      'shop-2.test',
      'shop-10.test',
    ])
    expect(table.rows.map(({ isBad }) => isBad)).toEqual([true, true, false, false, false])
    expect(report.hosts.map(({ hostKey }) => hostKey)).toEqual([
      'dead.test',
      'refuses.test',
      'shop-1.test',
      'shop-2.test',
      'shop-10.test',
    ])
  })

  it('counts items by host and handler, as the store does', () => {
    const rows = rowsOf(tableOf(reportPage(report, 4).parts, 'Items by host and handler'))

    expect(rows).toContainEqual(['shop-1.test', 'start', '6', '6', '0', '0', '0', '1.0', '0'])
    expect(rows.reduce((sum, [, , , items]) => sum + Number(items), 0)).toBe(report.counts.items)
  })

  it('counts every request by how it ended', () => {
    const table = tableOf(reportPage(report, 4).parts, 'Statuses and failures')
    const rows = rowsOf(table)

    expect(rows.map(([answer]) => answer)).toEqual(
      expect.arrayContaining(['HTTP 200 OK', 'HTTP 404 Not Found', 'HTTP 429 Too Many Requests', 'connect-refused']),
    )
    expect(rows.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(report.requests)
  })

  it('says what waits and for what, and that nothing else can continue', () => {
    const rows = rowsOf(tableOf(reportPage(report, 4).parts, 'Waiting'))

    expect(rows.reduce((sum, [, requests]) => sum + Number(requests), 0)).toBe(report.counts.waiting)
    expect(rows.map(([cause]) => cause).toSorted()).toEqual([
      expect.stringMatching(/^its host was given up: never answered, 3 times in a row \(last: [a-z-]+\)$/),
      'the host said until when to wait (aimd)',
    ])
    expect(rowsOf(tableOf(reportPage(report, 4).parts, 'All hosts'))[1]?.[1]).toMatch(/^waits for .*\(aimd\)$/)
  })

  it('names the user agent and the policies of each run', () => {
    expect(rowsOf(tableOf(reportPage(report, 4).parts, 'Runs'))).toEqual([
      [
        '2026-01-01 00:00:00',
        'price-watch/1 (+https://example.org/bot; bot@example.org)',
        'robots, rate (aimd), breaker, timeouts (adaptive-timeout), retry',
      ],
    ])
  })

  it('of 800 hosts is below 2 MB', async () => {
    const many = await reportOn(
      Array.from({ length: 800 }, (_, n) => healthy(n + 1)),
      60_000,
    )
    const html = htmlReport(reportPage(many, 24))

    expect(many.hosts).toHaveLength(800)
    expect(Buffer.byteLength(html)).toBeLessThan(2_000_000)
    expect(html.match(/<svg class="spark"/g)).toHaveLength(800)
  }, 30_000)
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
    expect(kindsOf({ handlers: [{ ...yielded, fruitful: 40, barren: 20 }] })).toEqual([
      ['suspect', 'no items from the last 20 pages of offer; 40 pages before had some', ''],
    ])
    expect(kindsOf({ handlers: [{ ...yielded, items: 0, fruitful: 0, barren: 60 }] })).toEqual([])
  })

  it.each([
    ['40 of 40 pages had some, and none of the last 20', { fruitful: 40, barren: 20 }, true],
    ['one page in twenty had some, and none of the last 20', { pages: 420, fruitful: 20, barren: 20 }, false],
  ])('marks the row of a handler by the same rule: %s', (_what, counts, isBad) => {
    const [, , host] = report.hosts
    if (host === undefined) throw new Error('no host')
    const [part] = itemsTable({ ...report, hosts: [{ ...host, handlers: [{ ...yielded, ...counts }] }] })

    expect(part).toMatchObject({ rows: [{ isBad }] })
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

describe('the page of a host', () => {
  it('says how to contact the crawler, what the host asked for, and what became of it', () => {
    const host = report.hosts[1]
    if (host === undefined) throw new Error('no host')
    const { title, facts, parts } = hostPage(host, report)
    const wishes = rowsOf(tableOf(parts, 'What the host asked for'))

    expect(title).toBe('refuses.test')
    expect(parts[0]).toEqual({
      kind: 'sentence',
      text: [
        'Requests were sent as ',
        { code: 'price-watch/1 (+https://example.org/bot; bot@example.org)' },
        '; contact: https://example.org/bot, bot@example.org.',
      ],
    })
    expect(wishes.map(([wish]) => wish)).toEqual(['robots.txt', 'Crawl-delay', 'Retry-After'])
    expect(wishes[2]?.[1]).toMatch(/^asked \d+ times?, the longest .*: obeyed, no request was sent before$/)
    expect(facts.map(({ name }) => name)).toEqual(expect.arrayContaining(['most in any second', 'smallest gap', 'refused']))
    expect(parts.map((part) => part.kind)).toEqual(expect.arrayContaining(['rate', 'latency']))
    expect(htmlReport(hostPage(host, report))).not.toContain('shop-1.test')
  })

  it('of a host that was never reached has no charts, and says so little', () => {
    const [host] = report.hosts
    if (host === undefined) throw new Error('no host')
    const html = htmlReport(hostPage(host, report))

    expect(html).toContain('given up: never answered')
    expect(html).not.toContain('What the host asked for')
  })
})

describe('avocet report --host --html', () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-page-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('writes the page of that host, and prints its document beside it', async () => {
    const site = await smallSite(3)
    const { host } = new URL(site.url)
    await runCli(['crawl', site.url, '--store', 'small.db', '--max-rps', '10'], { folder })
    site.close()
    const page = await runCli(['report', 'small.db', '--host', host, '--html', 'host.html'], { folder })
    const both = await runCli(['report', 'small.db', '--host', `${site.url}some/page`, '--html', 'again.html', '--json'], {
      folder,
    })

    expect(page).toEqual({ code: 0, stdout: '', stderr: 'written: host.html\n' })
    expect(readFileSync(join(folder, 'host.html'), 'utf8')).toContain(`<h1>${host}</h1>`)
    expect(JSON.parse(both.stdout)).toMatchObject({ host: { hostKey: host }, lastRuns: [{ userAgent: expect.any(String) }] })
  })
})
