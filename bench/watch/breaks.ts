// Breaks of shops, of seven kinds, and what is noticed of them: `npm run bench:breaks -- --breaks 700 --shops 800 [--days 7] [--seed X] [--keep] [--json]`.
//
// Shops that never break are beside them, with true changes of all sizes, outages and noise. Fails where fewer than 95 of 100 breaks are noticed within two
// rounds, for more than one alarm in 800 weeks of a healthy shop, for any wrong item that was published, and for any true change that was lost or came late.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BREAK_KINDS, type Shop, type Shops } from '@avocet/stress/shops'
import { toldOptions } from '../told-options.ts'
import { publishedBy } from './changes-watched.ts'
import type { Fault, Verdict } from './judge.ts'
import { liveAll } from './lives.ts'
import { noticed, RECOVERED_MS, type Notice } from './notice.ts'
import { readSuspects, type SuspectSpan } from './suspects-log.ts'
import { verdictsOn } from './verdicts.ts'
import { brokenMoments, readVisits, type LoggedVisits } from './visit-log.ts'
import { watchedWorld, type WorldNumbers } from './watched-world.ts'
import { readWrongItems } from './wrong-items.ts'

const { values } = toldOptions('bench:breaks', {
  options: {
    seed: { type: 'string', default: '1' },
    breaks: { type: 'string', default: '35' },
    shops: { type: 'string', default: '15' },
    products: { type: 'string', default: '20' },
    days: { type: 'string', default: '4' },
    kills: { type: 'string', default: '0' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

/** Lines of a sort that are printed. */
const SHOWN = 12
const LEAST_NOTICED = 0.95
const MOST_ALARMS = 1 / 800

/** What became of one shop. */
interface Outcome {
  readonly shop: Shop
  readonly notice: Notice
  readonly faults: readonly Fault[]
  readonly right: number
  readonly wrongItems: number
  readonly suspect: readonly SuspectSpan[]
}

const broken = Number(values.breaks)
const numbers: WorldNumbers = {
  ...{ seed: values.seed, shops: broken + Number(values.shops), products: Number(values.products), days: Number(values.days) },
  ...{ broken, hasWeather: true },
}
const folder = mkdtempSync(join(tmpdir(), 'avocet-watch-'))
const began = performance.now()
try {
  await liveAll(folder, numbers, { kills: Number(values.kills), isExamined: true })
  const world = watchedWorld(numbers)
  const visits = readVisits(join(folder, 'visits.tsv'))
  const verdicts = verdictsOn({ world, visits, published: await publishedBy(folder), mayHold })
  print(outcomesOf(world, visits, verdicts), visits.count)
} finally {
  if (values.keep) console.error(folder)
  else rmSync(folder, { recursive: true, force: true })
}

function outcomesOf({ shops }: Shops, visits: LoggedVisits, verdicts: ReadonlyMap<string, Verdict>): readonly Outcome[] {
  const suspects = readSuspects(join(folder, 'suspects.tsv'))
  const wrong = readWrongItems(join(folder, 'wrong-items.tsv'))
  return [...shops].map(([host, shop]) => {
    const { faults, right } = verdicts.get(host) ?? { faults: [], right: 0 }
    const suspect = suspects.get(host) ?? []
    const notice = noticed(brokenMoments(shop, visits), suspect, shop.broken)
    return { shop, notice, faults, right, wrongItems: wrong.get(host)?.length ?? 0, suspect }
  })
}

/** In a break, and until pages have borne out that it is over. */
function mayHold({ broken: is }: Shop, at: number): boolean {
  return is !== undefined && at >= is.fromMs && at < is.untilMs + RECOVERED_MS
}

function print(outcomes: readonly Outcome[], count: number): void {
  const inTrouble = outcomes.filter(({ notice }) => notice.seenAt !== undefined)
  const healthy = outcomes.filter(({ shop }) => shop.broken === undefined)
  const kinds = BREAK_KINDS.map((kind) => ({ kind, of: inTrouble.filter(({ shop }) => shop.broken?.kind === kind) }))
  const sum = (of: readonly Outcome[], figure: (outcome: Outcome) => number): number =>
    of.reduce((all, one) => all + figure(one), 0)
  const inTime = (of: readonly Outcome[]): number => of.filter(({ notice }) => notice.isInTime).length
  const faultsOf = (of: readonly Outcome[], ...faults: readonly Fault['fault'][]): number =>
    sum(of, (one) => one.faults.filter(({ fault }) => faults.includes(fault)).length)
  const figures = {
    ...{ visits: count, breaks: inTrouble.length, noticed: inTime(inTrouble) },
    ...{
      'false alarms, healthy': sum(healthy, ({ notice }) => notice.alarms.length),
      '  at so many shops': healthy.filter(({ notice }) => notice.alarms.length > 0).length,
      '  of healthy ones': healthy.length,
    },
    'false alarms beside breaks': sum(inTrouble, ({ notice }) => notice.alarms.length),
    ...{ 'wrong items': sum(outcomes, (one) => one.wrongItems), 'wrong changes': faultsOf(outcomes, 'false', 'doubled') },
    ...{ 'right changes': sum(outcomes, (one) => one.right), 'lost or late, healthy': faultsOf(healthy, 'missed', 'late') },
    ...{
      'lost or late, broken': faultsOf(inTrouble, 'missed', 'late'),
      seconds: Math.round((performance.now() - began) / 1_000),
    },
  }
  if (values.json) console.log(JSON.stringify({ schema: 1, ...numbers, ...figures }))
  else {
    for (const { kind, of } of kinds)
      console.log(
        `${kind.padEnd(16)} noticed ${String(inTime(of))} of ${String(of.length)}, wrong items ${String(sum(of, (one) => one.wrongItems))}, wrong changes ${String(faultsOf(of, 'false', 'doubled'))}`,
      )
    for (const [name, figure] of Object.entries(figures)) console.log(`${name.padEnd(28)} ${String(figure).padStart(9)}`)
    printCases(inTrouble, healthy)
  }
  const weeks = (healthy.length * numbers.days) / 7
  const isGood =
    inTime(inTrouble) >= LEAST_NOTICED * inTrouble.length &&
    figures['false alarms, healthy'] <= Math.max(1, Math.floor(MOST_ALARMS * weeks)) &&
    figures['wrong items'] + figures['wrong changes'] + figures['lost or late, healthy'] + figures['lost or late, broken'] === 0
  process.exitCode = isGood ? 0 : 1
}

function printCases(inTrouble: readonly Outcome[], healthy: readonly Outcome[]): void {
  const unnoticed = inTrouble.filter(({ notice }) => !notice.isInTime)
  for (const { shop, notice } of unnoticed.slice(0, SHOWN))
    console.log(
      `not noticed: ${shop.host}, ${shop.broken?.kind ?? ''} (${shop.broken?.way.name ?? ''}), ${shop.traits.kind} in ${shop.traits.layout}${notice.afterMs === undefined ? '' : `, after ${(notice.afterMs / 3_600_000).toFixed(1)} h`}`,
    )
  for (const { shop, suspect } of healthy.filter(({ notice }) => notice.alarms.length > 0).slice(0, SHOWN))
    console.log(`false alarm: ${shop.host}: ${suspect[0]?.why ?? ''}`)
  const faults = [...healthy, ...inTrouble].flatMap(({ shop, faults: all }) => all.map((each) => ({ shop, ...each })))
  const wrongFirst = faults.toSorted((a, b) => Number(isWrong(b)) - Number(isWrong(a)))
  for (const { shop, ...fault } of wrongFirst.slice(0, SHOWN))
    console.log(`${shop.broken?.kind ?? 'healthy'} (${shop.broken?.way.name ?? ''}): ${JSON.stringify(fault)}`)
}

function isWrong({ fault }: Fault): boolean {
  return fault === 'false' || fault === 'doubled'
}
