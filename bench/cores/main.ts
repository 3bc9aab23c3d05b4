// What a second core brings: crawls sixty hosts of small pages on one SQLite file with one process, then with two, in pairs of one run.
//
// Usage: npm run bench:cores [-- --rounds 3 --hosts 60 --pages 600 --slots 16 --json --command]
// With --command it is the command that crawls, as `avocet crawl --processes 1` and `2`: what it costs with its supervisor (command.ts), and no pages a second.
// The pages are served by another process, which also says how many requests a host had in flight at once. Slots are shared: two processes have half each.
// Each process has a heap as `avocet crawl` has. Wall time is from the start of the first process to the end of the last, without their loading; CPU is that of
// the whole processes, so a short crawl pays their loading and warm-up twice. Other programs on the machine change both: run it on an idle one. Memory is the peak
// of each as the system counts it (RSS), and beside it the share of each page that processes have in common, such as Node itself (PSS at the end).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { toldOptions } from '../told-options.ts'
import { commandCost, type CommandCost } from './command.ts'

/** What one process did. */
interface Figures {
  readonly ended: string
  readonly pages: number
  readonly wallMs: number
  readonly cpuSeconds: number
  readonly peakMb: number
  readonly shareMb: number
}

/** What a crawl was, of one process or several. */
interface Crawled {
  readonly shares: readonly number[]
  readonly pages: number
  readonly pagesPerSecond: number
  readonly cpuMsAPage: number
  readonly peakMb: number
  readonly shareMb: number
  readonly mostInFlight: number
  readonly served: number
}

const { values } = toldOptions('bench:cores', {
  options: {
    rounds: { type: 'string', default: '3' },
    hosts: { type: 'string', default: '60' },
    pages: { type: 'string', default: '600' },
    slots: { type: 'string', default: '16' },
    json: { type: 'boolean', default: false },
    command: { type: 'boolean', default: false },
  },
})
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
if (values.command) {
  await compareCommands()
  process.exit()
}
const pairs: (readonly [Crawled, Crawled])[] = []
for (let round = 1; round <= Number(values.rounds); round++) {
  console.error(`round ${round}`)
  pairs.push([await crawled(1), await crawled(2)])
}
print()

async function crawled(processes: number): Promise<Crawled> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-cores-'))
  const server = spawn(process.execPath, [here('site.ts'), values.pages], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  try {
    const port = String((await said.next()).value)
    const slots = String(Math.ceil(Number(values.slots) / processes))
    const all = await Promise.all(
      Array.from({ length: processes }, () => oneProcess([join(folder, 'store.db'), port, values.hosts, slots])),
    )
    server.stdin.end()
    const { served, most } = JSON.parse(String((await said.next()).value)) as { served: number; most: number }
    if (most > 1) throw new Error(`expected one request at a host at a time, got ${most}: two processes asked one host`)
    const failed = all.find(({ ended }) => ended !== 'done')
    if (failed) throw new Error(`expected every crawl to be done, got one that ended as ${failed.ended}`)
    const pages = sum(all.map((one) => one.pages))
    const expected = Number(values.hosts) * Number(values.pages)
    if (pages !== expected || served !== expected)
      throw new Error(`expected ${expected} pages once each, got ${pages}, ${served} served`)
    return {
      shares: all.map((one) => rounded(one.pages / pages)),
      pages,
      pagesPerSecond: Math.round((1e3 * pages) / Math.max(...all.map(({ wallMs }) => wallMs))),
      cpuMsAPage: rounded((1e3 * sum(all.map(({ cpuSeconds }) => cpuSeconds))) / pages),
      peakMb: Math.round(sum(all.map(({ peakMb }) => peakMb))),
      shareMb: Math.round(sum(all.map(({ shareMb }) => shareMb))),
      mostInFlight: most,
      served,
    }
  } finally {
    server.stdin.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function oneProcess(given: readonly string[]): Promise<Figures> {
  const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
  const child = spawn(process.execPath, [...conditions, here('process.ts'), ...given], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  let line = ''
  for await (const each of createInterface({ input: child.stdout })) line = each
  const [code] = (await exit) as [number]
  if (code !== 0) throw new Error(`a process of the crawl ended with ${code}`)
  return JSON.parse(line) as Figures
}

/** What the command costs with one process, and with two. */
async function compareCommands(): Promise<void> {
  const rounds: (readonly [CommandCost, CommandCost])[] = []
  for (let round = 1; round <= Number(values.rounds); round++) rounds.push([await costOf(1), await costOf(2)])
  if (values.json) return console.log(JSON.stringify({ schema: 1, rounds }))
  for (const [one, two] of rounds) {
    const memory = sum(two.peakMb) / sum(one.peakMb)
    console.log(
      `one process ${one.peakMb.join(' + ')} MB, two below a supervisor ${two.peakMb.join(' + ')} MB: ${rounded(memory)} times (aim: at most 1.9), ${rounded(two.shareMb / one.shareMb)} times where what they have in common counts once; CPU ${rounded(two.cpuSeconds / one.cpuSeconds)} times`,
    )
  }
}

async function costOf(processes: number): Promise<CommandCost> {
  const server = spawn(process.execPath, [here('site.ts'), values.pages], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  try {
    const port = String((await said.next()).value)
    return await commandCost(processes, { port, hosts: values.hosts, slots: values.slots })
  } finally {
    server.stdin.end()
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

function rounded(value: number): number {
  return Number(value.toFixed(3))
}

/** Median, over the pairs, of what two processes had for what one had. */
function ratio(pick: (one: Crawled) => number): number {
  const ratios = pairs.map(([one, two]) => pick(two) / pick(one)).sort((a, b) => a - b)
  return rounded(ratios[ratios.length >> 1] ?? Number.NaN)
}

function print(): void {
  const ratios = {
    cpuAPage: ratio((one) => one.cpuMsAPage),
    pagesPerSecond: ratio((one) => one.pagesPerSecond),
    memory: ratio((one) => one.peakMb),
    sharedMemory: ratio((one) => one.shareMb),
  }
  if (values.json) return console.log(JSON.stringify({ schema: 1, pairs, ratios }))
  for (const [name, of] of [
    ['one process', pairs.map(([one]) => one)],
    ['two processes', pairs.map(([, two]) => two)],
  ] as const)
    console.table(of.map((each) => ({ '': name, ...each, shares: each.shares.join(' ') })))
  console.log(`two processes cost ${ratios.cpuAPage} times the CPU a page of one (aim: at most 1.1)`)
  console.log(
    `they make ${ratios.pagesPerSecond} times the pages a second (aim: at least 1.5 where the server shares two cores with them)`,
  )
  console.log(
    `they take ${ratios.memory} times the memory (aim: at most 1.9), ${ratios.sharedMemory} times where what they have in common counts once`,
  )
}
