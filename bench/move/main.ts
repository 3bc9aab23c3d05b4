// What it costs to move a crawl to a PostgreSQL server and back, and to look at it there, also while four processes crawl it.
//
// Usage: npm run bench:move [-- --urls N --hosts N --slots N --json]
// The crawl is made (records.ts); commands run as their users run them, as processes, and the server forces to its disk what it writes. A look's time is
// that of the whole command, and beside it how much longer that is than of a crawl of 20 pages in a file: medians, each asked in turn with its start. Every
// host has links that were not followed, as hosts of real crawls do: they are what looks have to add up. For what looks cost the crawl see while-crawling.ts.
// Six minutes in all at most, on an idle machine; others on it change all figures.
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MemoryParts } from '@avocet/core/store'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { startPostgres } from '@avocet/stress/postgres'
import { toldOptions } from '../told-options.ts'
import { AvocetCommand, medianOf } from './avocet-command.ts'
import { hostAt, hostNumbered, madeRows, urlAt, type MadeCrawl } from './rows.ts'
import { SlowSite } from './site.ts'
import { crawlWatched, type WatchedCrawl } from './while-crawling.ts'

const { values } = toldOptions('bench:move', {
  options: {
    urls: { type: 'string', default: '1000000' },
    hosts: { type: 'string', default: '10000' },
    slots: { type: 'string', default: '12' },
    json: { type: 'boolean', default: false },
  },
})
const [urls, hosts] = [Number(values.urls), Number(values.hosts)]
const LOOKS = 3
/** The store of the real crawl: what a command takes there is its start. */
const SMALL = 'real.db'

interface Row {
  readonly what: string
  readonly figure: number
  readonly unit: string
  readonly aim: string
}

let realHost = ''
const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'avocet-bench-'))
const command = new AvocetCommand(folder)
const server = await startPostgres({ fsync: true, settings: { autovacuum: 'on' } })
const site = await SlowSite.started()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
try {
  const rows = await measured()
  if (values.json) console.log(JSON.stringify(Object.fromEntries(rows.map(({ what, figure }) => [what, figure]))))
  else
    for (const { what, figure, unit, aim } of rows)
      console.log(`${what.padEnd(74)}${figure.toFixed(2).padStart(8)} ${unit.padEnd(8)} ${aim}`.trimEnd())
} finally {
  site.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measured(): Promise<Row[]> {
  const [here, there, back] = [join(folder, 'made.db'), `${server.url}?crawl=made`, join(folder, 'back.db')]
  const make = sqlite(here)
  const crawl = await crawlToMake()
  await make.open(crawl.spec, crawl.now)
  await make.restore(madeRows(crawl))
  await make.close()
  const size = `${(statSync(here).size / 2 ** 20).toFixed(0)} MB of SQLite`
  const moved = await command.took('move', here, there)
  const atRest = await looks(there, 'at rest')
  const place = { command, site, store: there, slots: Number(values.slots) }
  const watches = asked(there).flatMap(([, , words, isWatched]) => (isWatched ? [words] : []))
  const { watched, during } = await crawlWatched(place, watches, () => looks(there, 'while four crawl'))
  return [
    seconds(`move to PostgreSQL, ${urls.toLocaleString('en')} URLs, ${size}`, moved, '≤ 120'),
    ...atRest,
    ...during,
    ...costs(watched),
    seconds('move back', await command.took('move', there, back), '≤ 120'),
  ]
}

/** Looks at the crawl, as its user does who asks how far it is. */
async function looks(store: string, when: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, aim, words] of asked(store)) {
    const start = [...(words[0] === 'why' ? ['why', realHost, '--store'] : [words[0] ?? '']), SMALL]
    const { seconds: whole, above } = await command.longerThan(start, words, LOOKS)
    rows.push(seconds(`${what}, ${when}: above the start, of ${whole.toFixed(2)} s in all`, above, aim))
  }
  return rows
}

/** What is asked. Watched: again and again by somebody while the crawl goes on. */
function asked(store: string): readonly (readonly [what: string, aim: string, words: readonly string[], isWatched: boolean])[] {
  const last = urls - (urls % 100) - 3
  const place = { hosts, port: site.port }
  const why = (target: string): readonly string[] => ['why', target, '--store', store]
  return [
    ['status', '≤ 0.2', ['status', store], true],
    ['why of a host', '≤ 0.3', why(hostAt(last, place)), false],
    ['why of a host that was given up', '≤ 0.3', why(hostNumbered(7, site.port)), false],
    ['why of a URL that waits', '≤ 0.3', why(urlAt(last, place)), false],
    ['why of a URL that nobody knows', '≤ 0.3', why(`${urlAt(last, place)}-not`), true],
    ['report', '≤ 10', ['report', store], true],
    ['hosts', '', ['hosts', store], true],
  ]
}

function costs({ alone, watched }: WatchedCrawl): Row[] {
  const rows = (who: string, { pagesPerSecond, idle }: WatchedCrawl['alone']): Row[] => [
    { what: `four processes crawl, ${who}`, figure: pagesPerSecond, unit: 'pages/s', aim: '' },
    { what: '  of the processor idle', figure: idle * 100, unit: '%', aim: '' },
  ]
  return [
    ...rows('nobody watches', alone),
    ...watched.flatMap(({ people, looks: asks, ratios, ...pace }) => [
      ...rows(`${people === 1 ? 'one person watches' : `${String(people)} people watch`} (${String(asks)} looks)`, pace),
      {
        what: `  ratio (of each round: ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')})`,
        figure: medianOf(ratios),
        unit: '×',
        aim: '≥ 0.95',
      },
    ]),
  ]
}

function seconds(what: string, figure: number, aim: string): Row {
  return { what, figure, unit: 's', aim }
}

/** What a real crawl of a small site remembers is what the made one remembers of each host. */
async function crawlToMake(): Promise<MadeCrawl> {
  const small = await smallSite()
  const store = join(folder, SMALL)
  const seed = `http://127.0.0.1:${String((small.address() as AddressInfo).port)}/`
  await command.took('crawl', seed, '--store', store, '--rate', 'learned')
  small.close()
  const reader = await openReader(store)
  const [host] = await reader.hosts({ limit: 1 })
  realHost = host?.hostKey ?? ''
  const [crawlMemory = {}] = (await reader.info()).memories
  await reader.close()
  const spec = { name: 'made', hostKeying: 'host' }
  return { urls, hosts, port: site.port, spec, memory: refusing(host?.memory ?? {}), crawlMemory, now: Date.now() }
}

/** The small site links to nobody else. */
function refusing(memory: MemoryParts): MemoryParts {
  const [version, core] = JSON.parse(memory['core'] ?? '[1,{}]') as [number, object]
  const elsewhere = ['www.social.example', 'video.example', 'partner-17.example', 'shop.partner-17.example']
  const refused = [['not-http', '', 44], ...elsewhere.map((host, n) => ['off-host', host, 120 - 30 * n])]
  return { ...memory, core: JSON.stringify([version, { ...core, refused }]) }
}

async function smallSite(): Promise<Server> {
  const answering = createServer((request, response) => {
    const n = Number((request.url ?? '/').slice(1))
    if (!(n < 20)) return response.writeHead(404).end()
    const links = [2 * n + 1, 2 * n + 2].map((target) => `<a href="/${String(target)}">${String(target)}</a>`)
    return response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${String(n)}</title>${links.join('')}`)
  })
  await once(answering.listen(0, '127.0.0.1'), 'listening')
  return answering
}
