// The metrics of whole crawls on the simulator, against their reports: to the last digit, and never going back.
import { crawl, memoryFrontier, spider, type CrawlReport } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { roughForty, simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { CATALOGUE } from '../src/laws/catalogue.ts'
import { crawlFamilies } from '../src/laws/crawl-families.ts'
import { exposition } from '../src/laws/family.ts'
import type { MeasuredCrawl } from '../src/laws/counted.ts'
import { CrawlMetrics } from '../src/crawl-metrics.ts'
import { strictlyParsed, type ReadFamily } from './strict-parser.ts'

/** Thirty hosts that refuse more than two requests a second. */
const STRICT = siteModel({
  seed: 'strict',
  hosts: Array.from({ length: 30 }, (_, n) => ({
    name: `host-${n}.test`,
    pages: { kind: 'list' as const, pages: 60, textBytes: 200 },
    latency: { law: 'uniform' as const, minMs: 20, maxMs: 900 },
    capacity: { law: 'bucket' as const, perSecond: 2, burst: 2 },
    refusal: { status: n % 2 === 0 ? (429 as const) : (503 as const) },
  })),
})

type Scrape = ReadonlyMap<string, ReadFamily>

const SURROUNDINGS = {
  own: { cpuSeconds: 1, residentBytes: 2, startedAt: 3, openFds: 4, maxFds: 5 },
  version: '1.2.3',
  node: 'v24.0.0',
  reasons: [
    'dns-not-found',
    'dns-failed',
    'connect-timeout',
    'connect-refused',
    'first-byte-timeout',
    'idle-timeout',
    'total-timeout',
    'reset',
    'closed-early',
    'truncated',
    'too-slow',
    'body-too-large',
    'decode-ratio',
    'protocol',
    'headers-too-large',
  ],
}

function scraped(shown: MeasuredCrawl): Scrape {
  return strictlyParsed(exposition(crawlFamilies(shown, SURROUNDINGS)))
}

function valueOf(scrape: Scrape, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const fits = (of: Readonly<Record<string, string>>): boolean =>
    Object.entries(labels).every(([key, value]) => of[key] === value)
  return scrape.get(name)?.samples.find((sample) => fits(sample.labels))?.value
}

function sumOf(scrape: Scrape, name: string): number {
  return scrape.get(name)?.samples.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN
}

/** Of a crawl, with a scrape each second of its time. */
async function crawled(
  model = roughForty(),
  limits: { readonly maxPages?: number } = {},
): Promise<{ readonly scrapes: readonly Scrape[]; readonly report: CrawlReport }> {
  const clock = new VirtualClock()
  using metrics = new CrawlMetrics(clock)
  const run = crawl({
    policies: polite(),
    spider: spider({
      name: 'agreement',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          yield { url: page.url.href }
          yield* page.links()
        },
      },
    }),
    plugins: [{ name: 'picky', onItem: (item) => (JSON.stringify(item).includes('7') ? null : item) }],
    frontier: metrics.timed(memoryFrontier()),
    randomSeed: 'agreement',
    patienceMs: 60_000,
    ...limits,
    clock,
    fetcher: simulatedWeb(model, { clock }),
  })
  metrics.watch(run)
  const look = (): Scrape => scraped(metrics.shown(run.status()))
  const scrapes: Scrape[] = []
  const next = (): void => {
    if (run.status().phase === 'closed') return
    scrapes.push(look())
    clock.at(clock.now() + 1_000, next)
  }
  clock.at(clock.now() + 1_000, next)
  const report = await clock.run(() => run.run())
  scrapes.push(look())
  metrics.finish(report)
  scrapes.push(look())
  return { scrapes, report }
}

describe('the metrics of a crawl', () => {
  it.each([
    ['forty rough hosts', roughForty(), 'failures'],
    ['hosts that refuse what is too fast', STRICT, 'refusals'],
  ] as const)('are those of its report at its end, each of them: %s', async (_what, model, trouble) => {
    const { scrapes, report } = await crawled(model)
    const [last, finished] = scrapes.slice(-2)
    if (last === undefined || finished === undefined) throw new Error('expected scrapes')
    const { run, counts } = report

    expect(run.requests).toBeGreaterThan(500)
    for (const scrape of [last, finished]) {
      const of = (name: string, labels?: Readonly<Record<string, string>>): number | undefined => valueOf(scrape, name, labels)
      expect({
        pages: of('avocet_pages_total'),
        requests: of('avocet_requests_total'),
        failures: sumOf(scrape, 'avocet_failures_total'),
        items: of('avocet_items_total'),
        dropped: of('avocet_dropped_items_total'),
        spoiled: of('avocet_spoiled_pages_total'),
        handled: of('avocet_handled_pages_total'),
        lost: of('avocet_lost_pages_total'),
        missed: of('avocet_missed_visits_total'),
        rejects: of('avocet_rejected_items_total'),
        held: of('avocet_held_items_total'),
        changes: of('avocet_changes_total'),
        failed: of('avocet_given_up_requests_total'),
        retried: of('avocet_retries_total'),
        moved: of('avocet_redirects_total'),
        links: of('avocet_links_total'),
        added: of('avocet_new_links_total'),
        refusedLinks: of('avocet_refused_links_total'),
        wireBytes: of('avocet_received_bytes_total'),
        pluginErrors: of('avocet_plugin_errors_total'),
      }).toEqual(run)
      expect([of('avocet_known_requests'), of('avocet_waiting_requests'), of('avocet_stored_items')]).toEqual([
        counts.known,
        counts.waiting,
        counts.items,
      ])
      expect(of('avocet_settled_requests')).toBe(counts.done + counts.moved + counts.failed)
      expect([of('avocet_in_flight_requests'), of('avocet_slots', { state: 'used' })]).toEqual([0, 0])
      expect(of('avocet_crawl_phase', { phase: 'closed' })).toBe(1)
      const answers = sumOf(scrape, 'avocet_responses_total')
      expect(valueOf(scrape, 'avocet_response_duration_seconds', { le: '+Inf' })).toBe(answers)
      expect(answers).toBeLessThanOrEqual(run.requests)
    }
    expect(sumOf(finished, `avocet_${trouble}_total`)).toBeGreaterThan(20)
    expect(sumOf(finished, 'avocet_hosts')).toBe(counts.hosts)
    expect(valueOf(finished, 'avocet_hosts', { judgement: 'fine' })).toBe(report.conditions['fine'])
    if (trouble === 'failures') expect(report.retiredHosts.length).toBeGreaterThan(0)
  })

  it('never go back, also where a limit ends it with pages that the store has not answered for', async () => {
    const { scrapes, report } = await crawled(roughForty(), { maxPages: 200 })

    expect(scrapes.length).toBeGreaterThan(3)
    const back: string[] = []
    for (const [n, scrape] of scrapes.entries()) {
      for (const [name, { type, samples }] of scrape) {
        if (type !== 'counter' && type !== 'histogram') continue
        for (const sample of samples) {
          const before = scrapes[n - 1]
            ?.get(name)
            ?.samples.find(
              (other) => other.name === sample.name && JSON.stringify(other.labels) === JSON.stringify(sample.labels),
            )
          if (before !== undefined && before.value > sample.value) back.push(`${name} ${JSON.stringify(sample.labels)}`)
        }
      }
    }
    expect(back).toEqual([])
    expect(valueOf(scrapes.at(-1) ?? new Map(), 'avocet_pages_total')).toBe(report.run.pages)
  })

  it('has every metric of the catalogue, and no other', async () => {
    const { scrapes } = await crawled(roughForty(), { maxPages: 200 })

    const names = new Set(scrapes.flatMap((scrape) => [...scrape.keys()]))
    const absent = Object.keys(CATALOGUE).filter((name) => !names.has(name))
    // A simulated web has no connections, this crawl no sinks and no rounds, and virtual time no delay of the event loop that could be relied on.
    expect(absent.filter((name) => !/^avocet_(?:sink_|round_|connections|event_loop)/.test(name))).toEqual([])
    expect([...names].filter((name) => !(name in CATALOGUE))).toEqual([])
  })
})
