// Kills and failing system calls at every write: `npm run torture [-- --kills 2000] [--seed S] [--only "chain 17"] [--parallel 2] [--json]`.
//
// Crawls are killed, or their statements and files fail, once or for ever, at named points (points.ts); what they leave is looked at each time, and at the
// end each must be what a crawl is that nothing befell (chain.ts). Prints `N of N`, N being kills and faults; fails unless nothing was wrong after any.
import type { Outcome } from './chain.ts'
import { torture } from './torture.ts'
import { toldOptions } from '../told-options.ts'

const { values } = toldOptions('torture', {
  options: {
    kills: { type: 'string', default: '2000' },
    seed: { type: 'string', default: 'avocet' },
    only: { type: 'string', multiple: true },
    parallel: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
})
const { seed } = values
let said = 0
const startedAt = performance.now()
const { outcomes, missed, nameless } = await torture({
  hits: Number(values.kills),
  seed,
  parallel: Number(values.parallel),
  ...(values.only && { only: values.only }),
  told: tell,
})

const all = outcomes.flatMap(({ hits }) => hits)
const bad = outcomes.filter(isBad)
// What is wrong at the end is the fault of the last hit.
const wrong = bad.reduce((sum, { hits }) => sum + Math.max(1, hits.filter((hit) => hit.wrong.length > 0).length), 0)
const held = all.length - wrong
const seconds = (performance.now() - startedAt) / 1_000
if (values.json)
  console.log(JSON.stringify({ schema: 1, held, of: all.length, seconds, byDeed: byDeed(), missed, nameless, bad }, undefined, 2))
else {
  for (const [deed, times] of Object.entries(byDeed())) console.log(`${deed.padEnd(20)} ${String(times)}`)
  if (missed.length > 0) console.log(`never killed at: ${missed.join(', ')}`)
  if (nameless.length > 0) console.log(`writes that are not in points.ts: ${nameless.join(', ')}`)
  console.log(`${String(held)} of ${String(all.length)} (${String(outcomes.length)} crawls, ${seconds.toFixed(0)} s)`)
}
process.exitCode = bad.length + missed.length + nameless.length === 0 ? 0 : 1

function isBad({ hits, wrong: atTheEnd }: Outcome): boolean {
  return atTheEnd.length > 0 || hits.some((hit) => hit.wrong.length > 0)
}

function byDeed(): Record<string, number> {
  const times: Record<string, number> = {}
  for (const { deed, forEver } of all.flatMap(({ shots }) => shots)) {
    const name = forEver ? `${deed} for ever` : deed
    times[name] = (times[name] ?? 0) + 1
  }
  return times
}

function tell(outcome: Outcome, hits: number): void {
  if (isBad(outcome)) {
    const { chain } = outcome
    console.error(`WRONG ${chain.name} (${chain.work}): npm run torture -- --seed ${seed} --only "${chain.name}"`)
    for (const { shots, wrong: what } of outcome.hits) console.error(`  ${JSON.stringify(shots)} ${what.join('; ')}`)
    for (const what of outcome.wrong) console.error(`  at the end: ${what}`)
  }
  if (hits < said + 50) return
  said = hits
  console.error(`${String(hits)} hits, ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
}
