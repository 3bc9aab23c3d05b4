// What the live view costs: CPU per frame of a crawl of 800 hosts in the middle of its work, and its share at four frames a second.
//
// Usage: node bench/view.ts [--frames 400] [--json]. The crawl runs on virtual time, with the five policies and an SQLite store, and stands
// still while frames are made: status, the table's choice of hosts, the questions about those that are shown, and the text in colour for 160
// columns. So nothing but the view is measured, and all of it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { crawl, spider, type CrawlConfig } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, VirtualClock, WORLDS } from '@avocet/simulator'
import { frame, roomFor } from '../packages/cli/src/view/frame.ts'
import { CrawlWatcher } from '../packages/cli/src/view/crawl-watcher.ts'
import type { Paint } from '../packages/project/src/text/terminal.ts'
import { toldOptions } from './told-options.ts'

/** One per cent of a processor at four frames a second. */
const BAR_US = 2_500
const FRAME_MS = 250
/** By then nearly all sites have been met, and few are done. */
const AT_MS = 8_000
const SIZE = { columns: 160, rows: 40 }
const WARM_UP = 200

const { values } = toldOptions('bench:view', {
  options: { frames: { type: 'string', default: '400' }, json: { type: 'boolean', default: false } },
})
const frames = Number(values.frames)
const model = WORLDS['eight-hundred']?.()
if (model === undefined) throw new Error('the simulator has no world eight-hundred')

const folder = await mkdtemp(join(tmpdir(), 'avocet-view-'))
const clock = new VirtualClock()
const frontier = sqlite(join(folder, 'view.db'), { synchronous: 'normal', clock })
const config: CrawlConfig = {
  spider: spider({ name: 'view', seeds: model.seeds(), handlers: { *start() {} } }),
  frontier,
  policies: polite(),
  concurrency: 1_000,
  randomSeed: 'view',
  clock,
  fetcher: simulatedWeb(model, { clock }),
}
const run = crawl({ policies: [], ...config })
let aheadMs = 0
const watcher = new CrawlWatcher({
  crawl: {
    hooks: run.hooks,
    explain: (hostKey) => run.explain(hostKey),
    status: () => ({ ...run.status(), now: run.status().now + aheadMs }),
  },
  config,
})
/** As with a terminal that shows colours. */
const paint: Paint = (tone, text) => styleText(tone === 'title' ? 'bold' : 'dim', text, { validateStream: false })

let result = { hosts: 0, microseconds: 0, lines: 0 }
clock.at(clock.now() + AT_MS, () => void measure())
try {
  await clock.run(() => run.run())
} finally {
  await frontier.close()
  await rm(folder, { recursive: true, force: true })
}
report()

async function measure(): Promise<void> {
  using _hold = clock.hold('bench')
  await draw(WARM_UP)
  const from = process.cpuUsage()
  const lines = await draw(frames)
  const { user, system } = process.cpuUsage(from)
  result = { hosts: run.status().liveHosts, microseconds: Math.round((user + system) / frames), lines }
  run.abort()
}

/** The turns of the event loop between frames are the view's: what it asked is answered in them. */
async function draw(count: number): Promise<number> {
  let lines = 0
  for (let n = 0; n < count; n++) {
    aheadMs += FRAME_MS
    lines = frame(watcher.look(roomFor(SIZE)), SIZE, paint).length
    await new Promise((resolve) => setImmediate(resolve))
  }
  return lines
}

function report(): void {
  const { hosts, microseconds, lines } = result
  const sharePercent = Number(((microseconds * (1_000 / FRAME_MS)) / 10_000).toFixed(2))
  const passed = hosts >= 600 && lines >= 12 && microseconds <= BAR_US
  if (values.json)
    console.log(JSON.stringify({ schema: 1, hosts, lines, microsecondsPerFrame: microseconds, sharePercent, passed }))
  else
    console.log(
      `${hosts} hosts in hand: ${microseconds} µs a frame of ${lines} lines (bar: ${BAR_US}), ${sharePercent} % of a processor at 4 a second`,
    )
  process.exitCode = passed ? 0 : 1
}
