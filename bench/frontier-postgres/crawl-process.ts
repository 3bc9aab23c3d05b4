// One crawl of the bench of distance: of a store on PostgreSQL, in a process of its own. Prints its pages and how long it took, as one line of JSON.
import { crawl, spider } from 'avocet'
import { postgresFrontier } from '@avocet/plugin-postgres'

const [url = '', port = '', hosts = '60', slots = '16'] = process.argv.slice(2)

const frontier = postgresFrontier(url)
const startedAt = performance.now()
const report = await crawl({
  policies: [],
  spider: spider({
    name: 'distance',
    seeds: Array.from({ length: Number(hosts) }, (_, n) => `http://127.0.1.${String(n + 1)}:${port}/0`),
    handlers: {
      *start(page) {
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
const wallMs = performance.now() - startedAt
await frontier.close()
console.log(JSON.stringify({ ended: report.ended, pages: report.run.pages, wallMs }))
