// The measurements behind `npm run bench:frontier`: one process runs one of them and sends its figures.
import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Frontier, NewRequest, CommitUnit } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { range } from './frontier-urls.ts'

/** Names of the measurements. */
export type Task = keyof typeof TASKS

/** Figures by name. */
export type Figures = Record<string, number>

const MILLION = 1_000_000
const BATCH = 10_000
const LINKS_A_PAGE = 93
const GROUP = 64
const SPEC = { name: 'bench', hostKeying: 'host' }
const ANCHOR = 'Read more about this'

const [task = '', folder = ''] = process.argv.slice(2)
const path = join(folder, 'million.db')

const TASKS = {
  grow,
  kill,
  resume,
  known,
  turns,
  disk,
  prepareSmall: () => prepare(1_000),
  prepareLarge: () => prepare(100_000),
  small: () => resident(1_000, 'Small'),
  large: () => resident(100_000, 'Large'),
}

if (Object.hasOwn(TASKS, task)) process.send?.(await TASKS[task as Task]())

/** New URLs in batches, up to a million. */
async function grow(): Promise<Figures> {
  const frontier = await open(path)
  const spent: number[] = []
  let longestAddMs = 0
  for (let from = 0; from < MILLION; from += BATCH) {
    const batch = range(from, BATCH)
    const start = performance.now()
    spent.push(await cpuOf(() => frontier.add(batch)))
    longestAddMs = Math.max(longestAddMs, performance.now() - start)
  }
  await frontier.close()
  const last = spent.slice(-10)
  return { newPerCpuSecond: MILLION / sum(spent), newPerCpuSecondAtTheEnd: (last.length * BATCH) / sum(last), longestAddMs }
}

/** A crawl of the big store that is killed in the middle of its work. */
async function kill(): Promise<Figures> {
  const frontier = await open(path)
  for (let group = 0; group < 100; group++) await crawlGroup(frontier, MILLION + group * GROUP)
  process.kill(process.pid, 'SIGKILL')
  return {}
}

/** How soon the next run has its first request. */
async function resume(): Promise<Figures> {
  const start = performance.now()
  const frontier = await open(path)
  const { leases } = await frontier.lease({ now: Date.now(), hosts: 1, requestsPerHost: 16 })
  const resumeMs = performance.now() - start
  if (leases[0]?.requests[0] === undefined) throw new Error('expected a request, got none')
  await frontier.close()
  return { resumeMs }
}

/** Known URLs, twice, and what RAM holds of them then. */
async function known(): Promise<Figures> {
  for (let from = 0; from < MILLION; from += BATCH) range(from, BATCH)
  const frontier = await open(path)
  const before = residentMb()
  const offerAll = async (): Promise<number> => {
    let spent = 0
    for (let from = 0; from < MILLION; from += BATCH) {
      const batch = range(from, BATCH)
      spent += await cpuOf(() => frontier.add(batch))
    }
    return spent
  }
  const cold = await offerAll()
  const ramMbPerMillion = residentMb() - before
  const warm = await offerAll()
  await frontier.close()
  return { coldKnownPerCpuSecond: MILLION / cold, knownPerCpuSecond: MILLION / warm, ramMbPerMillion }
}

/** The real path: groups of turns, each page with 93 known links and one new. */
async function turns(): Promise<Figures> {
  const frontier = await open(join(folder, 'turns.db'))
  for (let from = 0; from < 100_000; from += BATCH) await frontier.add(range(from, BATCH))
  const groups = 150
  let spent = 0
  let longestCommitMs = 0
  for (let group = 0; group < groups; group++) {
    const { leases, work } = await groupOf(frontier, 100_000 + group * GROUP)
    const start = performance.now()
    spent += await cpuOf(() => frontier.commit(work))
    longestCommitMs = Math.max(longestCommitMs, performance.now() - start)
    for (const lease of leases) await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
  await frontier.close()
  return { turnCpuUs: (spent * 1e6) / (groups * GROUP), longestCommitMs }
}

/** A crawl of 100,000 URLs, found page by page and all settled. */
async function disk(): Promise<Figures> {
  const store = join(folder, 'disk.db')
  const total = 100_000
  const frontier = await open(store)
  await frontier.add(range(0, GROUP * 2))
  let found = GROUP * 2
  let spanBytes = 0
  for (;;) {
    const { leases } = await frontier.lease({ now: Date.now(), hosts: GROUP, requestsPerHost: 1 })
    if (leases.length === 0) break
    const work = leases.map((lease, index) =>
      turnOf(lease, range(Math.min(found + index * 4, total), Math.max(0, Math.min(4, total - found - index * 4)))),
    )
    await frontier.commit(work)
    found = Math.min(total, found + leases.length * 4)
    for (const lease of leases) await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    if (spanBytes === 0 && found === total) {
      const { waiting } = await frontier.reader.counts()
      spanBytes = tableBytes(store, ['span']) / waiting
    }
  }
  await frontier.close()
  const anchorBytes = (ANCHOR.length * (total - GROUP * 2)) / total
  const of = (...tables: string[]): number => tableBytes(store, tables) / total
  // The newest rows are not in the index yet: counted as if they were, as all but the last 40,000 of a big store are.
  const knownBytes = tableBytes(store, ['known']) / rowsOf(store, 'known')
  return {
    bytesPerUrl: statSync(store).size / total - of('known') + knownBytes,
    historyBytes: of('attempt', 'trouble', 'reason'),
    requestBytes: of('request', 'extra'),
    knownBytes,
    anchorBytes,
    spanBytes,
  }
}

/** A store of so many URLs, made by another process than the one that is measured. */
async function prepare(urls: number): Promise<Figures> {
  const frontier = await open(join(folder, `resident-${urls}.db`))
  for (let from = 0; from < urls; from += 1_000) await frontier.add(range(from, 1_000))
  await frontier.close()
  return {}
}

/** Resident memory of a process that crawls a store of so many known URLs. */
async function resident(urls: number, name: 'Small' | 'Large'): Promise<Figures> {
  const frontier = await open(join(folder, `resident-${urls}.db`))
  for (let group = 0; group < 60; group++) await crawlGroup(frontier, urls + group * GROUP, urls)
  const figures = { [`rss${name}Mb`]: residentMb() }
  await frontier.close()
  return figures
}

async function open(store: string): Promise<Frontier> {
  const frontier = sqlite(store)
  await frontier.open(SPEC, Date.now())
  return frontier
}

async function crawlGroup(frontier: Frontier, firstNew: number, knownUrls = 100_000): Promise<void> {
  const { leases, work } = await groupOf(frontier, firstNew, knownUrls)
  await frontier.commit(work)
  for (const lease of leases) await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
}

/** A lease of 64 hosts, and for each a turn with 93 known links and one new. */
async function groupOf(
  frontier: Frontier,
  firstNew: number,
  knownUrls = 100_000,
): Promise<{ leases: Visits; work: CommitUnit[] }> {
  const { leases } = await frontier.lease({ now: Date.now(), hosts: GROUP, requestsPerHost: 1 })
  const work = leases.map((lease, index) => {
    const start = ((firstNew + index) * 7_919) % Math.max(1, knownUrls - LINKS_A_PAGE)
    return turnOf(lease, [...range(start, LINKS_A_PAGE), ...range(firstNew + index, 1)])
  })
  return { leases, work }
}

type Visits = Awaited<ReturnType<Frontier['lease']>>['leases']

function turnOf(lease: Visits[number], links: NewRequest[]): CommitUnit {
  const [request] = lease.requests
  if (request === undefined) throw new Error('expected a request, got none')
  const found = links.map((link) => ({ ...link, parentId: request.id, anchorText: ANCHOR, depth: 1 }))
  const fetched = { at: Date.now(), status: 200, durationMs: 180, wireBytes: 37_000 }
  return {
    lease,
    requestId: request.id,
    outcome: { kind: 'done', fetched },
    links: found,
    items: [],
    memory: { core: '{"seq":12345}' },
  }
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** Bytes of tables with their indexes, from a copy: the store itself stays as it is. */
function tableBytes(store: string, tables: readonly string[]): number {
  const copy = `${store}.copy`
  for (const ending of ['', '-wal']) if (existsSync(store + ending)) copyFileSync(store + ending, copy + ending)
  const db = new Database(copy)
  const names = db.prepare<unknown[], string>('SELECT name FROM sqlite_schema WHERE tbl_name = ?').pluck()
  const bytes = db.prepare<unknown[], number>('SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = ?').pluck()
  const total = sum(tables.flatMap((table) => names.all(table)).map((name) => bytes.get(name) ?? 0))
  db.close()
  return total
}

function rowsOf(store: string, table: 'known'): number {
  const db = new Database(store, { readonly: true })
  const rows = db.prepare<unknown[], number>(`SELECT count(*) FROM ${table}`).pluck().get()
  db.close()
  return rows ?? 0
}

function residentMb(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage.rss() / 2 ** 20
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
