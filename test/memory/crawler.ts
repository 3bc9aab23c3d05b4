// A crawl in a process of its own, whose memory is measured: `hosts` pages on as many hosts, all of which are 127.0.0.1, until so many `exchanges` have
// ended. Tells its end as a message.
import { crawl, spider } from 'avocet'
import { systemClock } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'

const [port, hosts, exchanges] = process.argv.slice(2).map(Number) as [number, number, number]
const fetcher = undiciFetcher({
  clock: systemClock(),
  resolve: (_host, done) => done({ addresses: [{ address: '127.0.0.1', family: 4 }] }),
})
const lengths = spider({
  name: 'flood',
  seeds: Array.from({ length: hosts }, (_, n) => `http://host-${n}.test:${port}/`),
  handlers: {
    *start(page) {
      yield { length: page.body.length }
    },
  },
})
const run = crawl({
  policies: [],
  allowPrivate: true,
  spider: lengths,
  fetcher,
  concurrency: 2 * hosts,
  delayMs: 0,
  drainMs: 100,
  timeLimits: { idleMs: 2_000 },
})
let ended = 0
run.hooks.onTrace.tap({ name: 'limit', kinds: ['answered', 'failed', 'unsent'] }, () => {
  if (++ended === exchanges) run.stop()
})
const report = await run.run()
process.send?.({
  peakBytes: process.resourceUsage().maxRSS * 1_024,
  heldBytes: fetcher.bodyBudget?.heldBytes,
  requests: report.run.requests,
  pages: report.run.pages,
  failures: report.failures,
})
process.disconnect?.()
