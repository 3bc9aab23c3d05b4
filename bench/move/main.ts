// What it costs to move a crawl to a PostgreSQL server and back, and to look at it there: `npm run bench:move [-- --urls N --hosts N --json]`.
//
// The crawl is made (records.ts); commands run as their users run them, as processes, and the server forces to its disk what it writes. A look's time is
// that of the whole command, and beside it how much longer that is than of a crawl of 20 pages in a file: medians of 5. A few minutes in all.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CANONICALISATION } from '@avocet/core/store'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { startPostgres } from '@avocet/testkit/postgres'
import { toldOptions } from '../told-options.ts'
import { hostAt, madeRecords, urlAt, type MadeCrawl } from './records.ts'

const { values } = toldOptions('bench:move', {
  options: {
    urls: { type: 'string', default: '1000000' },
    hosts: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
  },
})
const [urls, hosts] = [Number(values.urls), Number(values.hosts)]
const BIN = fileURLToPath(new URL('../../packages/cli/bin/avocet.js', import.meta.url))
const LOOKS = 5
/** The store of the real crawl: what a command takes there is its start. */
const SMALL = 'real.db'

interface Row {
  readonly what: string
  readonly seconds: number
  readonly aim: string
}

let realHost = ''
const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'avocet-bench-'))
const server = await startPostgres({ fsync: true })
try {
  const rows = await measured()
  if (values.json) console.log(JSON.stringify(Object.fromEntries(rows.map(({ what, seconds }) => [what, seconds]))))
  else for (const { what, seconds, aim } of rows) console.log(`${what.padEnd(58)}${seconds.toFixed(2).padStart(8)} s   ${aim}`)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measured(): Promise<Row[]> {
  const [here, there, back] = [join(folder, 'made.db'), `${server.url}?crawl=made`, join(folder, 'back.db')]
  const make = sqlite(here)
  const crawl = await crawlToMake()
  await make.open(crawl.spec, crawl.now)
  await make.load?.(madeRecords(crawl))
  await make.close()
  const size = `${(statSync(here).size / 2 ** 20).toFixed(0)} MB of SQLite`
  return [
    {
      what: `move to PostgreSQL, ${urls.toLocaleString('en')} URLs, ${size}`,
      seconds: await took('move', here, there),
      aim: '≤ 120',
    },
    ...(await looks(there)),
    { what: 'move back', seconds: await took('move', there, back), aim: '≤ 120' },
  ]
}

/** Looks at the crawl, as its user does who asks how far it is. */
async function looks(store: string): Promise<Row[]> {
  const last = urls - (urls % 100) - 3
  const asked: readonly (readonly [what: string, aim: string, command: string, ...words: string[]])[] = [
    ['status', '≤ 0.2', 'status'],
    ['why of a host', '≤ 0.3', 'why', hostAt(last, hosts)],
    ['why of a host that was given up', '≤ 0.3', 'why', 'www.host-000007.example'],
    ['why of a URL that waits', '≤ 0.3', 'why', urlAt(last, hosts)],
    ['why of a URL that nobody knows', '≤ 0.3', 'why', `${urlAt(last, hosts)}-not`],
    ['report', '≤ 10', 'report'],
    ['hosts', '', 'hosts'],
  ]
  const rows: Row[] = []
  for (const [what, aim, command, ...words] of asked) {
    const start = await medianOf(command, ...(command === 'why' ? [realHost, '--store'] : []), SMALL)
    const seconds = await medianOf(command, ...words, ...(command === 'why' ? ['--store', store] : [store]))
    rows.push(
      { what: `${what}, the whole command`, seconds, aim: '' },
      { what: '  above the start', seconds: seconds - start, aim },
    )
  }
  return rows
}

async function medianOf(...words: string[]): Promise<number> {
  const seconds: number[] = []
  for (let n = 0; n < LOOKS; n++) seconds.push(await took(...words))
  return seconds.toSorted((a, b) => a - b)[Math.floor(LOOKS / 2)] ?? NaN
}

/** Seconds that a command takes. Throws what it says where it fails. */
async function took(...words: string[]): Promise<number> {
  const start = performance.now()
  await promisify(execFile)(process.execPath, [BIN, ...words], { cwd: folder, maxBuffer: 2 ** 30 })
  return (performance.now() - start) / 1_000
}

/** What a real crawl of a small site remembers is what the made one remembers of each host. */
async function crawlToMake(): Promise<MadeCrawl> {
  const site = await smallSite()
  const store = join(folder, SMALL)
  await took('crawl', `http://127.0.0.1:${String((site.address() as AddressInfo).port)}/`, '--store', store, '--rate', 'learned')
  site.close()
  const reader = await openReader(store)
  const [host] = await reader.hosts({ limit: 1 })
  realHost = host?.hostKey ?? ''
  const [crawlMemory = {}] = await reader.crawlMemories()
  await reader.close()
  const spec = { name: 'made', canonicalisation: CANONICALISATION, hostKeying: 'host' }
  return { urls, hosts, spec, memory: host?.memory ?? {}, crawlMemory, now: Date.now() }
}

async function smallSite(): Promise<Server> {
  const server = createServer((request, response) => {
    const n = Number((request.url ?? '/').slice(1))
    if (!(n < 20)) return response.writeHead(404).end()
    const links = [2 * n + 1, 2 * n + 2].map((target) => `<a href="/${String(target)}">${String(target)}</a>`)
    return response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${String(n)}</title>${links.join('')}`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}
