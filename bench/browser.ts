// What rendered pages cost: pages a minute and CPU a page beside plain HTTP in the same run, and whether memory stays flat over 1,000 of them.
//
// The pages are on loopback, and build a list of 50 rows from JSON. Memory is that of this process (resident) and of all processes of its Chromium (the sum
// of their proportional shares, PSS, for they share most of their code). It is a saw: a context makes way for another after 50 pages. So what is compared are
// means: that of the last third of the pages with that of the second. Exit code 1 when it is more than 15 % larger.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { crawl, memoryFrontier, spider, type CrawlConfig } from 'avocet'
import { browser } from '@avocet/fetcher-browser'
import { toldOptions } from './told-options.ts'

const CHROMIUM = process.env['AVOCET_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
/** A look at memory after so many pages. */
const LOOK_EVERY = 10
const BAR = 1.15
/** Of kernels that Linux distributions ship. */
const TICKS_A_SECOND = 100

/** MB after so many pages. */
interface Look {
  readonly pages: number
  readonly own: number
  readonly chromium: number
}

/** What a run of some pages took. */
interface Cost {
  readonly pages: number
  readonly pagesAMinute: number
  readonly cpuMsAPage: number
  readonly looks: readonly Look[]
}

const { values } = toldOptions('bench:browser', {
  options: {
    pages: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
    serve: { type: 'boolean', default: false },
  },
})
if (values.serve) await serve()
else if (!existsSync(CHROMIUM)) console.log(`bench:browser: skipped, no browser at ${CHROMIUM}`)
else await main(Number(values.pages))

async function main(pages: number): Promise<void> {
  const server = spawn(process.execPath, [import.meta.filename, '--serve'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const origin = await firstLine(server)
  const plain = await crawled(origin, pages, {})
  const rendered = await crawled(origin, pages, { browser: browser({ rules: [{ waitFor: 'li' }], executablePath: CHROMIUM }) })
  server.stdin?.end()
  const own = ratioOf(rendered.looks.map((look) => look.own))
  const chromium = ratioOf(rendered.looks.map((look) => look.chromium))
  const isFlat = own <= BAR && chromium <= BAR
  if (values.json) console.log(JSON.stringify({ schema: 1, plain: { ...plain, looks: [] }, rendered, own, chromium, isFlat }))
  else tell({ plain, rendered, own, chromium })
  process.exitCode = isFlat && plain.pages === pages && rendered.pages === pages ? 0 : 1
}

function tell(of: { readonly plain: Cost; readonly rendered: Cost; readonly own: number; readonly chromium: number }): void {
  const { plain, rendered, own, chromium } = of
  const mb = (value: number): string => `${value.toFixed(0)} MB`.padStart(8)
  const step = Math.max(LOOK_EVERY, Math.round(rendered.pages / 10 / LOOK_EVERY) * LOOK_EVERY)
  for (const look of rendered.looks)
    if (look.pages % step === 0)
      console.log(`${String(look.pages).padStart(5)} pages  this process ${mb(look.own)}  Chromium ${mb(look.chromium)}`)
  console.log(`last third to second third: this process ${own.toFixed(2)}, Chromium ${chromium.toFixed(2)} (bar: ${BAR})`)
  for (const [name, { pages, pagesAMinute, cpuMsAPage }] of Object.entries({ plain, rendered }))
    console.log(`${name}: ${pages} pages, ${pagesAMinute.toFixed(0)} a minute, ${cpuMsAPage.toFixed(1)} ms of CPU a page`)
}

async function crawled(origin: string, pages: number, config: Pick<CrawlConfig, 'browser'>): Promise<Cost> {
  const seeds = Array.from({ length: pages }, (_, n) => `${origin}/p/${n}`)
  const made = crawl({
    ...config,
    policies: [],
    spider: spider({ name: 'rendered', seeds, handlers: { *start() {} } }),
    frontier: memoryFrontier(),
    maxPerHost: 4,
    delayMs: 0,
  })
  const looks: Look[] = []
  const cpu = new Map<number, number>()
  let done = 0
  made.hooks.onSettled.tap('bench', ({ outcome }) => {
    if (outcome.kind !== 'done' || ++done % LOOK_EVERY !== 0 || config.browser === undefined) return
    const chromium = chromiumProcesses()
    for (const { pid, cpuMs } of chromium) cpu.set(pid, cpuMs)
    looks.push({ pages: done, own: process.memoryUsage().rss / 1e6, chromium: sum(chromium.map(({ pss }) => pss)) })
  })
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await made.run()
  const { user, system } = process.cpuUsage(before)
  const cpuMs = (user + system) / 1_000 + sum([...cpu.values()])
  return { pages: done, pagesAMinute: (done / (performance.now() - startedAt)) * 60_000, cpuMsAPage: cpuMs / done, looks }
}

/** Those below this process. */
function chromiumProcesses(): readonly { readonly pid: number; readonly pss: number; readonly cpuMs: number }[] {
  const stats = new Map<number, readonly string[]>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    stats.set(
      Number(name),
      read(`/proc/${name}/stat`)
        .replace(/^.*\) /, '')
        .split(' '),
    )
  const isBelow = (pid: number): boolean => {
    const parent = Number(stats.get(pid)?.[1] ?? 0)
    return parent === process.pid || (parent > 1 && isBelow(parent))
  }
  return [...stats].flatMap(([pid, stat]) => {
    if (!isBelow(pid) || !read(`/proc/${pid}/cmdline`).includes('chrom')) return []
    const pss = Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1_000
    return [{ pid, pss, cpuMs: ((Number(stat[11]) + Number(stat[12])) * 1_000) / TICKS_A_SECOND }]
  })
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function ratioOf(seen: readonly number[]): number {
  const third = Math.floor(seen.length / 3)
  const mean = (part: readonly number[]): number => sum(part) / part.length
  return mean(seen.slice(-third)) / mean(seen.slice(third, 2 * third))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout !== null) for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the server ended before it was ready')
}

/** In a process of its own, until its input ends. */
async function serve(): Promise<void> {
  const script = `fetch('/api' + location.pathname).then((r) => r.json()).then((rows) => {
    document.querySelector('ul').innerHTML = rows.map((row) => '<li>' + row + '</li>').join('') })`
  const rows = JSON.stringify(Array.from({ length: 50 }, (_, n) => `Row ${n} of a list that a script builds`))
  const server = createServer(({ url = '/' }, response) => {
    const [type, body] = url.startsWith('/api/')
      ? ['application/json', rows]
      : ['text/html; charset=utf-8', `<!doctype html><title>${url}</title><ul></ul><script>${script}</script>`]
    response.writeHead(200, { 'content-type': type }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  process.stdin.resume().once('end', () => process.exit())
}
