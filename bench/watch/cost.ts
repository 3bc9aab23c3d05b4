// What watching costs: CPU of a crawl whose items are watched, with plugin-health, against the same crawl without either, in alternating whole processes.
//
// Usage: npm run bench:watching -- [--rounds 5] [--json]
// Each page is seen for the first time, so that each item is new and recorded: what is dearest. Fails above MOST times.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { publishedTree } from '../../scripts/published.ts'
import { firstLine } from '../first-line.ts'
import { runCommand, type Cost } from '../floor/runs.ts'
import type { WorldName } from '../floor/worlds.ts'
import { median } from '../median.ts'
import { toldOptions } from '../told-options.ts'

const MOST = 1.15
const WORLDS = ['large', 'small'] as const satisfies readonly WorldName[]

const { values } = toldOptions('bench:watching', {
  options: { rounds: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } },
})

const tree = await publishedTree()
const site = fileURLToPath(new URL('../floor/site.ts', import.meta.url))
const server = spawn(process.execPath, [site], { stdio: ['pipe', 'pipe', 'inherit'] })
const ports = JSON.parse(await firstLine(server.stdout)) as Record<WorldName, number>
const rounds: Record<(typeof WORLDS)[number], { plain: Cost; watching: Cost }>[] = []
for (let round = 0; round < Number(values.rounds); round++)
  rounds.push({ large: await pair('large', round), small: await pair('small', round) })
server.stdin.end()

const told = WORLDS.map((world) => {
  const ratio = median(rounds.map(({ [world]: { plain, watching } }) => watching.cpuMs / plain.cpuMs))
  const of = (which: 'plain' | 'watching'): number => Math.round(median(rounds.map(({ [world]: each }) => each[which].cpuMs)))
  return { world, plainMs: of('plain'), watchingMs: of('watching'), times: Number(ratio.toFixed(3)), bar: MOST }
})
if (values.json) console.log(JSON.stringify(told))
else
  for (const { world, times, ...ms } of told)
    console.log(`${world}: ${times} times (bar ${MOST})${times > MOST ? ': MISSED' : ''}`, ms)
if (told.some(({ times }) => times > MOST)) process.exitCode = 1

/** One of each; in odd rounds the other first. */
async function pair(world: WorldName, round: number): Promise<{ plain: Cost; watching: Cost }> {
  const run = (isWatching: boolean): Promise<Cost> => runCommand(tree, { world, items: true, port: ports[world], isWatching })
  if (round % 2 === 0) return { plain: await run(false), watching: await run(true) }
  const watching = await run(true)
  return { plain: await run(false), watching }
}
