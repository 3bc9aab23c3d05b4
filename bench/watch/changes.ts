// Published changes beside those that visits could see, over days on virtual time and over kills of the crawler:
// `npm run bench:changes -- --shops 800 [--products 20] [--days 7] [--kills 6] [--seed X] [--keep] [--json]`. Fails for any that is
// false, missed, doubled or late, and where one takes more than 5 seconds from its page to a sink.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toldOptions } from '../told-options.ts'
import { publishedBy, type Published } from './changes-watched.ts'
import { deliveredBy, type Delivered } from './delivered-log.ts'
import { liveAll } from './lives.ts'
import { countFaults, verdictsOn } from './verdicts.ts'
import { readVisits } from './visit-log.ts'
import { watchedWorld, type WorldNumbers } from './watched-world.ts'

const { values } = toldOptions('bench:changes', {
  options: {
    seed: { type: 'string', default: '1' },
    shops: { type: 'string', default: '40' },
    products: { type: 'string', default: '20' },
    days: { type: 'string', default: '7' },
    kills: { type: 'string', default: '6' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

/** From the answer of a page to a sink. */
const MOST_DELAY_MS = 5_000
/** Faults that are printed. */
const SHOWN = 20

const numbers: WorldNumbers = {
  ...{ seed: values.seed, shops: Number(values.shops), products: Number(values.products), days: Number(values.days) },
  ...{ broken: 0, hasWeather: true },
}
const folder = mkdtempSync(join(tmpdir(), 'avocet-watch-'))
const began = performance.now()
try {
  await liveAll(folder, numbers, { kills: Number(values.kills), isExamined: false })
  const world = watchedWorld(numbers)
  const visits = readVisits(join(folder, 'visits.tsv'))
  const published = await publishedBy(folder)
  const verdicts = [...verdictsOn({ world, visits, published }).values()]
  const faults = verdicts.flatMap((verdict) => verdict.faults)
  const delivered = deliveredBy(join(folder, 'delivered.tsv'), published, visits.deaths)
  const slowest = delivered.delaysMs.at(-1) ?? 0
  const figures = {
    ...{
      visits: visits.count,
      kills: visits.deaths.length,
      right: verdicts.reduce((sum, { right }) => sum + right, 0),
      ...countFaults(faults),
    },
    ...{
      ...byKind(published),
      ...atSink(delivered),
      seconds: Math.round((performance.now() - began) / 1_000),
    },
  }
  if (values.json) console.log(JSON.stringify({ schema: 1, ...numbers, ...figures, faults: faults.slice(0, SHOWN) }))
  else {
    for (const [name, figure] of Object.entries(figures)) console.log(`${name.padEnd(24)} ${String(figure).padStart(9)}`)
    for (const fault of faults.slice(0, SHOWN)) console.log(JSON.stringify(fault))
  }
  process.exitCode = faults.length + delivered.lost + delivered.strange === 0 && slowest <= MOST_DELAY_MS ? 0 : 1
} finally {
  if (values.keep) console.error(folder)
  else rmSync(folder, { recursive: true, force: true })
}

function atSink({ lost, strange, again, delaysMs }: Delivered): Record<string, number> {
  const share = (part: number): number => delaysMs[Math.min(delaysMs.length - 1, Math.floor(part * delaysMs.length))] ?? 0
  const delays = { 'to the sink, median ms': share(0.5), '  99 of 100, ms': share(0.99), '  slowest, ms': share(1) }
  return { ...delays, 'lost to the sink': lost, 'strange to the store': strange, 'again after a kill': again }
}

function byKind(published: Published): Record<string, number> {
  const all = [...published.values()].flat()
  return Object.fromEntries(
    ['new', 'changed', 'gone', 'back'].map((kind) => [`  ${kind}`, all.filter((change) => change.kind === kind).length]),
  )
}
