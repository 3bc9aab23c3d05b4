// The report: what was done, what each host felt, and whether its wishes were obeyed; as text, JSON and one HTML file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, memoryFrontier, spider, type CrawlConfig, type Plugin } from 'avocet'
import type { Admission } from '@avocet/core/plugin'
import type { FrontierReader } from '@avocet/core/store'
import { activePlugins } from 'avocet'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forgetful } from '../../../../test/control/forgetful.ts'
import { treatmentOf } from '../../../project/src/plan/policies.ts'
import { politenessSheet, sheetLines } from '../../src/treatment/politeness-sheet.ts'
import { storeLines } from '../../src/treatment/store-lines.ts'
import { storeReport, type StoreReport } from '../../src/treatment/store-report.ts'
import { columnsOf } from '../../../project/src/text/terminal.ts'
import { runCli } from '../run-cli.ts'
import { smallSite } from '../small-site.ts'

const HOSTS: readonly HostSpec[] = [
  { name: 'asks.test', pages: { kind: 'list', pages: 12 }, robots: { body: 'User-agent: *\nDisallow: /x\nCrawl-delay: 3\n' } },
  {
    name: 'refuses.test',
    pages: { kind: 'list', pages: 80 },
    capacity: { law: 'window', requests: 10, seconds: 30 },
    refusal: { status: 429, retryAfter: 'seconds' },
  },
  { name: 'slow.test', pages: { kind: 'list', pages: 5 }, latency: { law: 'fixed', ms: 9_000 } },
  { name: 'dead.test', pages: { kind: 'list', pages: 4 }, death: 'refuse' },
]

/** A store that a crawl of `hosts` left. */
async function storeOf(hosts: readonly HostSpec[], config: Partial<CrawlConfig> = {}): Promise<FrontierReader> {
  const model = siteModel({ seed: 'report', hosts })
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const plugins = config.plugins ?? activePlugins(treatmentOf({}))
  const subject = crawl({
    policies: [],
    spider: spider({ name: 'shops', seeds: model.seeds(), handlers: { *start() {} } }),
    frontier,
    clock,
    fetcher: simulatedWeb(model, { clock }),
    patienceMs: 86_400_000,
    ...config,
    plugins,
  })
  await clock.run(() => subject.run())
  return frontier.reader
}

async function reportOf(
  reader: FrontierReader,
  plugins: readonly Plugin[] = activePlugins(treatmentOf({})),
): Promise<StoreReport> {
  return storeReport(reader, 'shops.db', { explainersFor: () => ({ plugins }), now: Date.UTC(2026, 0, 1, 2) })
}

const hostOf = (report: StoreReport, hostKey: string): StoreReport['hosts'][number] => {
  const host = report.hosts.find((each) => each.hostKey === hostKey)
  if (host === undefined) throw new Error(`${hostKey} is not in the report`)
  return host
}

/** Reads robots.txt, so that it is known what was asked, and then goes on as it likes. */
function deaf({ admit, ...plugin }: Plugin): Plugin {
  const question = (ask: Admission): Admission => ({
    host: ask.host,
    now: ask.now,
    delayFrom: ask.delayFrom,
    nextUrl: ask.nextUrl,
    nextSession: undefined,
    probing: ask.probing,
    require: (url, take) => ask.require(url, take),
    notBefore() {},
    giveUp() {},
    atMost() {},
    paces() {},
  })
  return { ...plugin, admit: (ask, ...memory) => admit?.(question(ask), ...memory) }
}

describe('a report', () => {
  let report: StoreReport
  beforeAll(async () => {
    report = await reportOf(await storeOf(HOSTS))
  })

  it('says what a host asked for and that it was obeyed', () => {
    expect(hostOf(report, 'asks.test').courtesy).toMatchObject({
      mostInSecond: 1,
      robots: {
        treatment: { obeyed: 12, ignored: 0, without: 0 },
        copies: [{ origin: 'http://asks.test', state: 'rules', rules: 1 }],
      },
      crawlDelay: { askedMs: 3_000, requestRate: null, obeyed: true },
    })
    expect(hostOf(report, 'refuses.test').courtesy?.retryAfter).toMatchObject({ early: 0, obeyed: true })
    expect([report.crawlDelay, report.retryAfter]).toEqual([
      { asked: 1, broken: [] },
      { asked: 1, broken: [] },
    ])
  })

  it('says the same of a host to its owner', () => {
    const lines = sheetLines(politenessSheet(hostOf(report, 'asks.test'), report))

    for (const line of [
      '  most in any second    1 (13 in any minute)',
      '  smallest gap          3.0 s (from start to start)',
      '  robots.txt            http://asks.test: 1 rule for us, obeyed (200), fetched 2026-01-01 00:00:00 UTC',
      '  Crawl-delay           asks for 3.0 s: obeyed, the smallest gap since that was read is 3.0 s',
      '  Retry-After           never asked',
    ])
      expect(lines).toContain(line)
  })

  it('adds up: what hosts have is what the crawl has', () => {
    const sum = (field: 'requests' | 'refusals' | 'networkErrors'): number =>
      report.hosts.reduce((total, host) => total + host[field], 0)

    expect([report.requests, report.refusals, report.networkErrors]).toEqual([
      sum('requests'),
      sum('refusals'),
      sum('networkErrors'),
    ])
    expect(report.refusals).toBe(hostOf(report, 'refuses.test').refusals)
    expect(report.counts.done).toBe(97)
  })

  it('names what was given up, and why', () => {
    expect(hostOf(report, 'dead.test')).toMatchObject({ condition: 'unreachable', waiting: 4, lastAt: null })
    const lines = storeLines(report)
    expect(lines[lines.indexOf('hosts given up:') + 1]).toMatch(/^ {2}dead\.test: 4 left, /)
  })

  it('names the pages on probation', () => {
    const page = {
      url: 'https://a.test/p',
      why: 'http-404',
      status: 404,
      since: report.now - 7_200_000,
      visits: 3,
      nextAt: report.now + 60_000,
    }
    const lines = storeLines({ ...report, probation: { pages: 7, requests: [page] } })

    expect(lines).toContain('missing, 7 pages:')
    expect(lines).toContain('  https://a.test/p: http-404 for 2 h, 3 visits in a row; requested again in 1 min')
  })

  it('says that what is left waits at hosts that were given up, and when they are asked again', () => {
    expect(storeLines(report).join(' ').replace(/ +/g, ' ')).toMatch(/dead\.test: 4 left, .*; probed again by the next run/)
  })

  it('fits 100 columns, whatever hosts are called', () => {
    const hosts = report.hosts.map((host) => ({ ...host, hostKey: `${'long-'.repeat(12)}${host.hostKey}` }))
    const wide = storeLines({ ...report, hosts }).filter((line) => columnsOf(line) > 100)

    expect(wide).toEqual([])
  })

  it('says how densely hosts were requested, and which of their wishes were not obeyed', () => {
    const lines = storeLines(report)
    const ofPoliteness = lines.slice(lines.indexOf('politeness') + 1)

    expect(ofPoliteness[0]).toMatch(/^ {2}most requests in 1 s: \d+ to \S+\.test; in 60 s: \d+ to \S+\.test$/)
    expect(ofPoliteness.slice(1, 3)).toEqual([
      '  Crawl-delay, Request-rate: asked by 1 host, obeyed',
      '  Retry-After: asked by 1 host, obeyed',
    ])
    const ignored = report.hosts.map((host) => ({
      ...host,
      courtesy: host.courtesy && { ...host.courtesy, robots: { copies: [], treatment: { obeyed: 1, ignored: 2, without: 0 } } },
    }))
    expect(storeLines({ ...report, hosts: ignored }).join('\n')).toMatch(/robots\.txt: NOT OBEYED at \S+\.test/)
  })

  it('does not cut the contact, however long the line', () => {
    const lastRuns = report.lastRuns.map((run) => ({ ...run, userAgent: `bot/1 ${'x '.repeat(60)}(+https://bot.example)` }))

    expect(storeLines({ ...report, lastRuns }).join('\n')).toContain('(+https://bot.example)')
  })

  it('says what hosts are like', () => {
    expect(storeLines(report)).toContainEqual(expect.stringMatching(/^hosts: 2 broken layout, 1 unreachable, /))
  })
})

describe('a report on a crawl that was not polite', () => {
  it('says so, of Retry-After and of Crawl-delay', async () => {
    const stubborn: Plugin = {
      name: 'stubborn',
      policy: 'rate',
      onResponse: (answer) => {
        if (answer.response.status === 429) answer.retry(answer.now + 5_000, 'again')
      },
    }
    const careless = activePlugins(treatmentOf({}))
      .filter(({ name }) => name === 'robots' || name === 'journal')
      .map((plugin) => (plugin.name === 'robots' ? deaf(plugin) : plugin))
    const report = await reportOf(await storeOf(HOSTS.slice(0, 2), { plugins: [...careless, stubborn, forgetful] }))

    expect(report.crawlDelay).toEqual({ asked: 1, broken: ['asks.test'] })
    expect(report.retryAfter).toEqual({ asked: 1, broken: ['refuses.test'] })
    expect(storeLines(report)).toContain('  Crawl-delay, Request-rate: asked by 1 host, NOT OBEYED at asks.test')
    expect(sheetLines(politenessSheet(hostOf(report, 'refuses.test'), report)).join('\n')).toMatch(
      /NOT OBEYED, [\d,]+ requests came too early$/m,
    )
  })

  it('knows little of a crawl without a journal, and says that', async () => {
    const report = await reportOf(await storeOf(HOSTS.slice(2, 3), { plugins: [] }))

    expect(report.journalled).toBe(false)
    expect(storeLines(report)[0]).toMatch(/^shops: 5 pages, 0 items; /)
    expect(storeLines(report)[1]).toBe('  no details: it was crawled without the journal')
  })
})

describe('avocet report', () => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-report-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('tells of a crawl that is over: as text, of one host, as JSON, and as a file', async () => {
    const site = await smallSite(3, 0, 'User-agent: *\nCrawl-delay: 0.2\n')
    const host = new URL(site.url).host
    const crawled = await runCli(['crawl', site.url, '--store', 'small.db', '--max-rps', '10'], { folder })
    site.close()
    const run = (...words: readonly string[]) => runCli(['report', 'small.db', ...words], { folder })
    const [text, ofHost, json, html] = [
      await run(),
      await run('--host', host),
      await run('--json'),
      await run('--html', 'report.html'),
    ]

    expect(crawled.stderr).toContain('  avocet report ')
    expect(text.stdout).toMatch(/: 3 pages, 3 items in .*; finished\n/)
    expect(text.stdout).toContain('Crawl-delay, Request-rate: asked by 1 host, obeyed')
    expect(ofHost.stdout).toMatch(/Crawl-delay +asks for 200 ms: obeyed/)
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 1, requests: 4, hosts: [{ hostKey: host, done: 3, refusals: 0 }] })
    expect(json.stdout.trimEnd()).not.toContain('\n')
    expect(html).toEqual({ code: 0, stdout: '', stderr: 'written: report.html\n' })
    expect(readFileSync(join(folder, 'report.html'), 'utf8').includes('id="file"')).toBe(true)
  })

  it('finds the store by --config, as other commands do that read one', async () => {
    const site = await smallSite(1)
    const { host } = new URL(site.url)
    for (const name of ['day', 'night']) {
      const spider = `{ name: '${name}', seeds: ['${site.url}'], handlers: { *start() {} } }`
      writeFileSync(join(folder, `${name}.config.mjs`), `export default { spider: ${spider} }`)
      await runCli(['crawl', '--config', `${name}.config.mjs`], { folder })
    }
    site.close()

    const alone =
      'status,status --check,hosts,store verify,report,rejects,changes,scope list,failed list,pause,resume,store compact'
    for (const words of [...alone.split(',').map((each) => each.split(' ')), ['why', host], ['host', 'resume', host]]) {
      const given = await runCli([...words, '--config', 'night.config.mjs', '--json'], { folder })
      const named = await runCli([...words, '--store', 'night', '--json'], { folder })
      expect([words, given.code, Object.keys(JSON.parse(given.stdout) as object)]).toEqual([
        words,
        named.code,
        Object.keys(JSON.parse(named.stdout) as object),
      ])
    }
    const status = await runCli(['status', '--config', 'night.config.mjs'], { folder })
    expect(status.stdout).toContain(join(folder, '.avocet/night.db'))
    expect((await runCli(['status', '--config', 'nowhere.mjs'], { folder })).stderr).toContain('AVO_CONFIG_INVALID')
  })

  it.each([
    [['report', 'nowhere.db'], 7, /AVO_FRONTIER_MISSING/],
    [
      ['report', 'small.db', '--host', '127.0.0.1'],
      2,
      /report --host: expected a host that the store knows, .*did you mean '127\.0\.0\.1:\d+'\?\)/,
    ],
    [['report', 'small.db', '--html', 'no/such/folder.html'], 7, /report --html: expected to write no\/such\/folder\.html/],
    [['report', 'small.db', '--html', '-', '--json'], 2, /got both/],
    [['report', 'small.db', '--html', '-', '--json', '--host', 'a.example'], 2, /got both/],
    [
      ['report', 'small.db', '--html', 'x.html', '--host', 'a.example'],
      2,
      /--host: expected a host that the store knows, got 'a\.example'; .*it knows 127\.0\.0\.1:\d+ /,
    ],
    [['report', 'small.db', '--host', 'http://'], 3, /AVO_SEED_INVALID/],
    [['report', 'small.db', '--htlm', 'x'], 2, /did you mean '--html'/],
  ])('answers %j in one line', async (words, code, line) => {
    const ended = await runCli(words, { folder })

    expect(ended.code).toBe(code)
    expect(ended.stderr).toMatch(line)
    expect(ended.stderr.trimEnd()).not.toContain('\n')
  })
})
