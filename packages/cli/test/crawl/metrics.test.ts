// `avocet crawl --metrics`: what is served while a crawl runs, in one process or in several, against its report; and addresses that cannot be.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { CrawlReport } from '@avocet/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { strictlyParsed, type ReadFamily } from '../../../metrics/test/strict-parser.ts'
import { crawlCommand } from '../../src/crawl/crawl.ts'
import { crawlOptionsOf } from '../../../project/src/options/crawl-options.ts'
import { placeIn, type Place } from '../../../project/src/place/place.ts'
import { plain } from '../../../project/src/text/terminal.ts'
import { judgedSite, judgedSpider, type JudgedSite } from '../processes/judged-site.ts'
import { runCli, spawnCli } from '../run-cli.ts'

type Scrape = ReadonlyMap<string, ReadFamily>

const HOSTS = 6
const PAGES = 20
/** `-a dies=PATH`: the process that handles this page is killed, the first time. */
const SPIDER = judgedSpider(HOSTS)
let folder: string
let site: JudgedSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-metrics-'))
  await writeFile(join(folder, 'spider.mjs'), SPIDER)
  await writeFile(join(folder, 'package.json'), '{}')
  site = await judgedSite(PAGES, 10)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true, force: true })
})

/** What became of a crawl that was scraped all the time, and once more before its report was taken. */
interface Scraped {
  readonly scrapes: readonly Scrape[]
  readonly last: Scrape
  readonly report: CrawlReport
  readonly stderr: string
}

/** Runs the command in this process, so that its end waits for a scrape. */
async function scraped(more: Readonly<Record<string, unknown>>): Promise<Scraped> {
  let [stdout, stderr] = ['', '']
  const scrapes: Scrape[] = []
  const url = Promise.withResolvers<string>()
  const scrape = async (): Promise<Scrape> => strictlyParsed(await (await fetch(await url.promise)).text())
  let last: Scrape = new Map()
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      stdout += chunk.toString()
      void scrape().then((found) => {
        last = found
        done()
      }, done)
    },
  })
  const said = new Writable({
    write(chunk: Buffer, _encoding, done) {
      stderr += chunk.toString()
      const [, found] = /^metrics: (http\S+)$/m.exec(stderr) ?? []
      if (found !== undefined) url.resolve(found)
      done()
    },
  })
  const typed = {
    targets: ['spider.mjs'],
    a: [`port=${site.port}`],
    metrics: '0',
    json: true,
    rate: 'none',
    delay: '0',
    'ignore-robots': true,
    ...more,
  }
  const place: Place = {
    ...placeIn(process, []),
    stdout: out as Place['stdout'],
    stderr: said as Place['stderr'],
    folder,
    paint: plain,
  }
  const command = crawlCommand(crawlOptionsOf(typed), place)
  let isOver = false
  const watching = (async () => {
    while (!isOver) scrapes.push(await scrape())
  })().catch(() => undefined)
  await command.finally(() => (isOver = true))
  await watching
  return { scrapes: [...scrapes, last], last, report: JSON.parse(stdout) as CrawlReport, stderr }
}

function valueOf(scrape: Scrape, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const fits = (of: Readonly<Record<string, string>>): boolean =>
    Object.entries(labels).every(([key, value]) => of[key] === value)
  return scrape.get(name)?.samples.find((sample) => fits(sample.labels))?.value
}

function sumOf(scrape: Scrape, name: string): number {
  return scrape.get(name)?.samples.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN
}

/** Counters that have gone back. */
function gone({ scrapes }: Scraped): readonly string[] {
  const before = new Map<string, number>()
  const back: string[] = []
  for (const scrape of scrapes)
    for (const { type, samples } of scrape.values())
      for (const { name, labels, value } of type === 'gauge' ? [] : samples) {
        const key = `${name} ${JSON.stringify(labels)}`
        if (value < (before.get(key) ?? 0)) back.push(`${key}: ${before.get(key)} to ${value}`)
        before.set(key, value)
      }
  return back
}

function expectAgreement({ last, report: { run, counts } }: Scraped): void {
  const of = (name: string): number | undefined => valueOf(last, name)
  expect({
    pages: of('avocet_pages_total'),
    requests: of('avocet_requests_total'),
    failures: sumOf(last, 'avocet_failures_total'),
    items: of('avocet_items_total'),
    retried: of('avocet_retries_total'),
    links: of('avocet_links_total'),
    added: of('avocet_new_links_total'),
    wireBytes: of('avocet_received_bytes_total'),
  }).toEqual({
    pages: run.pages,
    requests: run.requests,
    failures: run.failures,
    items: run.items,
    retried: run.retried,
    links: run.links,
    added: run.added,
    wireBytes: run.wireBytes,
  })
  expect([of('avocet_known_requests'), of('avocet_stored_items'), of('avocet_waiting_requests')]).toEqual([
    counts.known,
    counts.items,
    counts.waiting,
  ])
  expect(valueOf(last, 'avocet_responses_total', { status: '2xx' })).toBe(run.requests)
  expect(valueOf(last, 'avocet_response_duration_seconds', { le: '+Inf' })).toBe(run.requests)
}

/** At a port behind one that is free. */
async function serverAfterFreePort(tries = 20): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const before = createServer().listen((server.address() as AddressInfo).port - 1, '127.0.0.1')
  const isFree = await once(before, 'listening').then(
    () => true,
    () => false,
  )
  before.close()
  if (isFree || tries === 1) return server
  server.close()
  return serverAfterFreePort(tries - 1)
}

describe('the metrics of a crawl', { timeout: 60_000 }, () => {
  it('in one process are those of its report, and never go back', async () => {
    const run = await scraped({ O: ['items.jsonl'] })

    expect(run.report.run.pages).toBe(HOSTS * PAGES)
    expectAgreement(run)
    expect(gone(run)).toEqual([])
    const { last } = run
    expect(valueOf(last, 'avocet_sink_written_items', { sink: 'items.jsonl' })).toBe(HOSTS * PAGES)
    expect(valueOf(last, 'avocet_sink_behind_items')).toBe(0)
    expect(valueOf(last, 'avocet_store_commit_duration_seconds', { le: '+Inf' })).toBeGreaterThan(0)
    expect(run.stderr.match(/metrics:/g)).toHaveLength(1)
  })

  it('in two processes are served by each, at a port of its own', async () => {
    const { pages, stderr } = await inProcesses()

    expect(pages).toEqual([expect.stringContaining('avocet_build_info'), expect.stringContaining('avocet_build_info')])
    expect(stderr).not.toContain('died')
  })
})

/** Looks at both while the crawl runs. */
async function inProcesses(): Promise<{ readonly pages: readonly string[]; readonly stderr: string }> {
  const addresses: string[] = []
  const both = Promise.withResolvers<readonly string[]>()
  const look = async (): Promise<string> => (await fetch(addresses.pop() ?? '')).text()
  const words = ['-a', `port=${site.port}`, '--metrics', '0', '--processes', '2', '--delay', '100ms', '--ignore-robots']
  const { stderr } = await spawnCli(['crawl', 'spider.mjs', ...words], {
    folder,
    meanwhile(child) {
      child.stderr?.on('data', (chunk: Buffer) => {
        for (const [, address = ''] of chunk.toString().matchAll(/metrics: (http\S+)/g)) addresses.push(address)
        if (addresses.length === 2) both.resolve(Promise.all([look(), look()]))
      })
    },
  })
  return { pages: await both.promise, stderr }
}

describe('the address of metrics', () => {
  const crawl = ['crawl', 'spider.mjs', '--max-time', '5s']

  it.each(['x', '65536', '-1', '127.0.0.1', ':9464', 'http://localhost:9464', '[::1:9464', 'a b:1', '1.5'])(
    'is not %j',
    async (address) => {
      const { code, stderr } = await runCli([...crawl, `--metrics=${address}`], { folder })

      expect(code).toBe(2)
      expect(stderr).toBe(
        `avocet: --metrics: expected a port from 0 to 65535, or HOST:PORT, got '${address}'; use 9464, or 0.0.0.0:9464 for other machines (AVO_USAGE)\n`,
      )
    },
  )

  it('is not one that is taken: nothing is requested, and the exit code is 7', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo

    const { code, stderr } = await runCli([...crawl, '-a', `port=${site.port}`, '--metrics', String(port)], { folder })
    other.close()

    expect([code, site.asked]).toEqual([7, []])
    expect(stderr).toBe(
      `avocet: metrics: expected a port that is free, got ${port}, which is in use at 127.0.0.1; choose another, or 0 for any free one (AVO_LISTEN_ADDRESS)\n`,
    )
  })

  it('is not one that is taken for another process of the crawl', async () => {
    const other = await serverAfterFreePort()
    const { port } = other.address() as AddressInfo
    const words = ['-a', `port=${site.port}`, '--metrics', String(port - 1), '--processes', '2', '--delay', '1s']

    const { code, stderr } = await spawnCli([...crawl, ...words], { folder })
    other.close()

    expect(code, stderr).toBe(7)
    expect(stderr).toContain(`expected a port that is free, got ${port}`)
  })

  it('of the configuration is checked there, and one for other machines is said', async () => {
    await writeFile(join(folder, 'avocet.config.mjs'), "export default { metrics: 'nowhere' }")
    const wrong = await runCli([...crawl, '-a', `port=${site.port}`], { folder })
    expect([wrong.code, wrong.stderr]).toEqual([
      3,
      expect.stringContaining("expected metrics to be a port such as 9464, or 'HOST:PORT', got 'nowhere'"),
    ])

    await writeFile(join(folder, 'avocet.config.mjs'), "export default { metrics: '0.0.0.0:0' }")
    const open = await runCli([...crawl, '-a', `port=${site.port}`, '--max-pages', '1'], { folder })
    expect(open.stderr).toMatch(
      /^metrics: http:\/\/0\.0\.0\.0:\d+\/metrics\nmetrics: whoever reaches 0\.0\.0\.0 can read them; there is no password$/m,
    )
  })
})
