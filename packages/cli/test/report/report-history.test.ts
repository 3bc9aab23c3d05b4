// What was done is told from the store, whatever the configuration says today: in the report, and in `avocet why`.
import { crawl, memoryFrontier, spider, type CrawlConfig } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { beforeEach, describe, expect, it } from 'vitest'
import { historiansOf, treatmentOf } from '../../../project/src/plan/policies.ts'
import { politenessSheet, sheetLines } from '../../src/treatment/politeness-sheet.ts'
import { storeLines } from '../../src/treatment/store-lines.ts'
import { storeReport, type StoreReport } from '../../src/treatment/store-report.ts'
import { answerOf } from '../../src/why/answer.ts'
import { whyLines } from '../../src/why/why.ts'

type Config = Pick<CrawlConfig, 'policies' | 'hosts' | 'userAgent'>

const WITH: Partial<Config> = { userAgent: 'careful/1 (+https://bot.example)', policies: polite() }
const WITHOUT: Partial<Config> = { policies: polite({ robots: false }) }
const IGNORED: Partial<Config> = { policies: polite({ robots: { ignore: true } }) }
const HOST_IGNORED: Partial<Config> = { policies: polite(), hosts: { 'shop.test': { ignoreRobots: true } } }

let run: (config: Partial<Config>) => Promise<void>
let frontier: Frontier
let now: number

beforeEach(() => {
  const robots = { body: 'User-agent: *\nDisallow: /x\nCrawl-delay: 2\n' }
  const model = siteModel({ seed: 'history', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 30 }, robots }] })
  const clock = new VirtualClock()
  frontier = memoryFrontier()
  now = 0
  run = async (config) => {
    const subject = crawl({
      spider: spider({ name: 'shops', seeds: model.seeds(), handlers: { *start() {} } }),
      frontier,
      clock,
      fetcher: simulatedWeb(model, { clock }),
      maxPages: 10,
      ...treatmentOf(config),
      ...config,
      policies: config.policies ?? [],
    })
    await clock.run(() => subject.run())
    now = clock.now()
  }
})

const reportFor = (config: Partial<Config>): Promise<StoreReport> =>
  storeReport(frontier.reader, 'shops.db', { explainersFor: historiansOf(config), now })

async function whyFor(config: Partial<Config>): Promise<string> {
  const [record] = await frontier.reader.hosts({ hostKey: 'shop.test' })
  if (record === undefined) throw new Error('no host')
  return whyLines(await answerOf({ reader: frontier.reader, config, record, now })).join('\n')
}

const hostText = (report: StoreReport): string =>
  report.hosts.flatMap((host) => sheetLines(politenessSheet(host, report))).join('\n')

describe('a crawl that obeyed robots.txt', () => {
  it.each([
    ['leaves the policy out', WITHOUT],
    ['ignores robots.txt', IGNORED],
    ['ignores that of the host', HOST_IGNORED],
    ['has the same policies', WITH],
  ])('is reported so by a configuration that %s', async (_title, config) => {
    await run(WITH)
    const report = await reportFor(config)

    expect(hostText(report)).toMatch(/robots\.txt +http:\/\/shop\.test: 1 rule for us, obeyed \(200\)/)
    expect(hostText(report)).toMatch(/Crawl-delay +asks for 2\.0 s: obeyed/)
    expect(hostText(report)).toContain('careful/1 (+https://bot.example); robots, rate (aimd)')
    expect(storeLines(report)).not.toContain('robots.txt')
    expect(report.crawlDelay).toEqual({ asked: 1, broken: [] })
  })

  it('is told apart by why from what the configuration would do now', async () => {
    await run(WITH)

    expect(await whyFor(WITHOUT)).toMatch(/in the last run +robots, rate \(aimd\), .*as careful\/1/)
    expect(await whyFor(WITHOUT)).toMatch(/configured now +rate \(aimd\), .*; off: robots/)
    expect(await whyFor(IGNORED)).toMatch(/configured now +robots \(ignored\), /)
    expect(await whyFor(IGNORED)).toMatch(/robots +http:\/\/shop\.test \(state rules/)
    expect(await whyFor(WITH)).not.toContain('configured now')
  })
})

describe('a crawl without robots.txt', () => {
  it.each([
    ['no policy', WITHOUT, /robots\.txt +not considered by 10 of 10 requests: no robots policy was used; last at 2026-/],
    ['a policy that ignores it', IGNORED, /robots\.txt +ignored, as configured then, by 10 of 10 requests; last at 2026-/],
    ['a host that is excepted', HOST_IGNORED, /robots\.txt +ignored, as configured then, by 10 of 10 requests; last at 2026-/],
  ])('is reported so by a configuration that obeys it: %s', async (_title, config, line) => {
    await run(config)
    const report = await reportFor(WITH)

    expect(hostText(report)).toMatch(line)
    expect(hostText(report)).not.toMatch(/kept to|not requested yet/)
    expect(await whyFor(WITH)).toMatch(/robots\.txt +not obeyed by 10 of 10 requests/)
  })
})

describe('runs of both kinds', () => {
  it('are counted apart, and each is named with its policies', async () => {
    await run(WITH)
    await run(WITHOUT)
    await run(WITH)
    const report = await reportFor(WITH)
    const text = hostText(report)

    expect(report.hosts[0]?.courtesy?.robots.treatment).toMatchObject({ obeyed: 20, ignored: 0, without: 10 })
    expect(text).toMatch(/not considered by 10 of 30 requests: no robots policy was used; last at 2026-/)
    expect(text).not.toContain('kept to')
    expect(text.match(/2026-.* UTC +careful\/1 .*; robots, /g)).toHaveLength(2)
    expect(text).toMatch(/2026-.* UTC .*; rate \(aimd\), .*off: robots/)
    expect(storeLines(report).join('\n')).toContain('robots.txt: NOT OBEYED at shop.test')
    expect(report.lastRuns.map(({ plugins }) => plugins.some(({ policy }) => policy === 'robots'))).toEqual([true, false, true])
  })

  it('show what a rate was limited to, in the run that it was', async () => {
    await run({ policies: polite({ rate: { maxRps: 3 } }) })

    expect(hostText(await reportFor(WITH))).toContain('rate (aimd, maxRps 3)')
  })
})
