// Other crawlers as programs for the pages of bench:floor: Crawlee, Scrapy and wget2, each set to take the least CPU that it can for the job.
//
// None of them keeps what it found through a kill, as the command does here. Crawlee is installed when it is first asked for, in versions that are written here;
// the others are those of the machine (in Debian 12: Scrapy 2.8.0, wget2 1.99.1). Colly and httrack are not among them: Debian has no Colly, and its httrack takes
// one page a second.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A crawler beside ours. */
export interface OtherCrawler {
  readonly name: string
  /** What it does otherwise than the floor and the command. */
  readonly but: string
  readonly hasItems: boolean
  /** Of the folder in which it runs, by name. */
  readonly files: Readonly<Record<string, string>>
  /** Program and arguments, for at most so many requests in flight, and so many of one host. */
  command(seeds: readonly string[], inFlight: number, perHost: number): readonly string[]
}

const CRAWLEE = '3.18.1'
/** Where `node_modules` has Crawlee. */
export const CRAWLEE_HOME = fileURLToPath(new URL('../../node_modules/.cache/avocet-beside', import.meta.url))

const BY_EXPRESSIONS = `
  const text = String(body)
  const found = (pattern) => pattern.exec(text)?.[1]
  const links = Array.from(text.matchAll(/<a(?: class="[^"]*")?(?: rel="next")? href="([^"]*)"/g), ([, href]) => absolute(href))
  const [sku, title, price] = [/class="sku">([^<]*)/, /<title>([^<]*)/, /class="price">([^<]*)/].map(found)
  await addRequests(links)`
const BY_SELECTORS = `
  const followed = 'a:not([rel~=nofollow])'
  const links = $(followed).toArray().map((anchor) => absolute(anchor.attribs.href))
  const [sku, title, price] = ['.sku', 'title', '.price'].map((selector) => $(selector).first().text() || undefined)
  await enqueueLinks({ selector: followed, strategy: 'same-hostname' })`

/** Without what a user can switch off: files, sessions, and looks at the load before all is in flight that may be. */
function crawlee(kind: 'Http' | 'Cheerio', read: string): OtherCrawler {
  const program = `
import { createWriteStream } from 'node:fs'
import { ${kind}Crawler, Configuration, log } from '@crawlee/${kind.toLowerCase()}'
const [inFlight, ...seeds] = process.argv.slice(2)
const out = createWriteStream('items.jsonl')
log.setLevel(log.LEVELS.OFF)
const concurrency = { minConcurrency: Number(inFlight), maxConcurrency: Number(inFlight) }
async function requestHandler({ request, body, $, enqueueLinks, addRequests }) {
  const url = request.loadedUrl
  const absolute = (href) => new URL(href, url).href
  ${read}
  if (sku !== undefined) out.write(JSON.stringify({ url, title, sku, price: Number(price), links }) + '\\n')
}
const configuration = new Configuration({ persistStorage: false })
await new ${kind}Crawler({ ...concurrency, useSessionPool: false, requestHandler }, configuration).run(seeds)
out.end()
`
  const command = (seeds: readonly string[], inFlight: number): readonly string[] => [
    process.execPath,
    'crawl.mjs',
    String(inFlight),
    ...seeds,
  ]
  const name = `Crawlee ${CRAWLEE}, ${kind}Crawler`
  return { name, but: 'no limit of a host, no store', hasItems: true, files: { 'crawl.mjs': program }, command }
}

const SCRAPY = `
import scrapy
class Floor(scrapy.Spider):
    name = 'floor'
    def start_requests(self):
        return map(scrapy.Request, self.seeds.split())
    def parse(self, response):
        links = [response.urljoin(href) for href in response.css('a:not([rel~=nofollow])::attr(href)').getall()]
        title, sku, price = [response.css(field + '::text').get() for field in ['title', '.sku', '.price']]
        if sku is not None:
            yield {'url': response.url, 'title': title, 'sku': sku, 'price': float(price), 'links': links}
        yield from map(scrapy.Request, links)
`

function scrapy(version: string): OtherCrawler {
  return {
    name: `Scrapy ${version}`,
    but: 'no store',
    hasItems: true,
    files: { 'crawl.py': SCRAPY },
    command(seeds, inFlight, perHost) {
      const limits = { CONCURRENT_REQUESTS: inFlight, CONCURRENT_REQUESTS_PER_DOMAIN: perHost }
      const settings = { ...limits, COOKIES_ENABLED: 0, TELNETCONSOLE_ENABLED: 0, REQUEST_FINGERPRINTER_IMPLEMENTATION: '2.7' }
      const set = Object.entries(settings).flatMap(([key, value]) => ['-s', `${key}=${value}`])
      return [
        '/usr/bin/scrapy',
        'runspider',
        'crawl.py',
        '--nolog',
        '-a',
        `seeds=${seeds.join(' ')}`,
        ...set,
        '-O',
        'items.jsonl',
      ]
    },
  }
}

function wget2(version: string): OtherCrawler {
  return {
    name: `wget2 ${version}`,
    but: 'no items, but each page in a file; no limit of a host, no store; follows nofollow, and misreads links that are a query alone',
    hasItems: false,
    files: {},
    command: (seeds, inFlight) => ['wget2', '-q', '-r', '-l', 'inf', '--no-robots', `--max-threads=${inFlight}`, ...seeds],
  }
}

/** Those that are here, or could be installed; says of each other how to install it. */
export function otherCrawlers(): readonly OtherCrawler[] {
  const [scrapyIs, wget2Is] = [
    versionOf(['/usr/bin/scrapy', 'version'], 'python3-scrapy'),
    versionOf(['wget2', '--version'], 'wget2'),
  ]
  return [
    ...(hasCrawlee() ? [crawlee('Http', BY_EXPRESSIONS), crawlee('Cheerio', BY_SELECTORS)] : []),
    ...(scrapyIs === undefined ? [] : [scrapy(scrapyIs)]),
    ...(wget2Is === undefined ? [] : [wget2(wget2Is)]),
  ]
}

function hasCrawlee(): boolean {
  if (existsSync(join(CRAWLEE_HOME, 'node_modules/@crawlee/cheerio'))) return true
  const packages = ['http', 'cheerio'].map((name) => `@crawlee/${name}@${CRAWLEE}`)
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages]
  mkdirSync(CRAWLEE_HOME, { recursive: true })
  writeFileSync(join(CRAWLEE_HOME, 'package.json'), '{ "private": true }\n')
  console.error(`installing ${packages.join(' ')} into ${CRAWLEE_HOME}`)
  if (spawnSync('npm', words, { cwd: CRAWLEE_HOME, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0) return true
  console.error(`Crawlee is left out: npm ${words.join(' ')} failed in ${CRAWLEE_HOME}`)
  return false
}

function versionOf([program = '', word = '']: readonly string[], debianPackage: string): string | undefined {
  const version = /\d+(?:\.\d+)+/.exec(spawnSync(program, [word], { encoding: 'utf8' }).stdout ?? '')?.[0]
  if (version === undefined) console.error(`${program} is left out: it is not here; on Debian: apt-get install ${debianPackage}`)
  return version
}
