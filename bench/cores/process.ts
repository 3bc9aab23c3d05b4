// One process of bench:cores: takes part in the crawl of a store, and prints what it did and cost, as one line of JSON.
import { crawl, spider } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'

const [path = '', port = '', from = '0', to = '60', slots = '16'] = process.argv.slice(2)
/** By then the code that a page runs through is compiled: what the pages after them cost is said by itself. */
const WARM_PAGES = 3_000
let handled = 0
let warm: NodeJS.CpuUsage | undefined

const frontier = sqlite(path)
const startedAt = performance.now()
const run = crawl({
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
})
const { ended, run: counts } = await run.run()
await frontier.close()
if (ended !== 'done') throw new Error(`expected a crawl to be done, got one that ended as ${ended}`)
const { user, system } = process.cpuUsage()
const later = warm && process.cpuUsage(warm)
console.log(
  JSON.stringify({
    wallMs: performance.now() - startedAt,
    cpuSeconds: (user + system) / 1e6,
    ...(later && { later: { pages: counts.pages - WARM_PAGES, cpuSeconds: (later.user + later.system) / 1e6 } }),
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
)
