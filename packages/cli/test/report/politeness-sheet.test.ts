// What the owner of a host is told.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier, spider } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { historiansOf, treatmentOf } from '../../../project/src/plan/policies.ts'
import { politenessSheet } from '../../src/treatment/politeness-sheet.ts'
import { storeReport, type StoreReport } from '../../src/treatment/store-report.ts'
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

describe('what a host is told', () => {
  it('is whether it was treated well, how to contact and to slow the crawler, and what became of what the host asked for', () => {
    const host = report.hosts[1]
    if (host === undefined) throw new Error('no host')
    const { title, facts, sentences, tables } = politenessSheet(host, report)
    const wishes = tables[0]?.rows.map(({ cells }) => cells) ?? []

    expect(title).toBe('refuses.test')
    expect(sentences).toEqual([
      expect.stringMatching(
        /^It got \d+ requests in .*, at most \d in any second; \d+ were refused \(429 or 503\)\. What the host asked for was obeyed\.$/,
      ),
      [
        'Requests were sent as ',
        { code: 'price-watch/1 (+https://example.org/bot; bot@example.org)' },
        '; contact: ',
        { text: 'https://example.org/bot', href: 'https://example.org/bot' },
        ', ',
        { text: 'bot@example.org', href: 'mailto:bot@example.org' },
        '.',
      ],
      expect.arrayContaining([{ code: 'User-agent: price-watch' }, { code: 'Crawl-delay: 10' }, { code: 'Disallow: /' }]),
    ])
    expect(wishes.map(([wish]) => wish)).toEqual(['robots.txt', 'Crawl-delay', 'Retry-After'])
    expect(wishes[2]?.[1]).toMatch(/^asked \d+ times?, the longest .*: obeyed, no request was sent before$/)
    expect(facts.map(({ name }) => name)).toEqual(expect.arrayContaining(['most in any second', 'smallest gap', 'refused']))
    expect(tables.map((table) => table.title)).toEqual([
      'What the host asked for',
      'Statuses and network errors',
      'Items',
      'Runs',
    ])
  })

  it('is little where it was never reached', () => {
    const [host] = report.hosts
    if (host === undefined) throw new Error('no host')
    const { subtitle, tables } = politenessSheet(host, report)

    expect(subtitle).toContain('unreachable: given up, never answered')
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
