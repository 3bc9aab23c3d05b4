// CPU per page against the floor: what the whole command takes, divided by what the smallest crawler takes for the same pages in the same round.
//
// Usage: npm run bench:floor -- [--rounds 5] [--tree DIR]... [--beside] [--json] [--hold]
// Without --tree: this checkout, as it is published. With it: those checkouts (built, with their own node_modules), side by side; nothing fails then. Compare
// them with each other: other work hits all alike, so medians of copies of one tree differ by less than 1 %, where one after the other they did by 2 to 3 %.
// The floor runs alone, so the more trees there are, the higher are their ratios to it.
// With --beside, Crawlee, Scrapy and wget2 do the same job in the same rounds (other-crawlers.ts); they take some two minutes of CPU a round.
// Fails when a ratio is above its ceiling in test/budgets.json by more than TOLERANCE. With --hold that is all: only the two worlds of the budget run, and no
// more rounds than decide where the medians are. Once three of five ratios are low enough, the median is, whatever the other two would be.
//
// Only CPU seconds are compared, never a wall clock, and only within a round: beside other work a second of CPU does up to two times less (caches,
// hyperthreads), for both alike. Of five rounds the median of the ratios counts. Measured beside seven busy programs on 2 cores: ratios of one round
// spread by 1.16 (standard deviation 5.7 % on large pages, 3.9 % on small ones; threads of the collector), so one median in fifty is above its usual value by
// more than 7 %. The smallest ratio, the ratio of the smallest costs and that of the medians spread as much or more; the sums do less, until something disturbs
// one round. A quiet machine takes about two minutes.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBudgets } from '../../scripts/budgets.ts'
import { publishedTree } from '../../scripts/published.ts'
import { firstLine } from '../first-line.ts'
import { toldOptions } from '../told-options.ts'
import { Beside } from './beside.ts'
import { partsOf, ratioOf, type HeldRuns, type Round, type WholeRuns } from './parts.ts'
import { runCommand, runFloor, type Cost, type Job } from './runs.ts'
import type { WorldName } from './worlds.ts'

const TOLERANCE = 1.12

/** What has a budget. */
const HELD = ['large', 'small'] as const
type Held = (typeof HELD)[number]

const { values } = toldOptions('bench:floor', {
  options: {
    rounds: { type: 'string', default: '5' },
    tree: { type: 'string', multiple: true },
    beside: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    hold: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`bench:floor: expected --rounds of 1 or more, got ${values.rounds}`)
  process.exit(2)
}

const trees = values.tree?.map((tree) => resolve(tree)) ?? [await publishedTree()]
const server = spawn(process.execPath, [fileURLToPath(new URL('site.ts', import.meta.url))], {
  stdio: ['pipe', 'pipe', 'inherit'],
})
const ports = JSON.parse(await firstLine(server.stdout)) as Record<WorldName, number>
const beside = values.beside ? new Beside() : undefined
const measured = new Map<string, Round[]>(trees.map((tree) => [tree, []]))
for (let round = 1; round <= rounds && !isDecided(); round++) await measure(round)
server.stdin.end()
report()

/** The floor once, then all trees at once. */
async function measure(round: number): Promise<void> {
  const floor = await runAll(`round ${round}: floor`, runFloor)
  const ofTree = async (tree: string): Promise<void> => {
    const command = await runAll(`round ${round}: ${tree}`, (job) => runCommand(tree, job))
    measured.get(tree)?.push({ floor, command })
  }
  await Promise.all(trees.map(ofTree))
  await beside?.measure(ports)
}

/** Whether more rounds cannot lift a median above what it may be. */
function isDecided(): boolean {
  if (!values.hold) return false
  return [...measured.values()].every((taken) =>
    HELD.every((world) => 2 * taken.filter((round) => ratioOf([round], world) <= mostOf(world)).length > rounds),
  )
}

async function runAll(name: string, run: (job: Job) => Promise<Cost>): Promise<HeldRuns | WholeRuns> {
  console.error(name)
  const crawl = (world: WorldName, items: boolean): Promise<Cost> => run({ world, items, port: ports[world] })
  const held = { large: await crawl('large', true), small: await crawl('small', true) }
  if (values.hold) return held
  return {
    ...held,
    one: await crawl('one', false),
    noItems: await crawl('large', false),
    fewLinks: await crawl('fewLinks', false),
  }
}

function report(): void {
  const results = trees.map((tree) => {
    const taken = measured.get(tree) ?? []
    return { tree, large: ratioOf(taken, 'large'), small: ratioOf(taken, 'small'), parts: partsOf(taken), rounds: taken }
  })
  if (values.json) console.log(JSON.stringify({ schema: 1, results }))
  for (const { tree, large, small, parts } of values.json ? [] : results) {
    console.log(`\n${tree}: CPU ${large} times the floor on large pages, ${small} times on small ones`)
    if (!values.hold) console.table(parts)
    if (!values.hold) console.log('start: a crawl of one page; page, link, item: the difference that one more makes')
    beside?.report(measured.get(tree) ?? [])
  }
  if (values.tree === undefined) for (const { large, small } of results) hold({ large, small })
}

/** Exit code 1 above the budget. */
function hold(ratios: Readonly<Record<Held, number>>): void {
  for (const world of HELD) {
    if (ratios[world] <= mostOf(world)) continue
    process.exitCode = 1
    console.error(
      `bench:floor: expected at most ${ceilingOf(world)} times the floor's CPU on ${world} pages (test/budgets.json), and ${mostOf(world).toFixed(2)} with what a good tree may spread, got ${ratios[world]}`,
    )
  }
}

function mostOf(world: Held): number {
  return ceilingOf(world) * TOLERANCE
}

function ceilingOf(world: Held): number {
  return readBudgets()[`CPU, times the floor, ${world} pages`]?.ceiling ?? 0
}
