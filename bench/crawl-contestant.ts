// One contestant of bench/crawl.ts, alone in its process: crawls a site and prints what it cost, as one line of JSON.
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Undici from 'undici'
import { crawl, spider, type CrawlConfig, type Page } from 'avocet'
import { canonicalUrl } from '@avocet/core/store'
import { parseUrl } from '@avocet/core/plugin'
import { sqlite } from '@avocet/plugin-sqlite'
import type * as Scanner from '../packages/page/src/markup/scanner.ts'

const [kind = 'link-only', seed = ''] = process.argv.slice(2)
const IN_FLIGHT = 16
const folder = await mkdtemp(join(tmpdir(), 'avocet-bench-'))

/** What was found, to be compared between contestants. */
interface Found {
  pages: number
  links: number
}

/** A crawl of Avocet with SQLite on, and what the kind of contestant adds. */
async function avocet({ useDom, ...added }: { useDom: boolean } & Partial<CrawlConfig>): Promise<Found> {
  const found: Found = { pages: 0, links: 0 }
  const frontier = sqlite(join(folder, 'bench.db'))
  const handlers = {
    *start(page: Page) {
      if (!page.isHtml) return
      const links = useDom ? domLinks(page) : page.anchors.filter(({ element }) => element === 'a').map(({ url }) => url)
      found.pages++
      found.links += links.length
      yield { url: page.url.href, title: useDom ? page.$('title').text() : page.title, links }
      yield* page.links()
    },
  }
  const report = await crawl({
    policies: [],
    spider: spider({ name: 'bench', seeds: [seed], handlers }),
    frontier,
    ...added,
    concurrency: IN_FLIGHT,
    maxPerHost: IN_FLIGHT,
    delayMs: 0,
  }).run()
  await frontier.close()
  if (report.ended !== 'done') throw new Error(`the crawl ended as ${report.ended}: ${report.why}`)
  return found
}

async function run(): Promise<Found> {
  if (kind === 'bare') return bareLoop()
  if (kind === 'link-only') return avocet({ useDom: false })
  if (kind === 'cookies-and-sink') return avocet({ useDom: false, ...(await cookiesAndSink()) })
  return avocet({ useDom: true })
}

/** Loaded by the contestant that uses them only. */
async function cookiesAndSink(): Promise<Partial<CrawlConfig>> {
  const [{ cookies }, { jsonl }] = await Promise.all([import('@avocet/plugin-cookies'), import('@avocet/sink-files')])
  return { plugins: [cookies()], sinks: [jsonl(join(folder, 'items.jsonl'))] }
}

/** What a spider that trusts `$` alone would write: the targets of `<a>`, without those of image maps. */
function domLinks(page: Page): string[] {
  const hrefs = page
    .$('a[href]')
    .get()
    .map((element) => element.attribs['href'] ?? '')
  return hrefs.map((href) => parseUrl(href, page.baseUrl)).filter((url) => url !== undefined)
}

/** The same job without a framework: dispatch, decode, the same scanner, resolve, canonicalise, a Set, JSONL. */
async function bareLoop(): Promise<Found> {
  // By its file, as the fetcher does: the rest of undici would cost the bare loop memory and time that it does not need.
  const Pool = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof Undici.Pool
  // Not public; this script runs without types, and from another folder.
  const { scanHtml } = (await import(new URL('markup/scanner.js', import.meta.resolve('@avocet/page')).href)) as typeof Scanner
  const { origin } = new URL(seed)
  const pool = new Pool(origin, { connections: IN_FLIGHT, pipelining: 1, allowH2: false })
  const out = createWriteStream(join(folder, 'bare.jsonl'))
  const known = new Set<string>([canonicalUrl(seed)])
  const queue = [seed]
  const found: Found = { pages: 0, links: 0 }
  const decoder = new TextDecoder()
  let inFlight = 0
  // undici does not keep a process alive between the last byte of a body and its end.
  const alive = setInterval(() => {}, 60_000)
  await new Promise<void>((resolve) => {
    const visit = (url: string, body: Buffer): void => {
      const page = scanHtml(decoder.decode(body))
      const base = parseUrl(page.bases[0] ?? url, url)
      const links: string[] = []
      for (const { href, element } of page.anchors) {
        const link = parseUrl(href, base)
        if (link === undefined) continue
        if (element === 'a') links.push(link)
        const key = canonicalUrl(link)
        if (known.has(key) || !link.startsWith(`${origin}/`)) continue
        known.add(key)
        queue.push(link)
      }
      found.pages++
      found.links += links.length
      out.write(`${JSON.stringify({ url, title: page.title, links })}\n`)
    }
    const pump = (): void => {
      while (inFlight < IN_FLIGHT && queue.length > 0) ask(queue.shift() ?? '')
      if (inFlight === 0) resolve()
    }
    const ask = (url: string): void => {
      inFlight++
      const pieces: Buffer[] = []
      let isPage = false
      pool.dispatch(
        { path: url.slice(origin.length), method: 'GET', headers: { 'user-agent': 'bare' } },
        {
          onRequestStart() {},
          onResponseStart(_controller, status, headers) {
            isPage = status === 200 && String(headers['content-type']).startsWith('text/html')
          },
          onResponseData(_controller, piece) {
            pieces.push(piece)
          },
          onResponseEnd() {
            inFlight--
            if (isPage) visit(url, Buffer.concat(pieces))
            pump()
          },
          onResponseError(_controller, error) {
            throw error
          },
        },
      )
    }
    pump()
  })
  clearInterval(alive)
  await new Promise<void>((written) => {
    out.end(written)
  })
  await pool.close()
  return found
}

if (parseUrl(seed) === undefined) throw new Error(`expected a seed URL, got ${seed}`)
const found = await run()
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
await rm(folder, { recursive: true })
console.log(
  JSON.stringify({ ...found, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMb: maxRSS / 1024, wallMs: performance.now() }),
)
