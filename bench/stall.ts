// The 12-host test on real sockets: two hosts hang for ever, ten answer in 50 ms; what do the healthy ones get on 16 slots?
//
// Ideal: 500 pages of 50 ms on the 14 to 16 slots that hanging hosts leave free, about 1.8 s. Prints one line, or JSON with --json.
import { crawl, memoryFrontier, spider } from 'avocet'
import { twelveHosts } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import { toldOptions } from './told-options.ts'

const { values } = toldOptions('bench:stall', { options: { json: { type: 'boolean', default: false } } })

const BAR = { pages: 495, withinMs: 4_000 }

const web = await spawnRoughWeb(twelveHosts())
const startedAt = performance.now()
const doneAtMs: number[] = []
const run = crawl({
  policies: [],
  spider: spider({ name: 'stall', seeds: web.model.seeds(), handlers: { *start() {} } }),
  frontier: memoryFrontier(),
  concurrency: 16,
  maxPerHost: 8,
  delayMs: 0,
})
run.hooks.onSettled.tap('bench', ({ outcome }) => {
  if (outcome.kind === 'done') doneAtMs.push(performance.now() - startedAt)
  if (doneAtMs.length === 500) run.abort()
})
const deadline = setTimeout(() => run.abort(), 30_000)
const report = await run.run()
clearTimeout(deadline)
await web.close()

const within = doneAtMs.filter((ms) => ms <= BAR.withinMs).length
const allMs = Math.round(doneAtMs[499] ?? Infinity)
const passed = within >= BAR.pages
if (values.json)
  console.log(JSON.stringify({ schema: 1, within4s: within, of: 500, all500Ms: allMs, requests: report.run.requests, passed }))
else
  console.log(
    `${within} of 500 healthy pages within 4 s (bar: ${BAR.pages}); all 500 after ${allMs} ms; ${report.run.requests} requests sent`,
  )
process.exitCode = passed ? 0 : 1
