// How much of its speed a crawl keeps whose store is 5 ms away: the same crawl of small pages beside its server, and with the round trip, in pairs. Both go
// through a proxy, whose CPU is no matter of distance.
//
// The pages are served by another process; nothing waits for a host (no delay, one request at a host at a time), so it is the process and its store that set the pace.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startFaultProxy } from '@avocet/stress/postgres'
import { startedServer } from './bench-server.ts'

const ROUND_TRIP_MS = 5
const HOSTS = 60
const PAGES = 300
const SLOTS = 16

/** Pages a second of a pair. */
export interface Pair {
  readonly near: number
  readonly far: number
}

/** So many pairs of crawls. */
export async function distancePairs(rounds: number): Promise<readonly Pair[]> {
  const server = await startedServer()
  const near = await startFaultProxy(server.url)
  const far = await startFaultProxy(server.url, { roundTripMs: ROUND_TRIP_MS })
  const site = spawn(process.execPath, [here('../cores/site.ts'), String(PAGES)], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const port = String((await createInterface({ input: site.stdout })[Symbol.asyncIterator]().next()).value)
    const pairs: Pair[] = []
    for (let round = 0; round < rounds; round++) {
      pairs.push({
        near: await pagesASecond(`${near.url}?crawl=near-${String(round)}`, port),
        far: await pagesASecond(`${far.url}?crawl=far-${String(round)}`, port),
      })
    }
    return pairs
  } finally {
    site.stdin.end()
    await near.close()
    await far.close()
    await server.stop()
  }
}

async function pagesASecond(url: string, port: string): Promise<number> {
  const words = [...process.execArgv, here('crawl-process.ts'), url, port, String(HOSTS), String(SLOTS)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = await text(child.stdout)
  const { ended, pages, wallMs } = JSON.parse(said === '' ? '{}' : said) as { ended?: string; pages?: number; wallMs?: number }
  if (ended !== 'done' || pages !== HOSTS * PAGES || wallMs === undefined)
    throw new Error(`expected a crawl of ${String(HOSTS * PAGES)} pages that is done, got ${said}`)
  return (1_000 * pages) / wallMs
}

function here(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
