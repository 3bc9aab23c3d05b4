// A crawl with five sinks (PostgreSQL, JSON Lines, CSV, webhook, and changes as JSON Lines), killed with SIGKILL at random moments, and run to its end at last.
//
// The real command, real sockets, a real PostgreSQL. Moments come from a seed: one in four from the start of the process on, so while it opens its store and
// its sinks, the others from its first request on. The shops are paced and large, so that the crawl outlasts its kills: it fails the run if it does not.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { seeded } from '@avocet/simulator'
import { startPostgres } from '@avocet/stress/postgres'
import { SinkBooks, type Books } from './sink-books.ts'
import { startReceiver, startShop } from './servers.ts'

/** What is wanted. */
export interface KilledCrawlWish {
  readonly kills: number
  /** Where the crawl is. Default: SQLite. */
  readonly store?: 'sqlite' | 'postgres'
  readonly seed: string
  /** Called after each kill. */
  readonly told?: (kills: number) => void
}

/** What came of it. */
export interface KilledCrawl {
  readonly kills: number
  /** Of those, before the first request of the process: while it opened store and sinks. */
  readonly whileOpening: number
  readonly books: Books
}

const ROOT = join(import.meta.dirname, '../..')
const AVOCET = join(ROOT, 'packages/cli/bin/avocet.js')
const CRAWLED = join(import.meta.dirname, 'crawled')
const SHOPS = 4
/** From the first request to a kill, at most. Sinks hand over what an earlier process left at once, and new items after 100 ms or 1 s. */
const LONGEST_LIFE_MS = 2_000
/** From the start of a process to a kill while it opens, at most: about as long as that takes. */
const LONGEST_OPENING_MS = 1_200
const KILLED_WHILE_OPENING = 0.25
/** Of one shop. So each second of a life has at most 25 pages of each. */
const DELAY_MS = 40
/** On a busy machine lives are longer than drawn, and the last one needs some pages, too. */
const MORE_PAGES = 1.3
/** No process takes longer to begin, however busy the machine. */
const MAX_START_MS = 60_000
const MAX_END_MS = 600_000

/** Crawls, kills, and compares what each sink has. Throws if a process ends otherwise than it should. */
export async function killedCrawl({ kills, store = 'sqlite', seed, told }: KilledCrawlWish): Promise<KilledCrawl> {
  const lives = livesOf(kills, seed)
  const pages = Math.ceil((MORE_PAGES * lives.reduce((sum, { ms }) => sum + ms + DELAY_MS, 0)) / DELAY_MS)
  await using world = await makeWorld(pages, store)
  let whileOpening = 0
  for (const [n, life] of lives.entries()) {
    const { hasAsked } = await lived(world, life)
    if (!hasAsked) whileOpening += 1
    told?.(n + 1)
  }
  const last = crawling(world, 0)
  const said = text(last.stderr ?? Readable.from([]))
  const [code] = (await soon(once(last, 'exit'), MAX_END_MS, 'the end of the crawl')) as [number | null]
  if (code !== 0) throw new Error(`expected the crawl to end with exit code 0, got ${String(code)}: ${await said}`)
  return { kills, whileOpening, books: await world.books.compared(world) }
}

/** One process, from its start to its kill. */
interface Life {
  readonly isOpening: boolean
  /** From its start, or from its first request. */
  readonly ms: number
}

function livesOf(kills: number, seed: string): readonly Life[] {
  const chance = seeded('killed-sinks', seed)
  return Array.from({ length: kills }, (_, n) => {
    const isOpening = chance(2 * n) < KILLED_WHILE_OPENING
    return { isOpening, ms: chance(2 * n + 1) * (isOpening ? LONGEST_OPENING_MS : LONGEST_LIFE_MS) }
  })
}

/** What the crawl meets, and the folder of its files. */
interface World extends AsyncDisposable {
  readonly folder: string
  /** As `--store` names it. */
  readonly store: string
  readonly books: SinkBooks
  readonly seeds: readonly string[]
  readonly postgres: string
  readonly webhook: string
  /** Called for each request of a page. */
  asked: () => void
}

async function makeWorld(pages: number, store: 'sqlite' | 'postgres'): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'avocet-killed-sinks-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const books = new SinkBooks(folder, { shops: SHOPS, pages })
  const postgres = await startPostgres({ fsync: store === 'postgres' })
  stack.defer(() => postgres.stop())
  const receiver = stack.use(await startReceiver((items) => books.posted(items)))
  const seeds: string[] = []
  for (let shop = 0; shop < SHOPS; shop++) seeds.push(stack.use(await startShop(shop, pages, () => world.asked())).url)
  const all = stack.move()
  const world: World = {
    ...{
      folder,
      store: store === 'sqlite' ? join(folder, 'crawl.db') : postgres.url,
      books,
      seeds,
      postgres: postgres.url,
      webhook: receiver.url,
    },
    asked: () => {},
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
  return world
}

async function lived(world: World, { isOpening, ms }: Life): Promise<{ readonly hasAsked: boolean }> {
  const first = Promise.withResolvers<void>()
  let hasAsked = false
  world.asked = () => {
    hasAsked = true
    first.resolve()
  }
  const child = crawling(world, DELAY_MS)
  const said = text(child.stderr ?? Readable.from([]))
  const exit = once(child, 'exit')
  if (!isOpening) await soon(Promise.race([first.promise, exit]), MAX_START_MS, 'the first request')
  await new Promise((over) => setTimeout(over, ms))
  if (child.exitCode !== null)
    throw new Error(`expected a crawl that outlasts its kills, got exit code ${String(child.exitCode)}: ${await said}`)
  child.kill('SIGKILL')
  await exit
  return { hasAsked }
}

/** From the sources: no stale build is killed. */
function crawling({ folder, store, seeds, postgres, webhook }: World, delayMs: number): ChildProcess {
  const words = [
    'crawl',
    join(CRAWLED, 'spider.ts'),
    '--config',
    join(CRAWLED, 'avocet.config.ts'),
    '-a',
    `seeds=${seeds.join(',')}`,
  ]
  const files = ['--store', store, '-o', join(folder, 'offers.jsonl'), '-o', join(folder, 'offers.csv')]
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: join(tmpdir(), 'avocet-torture-cache'),
    NO_COLOR: '1',
    SINKS_POSTGRES: postgres,
    SINKS_WEBHOOK: webhook,
    SINKS_CHANGES: join(folder, 'changes.jsonl'),
    SINKS_DELAY_MS: String(delayMs),
  }
  const flags = ['--conditions=@avocet/source', '--disable-warning=ExperimentalWarning']
  return spawn(process.execPath, [...flags, AVOCET, ...words, ...files], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] })
}

async function soon<Answer>(what: Promise<Answer>, ms: number, name: string): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`expected ${name} within ${String(ms / 1_000)} s`)), ms)
  })
  try {
    return await Promise.race([what, late])
  } finally {
    clearTimeout(timer)
  }
}
