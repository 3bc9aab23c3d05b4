// A long crawl: whether page 600,000 costs what page 30,000 did, in CPU and in memory. `avocet crawl` as it is published, SQLite, an item in one of ten pages.
//
// Usage: npm run bench:long -- [--pages 600000] [--hosts 60] [--tree DIR]
//
// All pages are alike: up to 8 kB, 30 links, one of them to a URL that is new, ten to a navigation, the others to any page before it. A seed lists the first URLs,
// so as many wait from the start to the last hundredth. Prints a row for each twentieth: CPU of all threads, resident memory (mean), sizes of store and WAL.
//
// Other work on the machine makes a page up to twice as dear, so figures of minutes apart say little. When three twentieths are left, a second crawl of the same
// begins, and once it has its first twentieth both are compared while they run side by side: one in its last tenth, one in its second and third twentieth. Fails
// where the first takes over 1.03 times the CPU of the second for a page, or has in its last tenth over 1.15 times the memory of its second. Linux only (/proc).
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publishedTree } from '../scripts/published.ts'
import { toldOptions } from './told-options.ts'

const ROWS = 20
const SAMPLES_A_ROW = 10
const MAX_CPU = 1.03
const MAX_MEMORY = 1.15
/** Linux counts CPU in 1/100 s, and memory in pages of 4 KiB, on all that this runs on. */
const MS_A_TICK = 10
const MB_A_PAGE = 4 / 1024
const TEXT = `<p>${'Grown on southern slopes, dried in the shade and packed by hand. '.repeat(70)}</p></body></html>`
const SPIDER = `export default {
  name: 'long',
  seeds: [],
  handlers: {
    *start(page) {
      const sku = /class="sku">([^<]*)/.exec(page.body)?.[1]
      if (sku !== undefined) yield { url: page.url.href, title: page.title, sku }
      yield* page.links()
    },
  },
}
`

const { values } = toldOptions('bench:long', {
  options: {
    pages: { type: 'string', default: '600000' },
    hosts: { type: 'string', default: '60' },
    tree: { type: 'string' },
  },
})
const [pages, hosts] = [Number(values.pages), Number(values.hosts)]
const [perHost, aRow] = [pages / hosts, pages / ROWS]
if (!Number.isInteger(perHost) || perHost < ROWS || hosts > 50_000 || aRow % SAMPLES_A_ROW !== 0) {
  console.error(`bench:long: expected --pages in hundreds, 20 or more on each of --hosts, got ${values.pages} on ${values.hosts}`)
  process.exit(2)
}
const ahead = Math.ceil(perHost / 100)

/** What a crawl took so far, and for how many pages. */
interface Mark {
  readonly cpuMs: number
  readonly pages: number
}

/** A crawl in a process of its own, whose pages are served here. */
class LongCrawl {
  readonly folder = mkdtempSync(join(tmpdir(), 'avocet-long-'))
  #child: ChildProcess | undefined
  #served = 0

  /** Until it has ended: its exit code. `eachSample` hears how many pages it has asked for, ten times a row. */
  async run(tree: string, eachSample: (pages: number) => void): Promise<number | null> {
    const server = createServer((request, response) => {
      const body = page(Number(request.url?.slice('/p/'.length)))
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length }).end(body)
      if (++this.#served % (aRow / SAMPLES_A_ROW) === 0) eachSample(this.#served)
    })
    server.keepAliveTimeout = 60_000
    await once(server.listen(0), 'listening')
    const { port } = server.address() as AddressInfo
    const seed = (host: number): string => `http://127.0.${1 + Math.floor(host / 250)}.${1 + (host % 250)}:${port}/p/0\n`
    writeFileSync(join(this.folder, 'seeds.txt'), Array.from({ length: hosts }, (_, host) => seed(host)).join(''))
    writeFileSync(join(this.folder, 'spider.mjs'), SPIDER)
    symlinkSync(join(tree, 'node_modules'), join(this.folder, 'node_modules'))
    const pace = ['--delay', '0', '--rate', 'none', '--ignore-robots', '--max-per-host', hosts < 16 ? '16' : '1']
    const words = [
      'crawl',
      'spider.mjs',
      '--seeds',
      'seeds.txt',
      ...pace,
      '-O',
      'items.jsonl',
      '--store',
      'store.db',
      '--log-level',
      'error',
    ]
    this.#child = spawn(process.execPath, [join(tree, 'packages/cli/bin/avocet.js'), ...words], {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = (await once(this.#child, 'close')) as [number | null]
    server.close().closeAllConnections()
    return code
  }

  mark(): Mark {
    const words = (readFileSync(`/proc/${this.#child?.pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ')
    return { cpuMs: (Number(words[11]) + Number(words[12])) * MS_A_TICK, pages: this.#served }
  }

  rssMb(): number {
    return Number(readFileSync(`/proc/${this.#child?.pid}/statm`, 'utf8').split(' ')[1]) * MB_A_PAGE
  }

  sizeMb(file: string): number {
    return Math.round((statSync(join(this.folder, file), { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20)
  }

  items(): number {
    return readFileSync(join(this.folder, 'items.jsonl'), 'utf8').split('\n').length - 1
  }

  /** Ends it, if it has not, and leaves nothing. */
  async remove(): Promise<void> {
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** In ASCII. Which earlier page a link leads to is a hash of its place: the same in each run. */
function page(n: number): string {
  const linked = n === 0 ? Array.from({ length: ahead }, (_, i) => i + 1) : [n + ahead < perHost ? n + ahead : n]
  for (let i = 1; i < 30 && n > 0; i++) linked.push(i <= 10 ? i : (Math.imul(n * 32 + i, 0x9e_37_79_b1) >>> 0) % n)
  const links = linked.map((to) => `<li><a class="product" href="/p/${to}">Darjeeling of garden ${to}</a></li>\n`)
  const sku = n % 10 === 1 ? `<b class="sku">T-${n}</b>` : ''
  return `<!doctype html><html><head><title>Tea no. ${n}</title></head><body>${sku}<ul>\n${links.join('')}</ul>${TEXT}`
}

const [long, young] = [new LongCrawl(), new LongCrawl()]
const tree = values.tree === undefined ? await publishedTree('avocet-long') : resolve(values.tree)
const rss: number[] = []
/** Of the row that is going on, and of the time in which both crawl. */
let [row, both, bothYoung]: (Mark | undefined)[] = []
let ratio = Number.NaN
try {
  const code = await long.run(tree, sample)
  const items = hosts * Math.ceil((perHost - 1) / 10)
  if (code !== 0 || long.items() !== items)
    throw new Error(`expected exit code 0 and ${items} items, got ${code} and ${long.items()}`)
  const [second, last] = [meanOf(2), meanOf(ROWS - 2)]
  console.log(
    `its last tenth beside another's early pages: ${ratio.toFixed(3)} times the CPU; memory ${second} MB in its second, ${last} MB in its last tenth`,
  )
  if (!(ratio <= MAX_CPU) || last > MAX_MEMORY * second) process.exitCode = 1
} finally {
  await Promise.all([long.remove(), young.remove()])
}

function sample(served: number): void {
  rss.push(long.rssMb())
  if (served === pages && both && bothYoung) ratio = perPage(both, long.mark()) / perPage(bothYoung, young.mark())
  if (served === pages - 3 * aRow)
    void young.run(tree, (early) => {
      if (early !== aRow) return
      both = long.mark()
      bothYoung = young.mark()
    })
  if (served % aRow !== 0) return
  const mark = long.mark()
  const cost = perPage(row ?? { cpuMs: 0, pages: 0 }, mark).toFixed(3)
  row = mark
  console.log(
    `${served} pages: ${cost} ms a page, ${meanOf(served / aRow - 1, 1)} MB; store ${long.sizeMb('store.db')} MB, WAL ${long.sizeMb('store.db-wal')} MB`,
  )
}

function perPage(from: Mark, to: Mark): number {
  return (to.cpuMs - from.cpuMs) / (to.pages - from.pages)
}

/** Mean memory of so many rows, from this one on. */
function meanOf(first: number, rows = 2): number {
  const part = rss.slice(first * SAMPLES_A_ROW, (first + rows) * SAMPLES_A_ROW)
  return Math.round(part.reduce((sum, mb) => sum + mb, 0) / part.length)
}
