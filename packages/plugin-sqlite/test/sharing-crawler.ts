// A process that crawls, with real sockets, hosts that have no end. Arguments: the store, its name (sent as User-Agent), ms to run, seeds.
import { crawl, link, spider } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'

const [path = '', name = '', forMs = '0', ...seeds] = process.argv.slice(2)

await crawl({
  policies: [],
  spider: spider({
    name: 'sharing',
    seeds,
    handlers: {
      *start({ url }) {
        const n = Number(url.pathname.slice(1))
        for (const next of n === 0 ? Array.from({ length: 30 }, (_, k) => k + 1) : [n + 30]) yield link(`${url.origin}/${next}`)
      },
    },
  }),
  frontier: sqlite(path, { synchronous: 'normal' }),
  userAgent: name,
  delayMs: 100,
  drainMs: 0,
  maxTimeMs: Number(forMs),
  allowPrivate: true,
}).run()
