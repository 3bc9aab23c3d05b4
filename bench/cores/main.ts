// What a second core brings: crawls sixty hosts of small pages on one SQLite file with one process and with two.
//
// Usage: npm run bench:cores [-- --rounds 3 --hosts 60 --pages 600 --slots 16 --json]
// Two controls say what is the machine's. Two floor programs (bench/floor/program.ts) with half of the hosts each, against one with all: what a page costs more
// because the other core is busy too, with caches, memory and power that they share; `machine` is that factor. Two processes apart, with a store and half of
// the hosts each: what they cost beyond that is of warming up twice, and of no store that is shared.
// What two processes cost and make is printed against one, and of what the machine gives: CPU by `machine`, pages a second by the most that the cores can have
// at the CPU of one process and of its site for a page, times `machine`.
// The pages are served by another process, on the same cores, which also says how many requests a host had in flight at once. Slots are shared: two processes
// have half each. Wall time is from the start of the first process to the end of the last, without their loading; CPU is that of the whole processes, so a
// short crawl pays their loading and warm-up twice; what pages cost after the first 3,000 of each is printed beside it. Other programs on the machine change
// all of it: run it on an idle one. Memory is the peak of each as the system counts it (RSS).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { median } from '../median.ts'
import { toldOptions } from '../told-options.ts'

/** What one process did. */
interface Figures {
  readonly wallMs: number
  readonly cpuSeconds: number
  readonly peakMb: number
  /** Of the pages after the first 3,000. Absent: there were no more, or it is the floor. */
  readonly later?: { readonly pages: number; readonly cpuSeconds: number }
}

/** How a crawl is done: by one process, by two on one store, by two on a store each; or by one or two floor programs. */
const WAYS = ['one', 'two', 'apart', 'floor', 'twoFloors'] as const
type Way = (typeof WAYS)[number]

/** What a crawl was, of one process or several. */
interface Crawled {
  readonly pagesPerSecond: number
  readonly cpuMsAPage: number
  /** Absent: no process had more than its first 3,000 pages, or it is the floor. */
  readonly laterMsAPage?: number
  readonly siteMsAPage: number
  readonly peakMb: number
}

const { values } = toldOptions('bench:cores', {
  options: {
    rounds: { type: 'string', default: '3' },
    hosts: { type: 'string', default: '60' },
    pages: { type: 'string', default: '600' },
    slots: { type: 'string', default: '16' },
    json: { type: 'boolean', default: false },
  },
})
const hosts = Number(values.hosts)
const slots = Number(values.slots)
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const FLOOR = here('../floor/program.ts')
const USAGE = `data:text/javascript,${encodeURIComponent(`process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const wallMs = performance.now()
  console.log(JSON.stringify({ wallMs, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMb: maxRSS / 1024 }))
})`)}`

const rounds: Readonly<Record<Way, Crawled>>[] = []
for (let round = 1; round <= Number(values.rounds); round++) {
  console.error(`round ${round}`)
  const crawls: [Way, Crawled][] = []
  for (const way of WAYS) crawls.push([way, await crawled(way)])
  rounds.push(Object.fromEntries(crawls) as Record<Way, Crawled>)
}
print()

async function crawled(way: Way): Promise<Crawled> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-cores-'))
  const server = spawn(process.execPath, [here('site.ts'), values.pages], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  try {
    const port = String((await said.next()).value)
    const all = await Promise.all(programsOf(way, port, folder).map((words) => oneProcess(words)))
    server.stdin.end()
    const { served, most, cpuSeconds } = JSON.parse(String((await said.next()).value)) as Served
    if (most > 1) throw new Error(`expected one request at a host at a time, got ${most}: two processes asked one host`)
    const pages = hosts * Number(values.pages)
    if (served !== pages) throw new Error(`expected ${pages} pages once each, got ${served}`)
    const later = all.flatMap((one) => one.later ?? [])
    return {
      pagesPerSecond: Math.round((1e3 * pages) / Math.max(...all.map(({ wallMs }) => wallMs))),
      cpuMsAPage: rounded((1e3 * sum(all.map((one) => one.cpuSeconds))) / pages),
      ...(later.length > 0 && {
        laterMsAPage: rounded((1e3 * sum(later.map((one) => one.cpuSeconds))) / sum(later.map((one) => one.pages))),
      }),
      siteMsAPage: rounded((1e3 * cpuSeconds) / pages),
      peakMb: Math.round(sum(all.map(({ peakMb }) => peakMb))),
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

/** The words of each process, with its part of the hosts, its store and its slots. */
function programsOf(way: Way, port: string, folder: string): readonly (readonly string[])[] {
  const half = Math.ceil(hosts / 2)
  const process = (store: string, from: number, to: number, of: number): readonly string[] => [
    here('process.ts'),
    ...[join(folder, store), port, from, to, Math.ceil(slots / of)].map(String),
  ]
  const floor = (from: number, to: number): readonly string[] => {
    const seeds = Array.from({ length: to - from }, (_, n) => `http://127.0.1.${from + n + 1}:${port}/0`)
    return ['--import', USAGE, FLOOR, seeds.join(' '), '1', join(folder, `${from}.jsonl`)]
  }
  const programs = {
    one: [process('store.db', 0, hosts, 1)],
    two: [process('store.db', 0, hosts, 2), process('store.db', 0, hosts, 2)],
    apart: [process('store.db', 0, half, 2), process('other.db', half, hosts, 2)],
    floor: [floor(0, hosts)],
    twoFloors: [floor(0, half), floor(half, hosts)],
  }
  return programs[way]
}

async function oneProcess(words: readonly string[]): Promise<Figures> {
  const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
  // A young generation as the command has it.
  const child = spawn(process.execPath, [...conditions, '--max-semi-space-size=8', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  let line = ''
  for await (const each of createInterface({ input: child.stdout })) line = each
  const [code] = (await exit) as [number]
  if (code !== 0) throw new Error(`a process of the crawl ended with ${code}`)
  return JSON.parse(line) as Figures
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

function rounded(value: number): number {
  return Number(value.toFixed(3))
}

/** Median over the rounds. */
function medianOf(pick: (round: Readonly<Record<Way, Crawled>>) => number): number {
  return rounded(median(rounds.map(pick)))
}

/** How many times a page costs more CPU, the site's included, where two floor programs run. */
function machine({ floor, twoFloors }: Readonly<Record<Way, Crawled>>): number {
  return (twoFloors.cpuMsAPage + twoFloors.siteMsAPage) / (floor.cpuMsAPage + floor.siteMsAPage)
}

/** The most pages a second that the cores can have with two processes as the machine is. */
function ceiling(round: Readonly<Record<Way, Crawled>>): number {
  return (1e3 * availableParallelism()) / (machine(round) * (round.one.cpuMsAPage + round.one.siteMsAPage))
}

function print(): void {
  const ratios = {
    machine: medianOf(machine),
    cpuAPage: medianOf(({ one, two }) => two.cpuMsAPage / one.cpuMsAPage),
    laterCpuAPage: medianOf(({ one, two }) => (two.laterMsAPage ?? Number.NaN) / (one.laterMsAPage ?? Number.NaN)),
    cpuOfMachine: medianOf((round) => round.two.cpuMsAPage / round.one.cpuMsAPage / machine(round)),
    cpuOfApart: medianOf(({ two, apart }) => two.cpuMsAPage / apart.cpuMsAPage),
    pages: medianOf(({ one, two }) => two.pagesPerSecond / one.pagesPerSecond),
    mostPages: medianOf((round) => ceiling(round) / round.one.pagesPerSecond),
    pagesOfMachine: medianOf((round) => round.two.pagesPerSecond / ceiling(round)),
    pagesOfApart: medianOf(({ two, apart }) => two.pagesPerSecond / apart.pagesPerSecond),
    memory: medianOf(({ one, two }) => two.peakMb / one.peakMb),
  }
  if (values.json) return console.log(JSON.stringify({ schema: 3, rounds, ratios }))
  for (const way of WAYS) console.table(rounds.map((round) => ({ '': way, ...round[way] })))
  printRatios(ratios)
}

function printRatios(of: Readonly<Record<string, number>>): void {
  const { machine = 0, cpuAPage, laterCpuAPage = Number.NaN, cpuOfMachine = 0, cpuOfApart } = of
  const { pages = 0, mostPages = 0, pagesOfMachine, pagesOfApart, memory = 0 } = of
  const aim = (text: string, isMet: boolean): string => `(aim: ${text}: ${isMet ? 'met' : 'MISSED'})`
  const later = Number.isNaN(laterCpuAPage) ? '' : `, ${laterCpuAPage} after the first 3,000 pages of each`
  console.log(`CPU a page: two floor programs take ${machine} times that of one, which is the machine's part`)
  console.log(`  two processes take ${cpuAPage} times that of one${later}, and ${cpuOfApart} times that of two apart`)
  console.log(`  without the machine's part ${cpuOfMachine} times that of one ${aim('at most 1.08', cpuOfMachine <= 1.08)}`)
  const pagesAim = mostPages < 1.6 ? '(aim: 1.6 on more cores)' : aim('at least 1.6', pages >= 1.6)
  console.log(`pages a second: ${pages} times those of one ${pagesAim}, ${pagesOfApart} times those of two apart`)
  console.log(`  these cores can make ${mostPages} times those of one at most: two make ${pagesOfMachine} of that`)
  console.log(`memory: ${memory} times that of one ${aim('at most 1.8', memory <= 1.8)}, without the process that starts them`)
}
