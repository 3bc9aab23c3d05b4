// One process of bench:cores: takes part in the crawl of a store, and prints what it did and cost, as one line of JSON.
import { existsSync, readFileSync } from 'node:fs'
import { crawl, spider } from 'avocet'
import { setFlagsFromString } from 'node:v8'
import { sqlite } from '@avocet/plugin-sqlite'

const [path = '', port = '', from = '0', to = '60', slots = '16'] = process.argv.slice(2)
/** By then the code that a page runs through is compiled: what the pages after them cost is said by itself. */
const WARM_PAGES = 3_000
let handled = 0
let warm: NodeJS.CpuUsage | undefined

setFlagsFromString('--semi-space-growth-factor=1')
const frontier = sqlite(path)
const startedAt = performance.now()
const report = await crawl({
  policies: [],
  spider: spider({
    name: 'cores',
    seeds: Array.from({ length: Number(to) - Number(from) }, (_, n) => `http://127.0.1.${Number(from) + n + 1}:${port}/0`),
    handlers: {
      *start(page) {
        if (++handled === WARM_PAGES) warm = process.cpuUsage()
        yield { title: page.title }
        yield* page.links()
      },
    },
  }),
  frontier,
  concurrency: Number(slots),
  maxPerHost: 1,
  delayMs: 0,
}).run()
await frontier.close()
/** Absent on systems other than Linux. */
const rollup = existsSync('/proc/self/smaps_rollup') ? readFileSync('/proc/self/smaps_rollup', 'latin1') : ''
const { user, system } = process.cpuUsage()
const later = warm === undefined ? undefined : process.cpuUsage(warm)
console.log(
  JSON.stringify({
    ended: report.ended,
    pages: report.run.pages,
    wallMs: performance.now() - startedAt,
    cpuSeconds: (user + system) / 1e6,
    ...(later && { later: { pages: report.run.pages - WARM_PAGES, cpuSeconds: (later.user + later.system) / 1e6 } }),
    peakMb: process.resourceUsage().maxRSS / 1024,
    shareMb: Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]) / 1024,
  }),
)
