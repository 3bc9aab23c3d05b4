// What pages cost the server, and how many it takes from several processes at once.
import { seed, startedServer, type BenchServer } from './bench-server.ts'
import { openedFrontier, PageTurns, type UrlNumbers } from './page-turns.ts'

/** CPU of a page in µs: of all calls, and of the commits alone. */
export interface PageCost {
  readonly pageUs: number
  readonly commitUs: number
}

const URLS = 150_000
/** Pages that warm up plans, caches and tables, and pages that are measured. */
const WARM_UP_PAGES = 8_192
const PAGES = 16_384
const VISIT = 16
/** Processes at once, how long a flush takes them, and for how long they are watched. */
const PROCESSES = 16
const FLUSH = { commit_delay: '2000', commit_siblings: '0' }
const WATCH_MS = 6_000

/** CPU of a page with groups of each of these sizes, in as many rounds. Sizes take turns, so that what else the machine does meets all of them. */
export async function pageCosts(sizes: readonly number[], rounds: number): Promise<ReadonlyMap<number, readonly PageCost[]>> {
  const server = await startedServer()
  try {
    await seed(server, URLS)
    const numbers = { seeded: URLS, fresh: URLS }
    const costs = new Map<number, PageCost[]>(sizes.map((size) => [size, []]))
    for (let round = 0; round < rounds; round++)
      for (const size of sizes) costs.get(size)?.push(await pageCost(server, size, numbers, round / rounds))
    return costs
  } finally {
    await server.stop()
  }
}

/**
 * Groups of `size` pages a second, from 16 processes on one connection each, while a flush takes 2 ms more than the disk needs. Each round has a server of
 * its own: a fast one uses up most of what is seeded.
 */
export async function groupsASecond(size: number, rounds: number): Promise<readonly number[]> {
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const server = await startedServer(FLUSH)
    try {
      await seed(server, URLS)
      rates.push(await rateOf(server, size, { seeded: URLS, fresh: URLS }))
    } finally {
      await server.stop()
    }
  }
  return rates
}

async function pageCost(server: BenchServer, size: number, numbers: UrlNumbers, from: number): Promise<PageCost> {
  const frontier = await openedFrontier(server.url)
  const turns = new PageTurns(frontier, size, numbers, from)
  for (let pages = 0; pages < WARM_UP_PAGES; pages += size * VISIT) await turns.visit()
  const start = server.cpuSeconds()
  let commits = 0
  for (let pages = 0; pages < PAGES; pages += size * VISIT)
    await turns.visit((isOver) => {
      commits += (isOver ? 1 : -1) * server.cpuSeconds()
    })
  const all = server.cpuSeconds() - start
  await frontier.close()
  return { pageUs: (all * 1e6) / PAGES, commitUs: (commits * 1e6) / PAGES }
}

async function rateOf(server: BenchServer, size: number, numbers: UrlNumbers): Promise<number> {
  const frontiers = await Promise.all(Array.from({ length: PROCESSES }, () => openedFrontier(server.url)))
  const processes = frontiers.map((frontier, n) => new PageTurns(frontier, size, numbers, n / PROCESSES))
  await Promise.all(processes.map((turns) => turns.visit()))
  const start = performance.now()
  let visits = 0
  await Promise.all(
    processes.map(async (turns) => {
      for (; performance.now() - start < WATCH_MS; visits++) await turns.visit()
    }),
  )
  const seconds = (performance.now() - start) / 1_000
  await Promise.all(frontiers.map((frontier) => frontier.close()))
  return (visits * VISIT) / seconds
}
