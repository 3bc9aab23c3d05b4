// What a second core brings: crawls sixty hosts of small pages on one SQLite file with one process, with two, and with two that share nothing.
//
// Usage: npm run bench:cores [-- --rounds 3 --hosts 60 --pages 600 --slots 16 --json --command]
// With --command it is the command that crawls, as `avocet crawl --processes 1` and `2`: what it costs with its supervisor (command.ts), and no pages a second.
// The pages are served by another process, which also says how many requests a host had in flight at once, and the CPU that it took: the cores of the machine,
// by the CPU of a page on both sides, are the most pages a second that it can have. Slots are shared: two processes have half each.
// Two processes apart have a store and half of the hosts each, at the same time: what they cost more than one process does is of the machine and of warming up
// twice, and of no store that is shared. They are a control, and have no aim.
// Each process has a heap as `avocet crawl` has. Wall time is from the start of the first process to the end of the last, without their loading; CPU is that of
// the whole processes, so a short crawl pays their loading and warm-up twice; what pages cost after the first 3,000 of each is printed beside it. Other programs on the machine change both: run it on an idle one. Memory is the peak
// of each as the system counts it (RSS), and beside it the share of each page that processes have in common, such as Node itself (PSS at the end).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { median } from '../median.ts'
import { toldOptions } from '../told-options.ts'
import { commandCost, type CommandCost } from './command.ts'

/** What one process did. */
interface Figures {
  readonly ended: string
  readonly pages: number
  readonly wallMs: number
  readonly cpuSeconds: number
  /** Of the pages after the first 3,000. Absent: there were no more. */
  readonly later?: { readonly pages: number; readonly cpuSeconds: number }
  readonly peakMb: number
  readonly shareMb: number
}

/** How a crawl is done: by one process, by two on one store, or by two on a store each. */
type Way = 'one' | 'two' | 'apart'

/** What a crawl was, of one process or several. */
interface Crawled {
  readonly shares: readonly number[]
  readonly pages: number
  readonly pagesPerSecond: number
  readonly cpuMsAPage: number
  readonly laterMsAPage: number
  readonly siteMsAPage: number
  /** The most pages a second that the cores can have at that CPU. */
  readonly ceiling: number
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
const rounds: Readonly<Record<Way, Crawled>>[] = []
for (let round = 1; round <= Number(values.rounds); round++) {
  console.error(`round ${round}`)
  rounds.push({ one: await crawled('one'), two: await crawled('two'), apart: await crawled('apart') })
}
print()

async function crawled(way: Way): Promise<Crawled> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-cores-'))
  const server = spawn(process.execPath, [here('site.ts'), values.pages], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  try {
    const port = String((await said.next()).value)
    const all = await Promise.all(partsOf(way).map(({ store, ...part }) => oneProcess([join(folder, store), port, part])))
    server.stdin.end()
    const { served, most, ...site } = JSON.parse(String((await said.next()).value)) as Served
    if (most > 1) throw new Error(`expected one request at a host at a time, got ${most}: two processes asked one host`)
    const failed = all.find(({ ended }) => ended !== 'done')
    if (failed) throw new Error(`expected every crawl to be done, got one that ended as ${failed.ended}`)
    const pages = sum(all.map((one) => one.pages))
    const expected = Number(values.hosts) * Number(values.pages)
    if (pages !== expected || served !== expected)
      throw new Error(`expected ${expected} pages once each, got ${pages}, ${served} served`)
    const cpuMsAPage = (1e3 * sum(all.map(({ cpuSeconds }) => cpuSeconds))) / pages
    const siteMsAPage = (1e3 * site.cpuSeconds) / pages
    const later = all.flatMap((one) => one.later ?? [])
    return {
      shares: all.map((one) => rounded(one.pages / pages)),
      pages,
      pagesPerSecond: Math.round((1e3 * pages) / Math.max(...all.map(({ wallMs }) => wallMs))),
      cpuMsAPage: rounded(cpuMsAPage),
      laterMsAPage: rounded((1e3 * sum(later.map(({ cpuSeconds }) => cpuSeconds))) / sum(later.map((one) => one.pages))),
      siteMsAPage: rounded(siteMsAPage),
      ceiling: Math.round((1e3 * availableParallelism()) / (cpuMsAPage + siteMsAPage)),
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

/** What the site says at its end. */
interface Served {
  readonly served: number
  readonly most: number
  readonly cpuSeconds: number
}

/** The part of one process: the hosts from `from` on and before `to`. */
interface Part {
  readonly store: string
  readonly from: number
  readonly to: number
  readonly slots: number
}

function partsOf(way: Way): readonly Part[] {
  const hosts = Number(values.hosts)
  const slots = Number(values.slots)
  if (way === 'one') return [{ store: 'store.db', from: 0, to: hosts, slots }]
  const half = Math.ceil(hosts / 2)
  const part = { store: 'store.db', from: 0, to: hosts, slots: Math.ceil(slots / 2) }
  if (way === 'two') return [part, part]
  return [
    { ...part, to: half },
    { ...part, store: 'other.db', from: half },
  ]
}

async function oneProcess([store, port, { from, to, slots }]: readonly [string, string, Omit<Part, 'store'>]): Promise<Figures> {
  const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
  const given = [store, port, String(from), String(to), String(slots)]
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

/** Median, over the rounds, of what two processes had for what one had; or two apart. */
function ratio(pick: (crawl: Crawled) => number, way: Way = 'two'): number {
  return medianOf((round) => pick(round[way]) / pick(round.one))
}

function medianOf(pick: (round: Readonly<Record<Way, Crawled>>) => number): number {
  return rounded(median(rounds.map(pick)))
}

function print(): void {
  const ratios = {
    cpuAPage: ratio((crawl) => crawl.cpuMsAPage),
    laterCpuAPage: ratio((crawl) => crawl.laterMsAPage),
    cpuAPageApart: ratio((crawl) => crawl.cpuMsAPage, 'apart'),
    pagesPerSecond: ratio((crawl) => crawl.pagesPerSecond),
    mostPagesPerSecond: medianOf(({ one, two }) => two.ceiling / one.pagesPerSecond),
    ofCeiling: medianOf(({ two }) => two.pagesPerSecond / two.ceiling),
    memory: ratio((crawl) => crawl.peakMb),
    sharedMemory: ratio((crawl) => crawl.shareMb),
  }
  if (values.json) return console.log(JSON.stringify({ schema: 2, rounds, ratios }))
  for (const [name, way] of [
    ['one process', 'one'],
    ['two processes', 'two'],
    ['two apart', 'apart'],
  ] as const)
    console.table(rounds.map((round) => ({ '': name, ...round[way], shares: round[way].shares.join(' ') })))
  printRatios(ratios)
}

function printRatios(ratios: Readonly<Record<string, number>>): void {
  const cores = availableParallelism()
  console.log(`two processes cost ${ratios['cpuAPage']} times the CPU a page of one (aim: at most 1.1)`)
  const later = ratios['laterCpuAPage']
  if (Number.isFinite(later)) console.log(`after the first 3,000 pages of each process: ${later} times`)
  console.log(`two that share nothing cost ${ratios['cpuAPageApart']} times (a control, whole processes)`)
  console.log(
    `they make ${ratios['pagesPerSecond']} times the pages a second (aim: at least 1.5 where the server shares two cores with them)`,
  )
  console.log(
    `${cores} cores can make ${ratios['mostPagesPerSecond']} times at most, at the CPU that two processes and the site took for a page: ${ratios['ofCeiling']} of it was reached`,
  )
  console.log(
    `they take ${ratios['memory']} times the memory (aim: at most 1.9), ${ratios['sharedMemory']} times where what they have in common counts once`,
  )
}
