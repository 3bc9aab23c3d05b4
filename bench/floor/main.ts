// CPU per page against the floor: what the whole command takes, divided by what the smallest crawler takes for the same pages in the same round.
//
// Usage: npm run bench:floor -- [--rounds 5] [--tree DIR]... [--json]
// Without --tree: this checkout, as it is published. With it: those checkouts (built, with their own node_modules), interleaved in one run; nothing fails then.
// Fails when a ratio is above its ceiling in test/budgets.json by more than TOLERANCE.
//
// Only CPU seconds are compared, never a wall clock, and only within a round: beside other work a second of CPU does up to two times less (caches,
// hyperthreads), for both alike. Of five rounds the median of the ratios counts. Measured beside seven busy programs on 2 cores: ratios of one round
// spread by 1.16 (standard deviation 5.7 % on large pages, 3.9 % on small ones; threads of the collector), so one median in fifty is above its usual value by
// more than 7 %. The smallest ratio, the ratio of the smallest costs and that of the medians spread as much or more; the sums do less, until something disturbs
// one round. A quiet machine takes about two minutes.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readBudgets } from '../../scripts/budgets.ts'
import { publishedTree } from '../../scripts/published.ts'
import { toldOptions } from '../told-options.ts'
import { partsOf, ratioOf, type Round } from './parts.ts'
import { runCommand, runFloor, type Cost, type Job } from './runs.ts'
import type { WorldName } from './worlds.ts'

const TOLERANCE = 1.12

const { values } = toldOptions('bench:floor', {
  options: {
    rounds: { type: 'string', default: '5' },
    tree: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
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
const measured = new Map<string, Round[]>(trees.map((tree) => [tree, []]))
for (let round = 1; round <= rounds; round++) await measure(round)
server.stdin.end()
report()

/** The floor once, each tree once; in odd rounds the last tree first. */
async function measure(round: number): Promise<void> {
  const floor = await runAll(`round ${round}: floor`, runFloor)
  for (const tree of round % 2 === 0 ? trees : trees.toReversed()) {
    const command = await runAll(`round ${round}: ${tree}`, (job) => runCommand(tree, job))
    measured.get(tree)?.push({ floor, command })
  }
}

async function runAll(name: string, run: (job: Job) => Promise<Cost>): Promise<Round['floor']> {
  console.error(name)
  const crawl = (world: WorldName, items: boolean): Promise<Cost> => run({ world, items, port: ports[world] })
  return {
    one: await crawl('one', false),
    large: await crawl('large', true),
    noItems: await crawl('large', false),
    fewLinks: await crawl('fewLinks', false),
    small: await crawl('small', true),
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  return ''
}

function report(): void {
  const results = trees.map((tree) => {
    const taken = measured.get(tree) ?? []
    return { tree, large: ratioOf(taken, 'large'), small: ratioOf(taken, 'small'), parts: partsOf(taken), rounds: taken }
  })
  if (values.json) console.log(JSON.stringify({ schema: 1, results }))
  for (const { tree, large, small, parts } of values.json ? [] : results) {
    console.log(`\n${tree}: CPU ${large} times the floor on large pages, ${small} times on small ones`)
    console.table(parts)
  }
  if (values.tree === undefined) for (const { large, small } of results) hold({ large, small })
}

/** Exit code 1 above the budget. */
function hold(ratios: Readonly<Record<'large' | 'small', number>>): void {
  const budgets = readBudgets()
  for (const world of ['large', 'small'] as const) {
    const ceiling = budgets[`CPU, times the floor, ${world} pages`]?.ceiling ?? 0
    if (ratios[world] <= ceiling * TOLERANCE) continue
    process.exitCode = 1
    console.error(
      `bench:floor: expected at most ${ceiling} times the floor's CPU on ${world} pages (test/budgets.json), and ${(ceiling * TOLERANCE).toFixed(2)} with what a good tree may spread, got ${ratios[world]}`,
    )
  }
}
