// What a sitemap of 50,000 URLs costs: CPU and memory of reading it, plain and packed, and of a whole crawl that takes its URLs in, on virtual time.
//
// Usage: npm run bench:sitemaps -- [--urls 50000] [--rounds 5] [--json]
// Each round reads a fresh copy; the median CPU time counts. Memory is the most that the heap and buffers grew by, looked at in every turn of the event loop,
// the file itself not counted. It is measured twice: in a heap that is kept small, as `avocet crawl` keeps its own, and in one as V8 sizes it,
// where most of it is garbage. Exit code 1 if reading takes more than 300 ms of CPU or 30 MB in the small one.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { crawl, spider } from 'avocet'
import { readList, sitemaps } from '@avocet/plugin-sitemaps'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { toldOptions } from './told-options.ts'

const BAR_MS = 300
const BAR_MB = 30
const MB = 1e6

const { values } = toldOptions('bench:sitemaps', {
  options: {
    urls: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
})
const urls = Number(values.urls)
// As `avocet crawl` does; before anything else, for a heap that has grown does not shrink.
setFlagsFromString('--heap-growing-percent=200')
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

interface Cost {
  readonly cpuMs: number
  readonly grownMb: number
}

const plain = Buffer.from(sitemapOf(urls))
const packed = gzipSync(plain)
const costs = { plain: await median(plain), packed: await median(packed) }
for (const flag of ['--semi-space-growth-factor=2', '--heap-growing-percent=0']) setFlagsFromString(flag)
const asV8Likes = { plain: await median(plain), packed: await median(packed) }
const crawled = await crawlCost()
if (values.json) console.log(JSON.stringify({ urls, bytes: plain.length, asV8Likes, ...costs, crawl: crawled }))
else {
  console.log(`a sitemap of ${urls} URLs, ${(plain.length / MB).toFixed(1)} MB`)
  for (const [heap, each] of Object.entries({ 'in the heap of avocet crawl': costs, 'in the heap of V8': asV8Likes }))
    for (const [name, { cpuMs, grownMb }] of Object.entries(each))
      console.log(`  ${name}, ${heap}: ${cpuMs.toFixed(0)} ms CPU, ${grownMb.toFixed(1)} MB`)
  console.log(`  taken in by a crawl, in RAM, without a request for a page: ${crawled.cpuMs.toFixed(0)} ms CPU`)
}
if (Object.values(costs).some(({ cpuMs, grownMb }) => cpuMs > BAR_MS || grownMb > BAR_MB)) process.exitCode = 1

function sitemapOf(count: number): string {
  const entries = Array.from(
    { length: count },
    (_, n) =>
      `<url>\n  <loc>https://shop.test/products/category-${n % 97}/a-product-with-a-long-name-${n}?ref=${n}&amp;v=1</loc>\n  <lastmod>2026-0${(n % 9) + 1}-1${n % 9}T10:00:00+00:00</lastmod>\n  <changefreq>daily</changefreq>\n  <priority>0.${n % 10}</priority>\n</url>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>`
}

async function median(body: Uint8Array): Promise<Cost> {
  const rounds: Cost[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const { cpuMs } = await cost(body, false)
    rounds.push({ cpuMs, grownMb: (await cost(body, true)).grownMb })
  }
  const middle = (of: (one: Cost) => number): number =>
    rounds.map(of).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0
  return { cpuMs: middle(({ cpuMs }) => cpuMs), grownMb: middle(({ grownMb }) => grownMb) }
}

/** `looks`: at memory, which takes time. */
async function cost(body: Uint8Array, looks: boolean): Promise<Cost> {
  collect()
  let turns = 0
  const held = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = held()
  let most = before
  let isOver = false
  const look = (): void => {
    if (turns++ % 8 === 0) most = Math.max(most, held())
    if (!isOver) setImmediate(look)
  }
  if (looks) look()
  const cpu = process.cpuUsage()
  const read = await readList(body, { url: 'https://shop.test/sitemap.xml' })
  const { user, system } = process.cpuUsage(cpu)
  isOver = true
  if (read.urls.length !== Math.min(urls, 50_000)) throw new Error(`expected ${urls} URLs, got ${read.urls.length}`)
  return { cpuMs: (user + system) / 1_000, grownMb: (most - before) / MB }
}

/** A crawl of one page, with a sitemap that lists products, stopped before it requests any. */
async function crawlCost(): Promise<Pick<Cost, 'cpuMs'>> {
  const model = siteModel({
    seed: 'bench',
    hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: urls, listedBy: 'sitemap' } }],
  })
  const clock = new VirtualClock()
  const shop = spider({ name: 'bench', seeds: model.seeds(), handlers: { *start() {} } })
  const config = {
    spider: shop,
    policies: [],
    plugins: [sitemaps()],
    maxPages: 3,
    clock,
    fetcher: simulatedWeb(model, { clock }),
  }
  const run = crawl(config)
  const cpu = process.cpuUsage()
  const report = await clock.run(() => run.run())
  const { user, system } = process.cpuUsage(cpu)
  if (report.counts.known < urls) throw new Error(`expected ${urls} known URLs, got ${report.counts.known}`)
  return { cpuMs: (user + system) / 1_000 }
}
