// One run of bench:floor: the floor program, or the whole command of a checkout, in a process of its own, crawling one world to its end.
//
// The CPU is that of the whole process, all threads, from its start until it exits, as it says itself at its exit. Files are in a folder that goes afterwards.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withoutTypes } from '../without-types.ts'
import { addressOf, WORLDS, type WorldName } from './worlds.ts'

/** What is crawled. */
export interface Job {
  readonly world: WorldName
  readonly items: boolean
  readonly port: number
  /** Its items are watched, and plugin-health runs. Default false. */
  readonly isWatching?: boolean
}

/** What it took. */
export interface Cost {
  readonly cpuMs: number
  readonly peakMb: number
}

/** The same as the floor program does. A plain object, which every checkout takes. */
const SPIDER = `export default ({ seeds, items }) => ({
  name: 'floor',
  seeds: seeds.split(' '),
  handlers: {
    *start(page) {
      const sku = items === 'items' ? /class="sku">([^<]*)/.exec(page.body)?.[1] : undefined
      if (sku !== undefined) {
        const price = Number(/class="price">([^<]*)/.exec(page.body)?.[1])
        yield { url: page.url.href, title: page.title, sku, price, links: page.anchors.map((anchor) => anchor.url) }
      }
      yield* page.links()
    },
  },
})
`
const WITH_HEALTH = `import { health } from '@avocet/plugin-health'
export default { plugins: [health()] }
`
/** The peak is that of its own memory: on Linux `maxRSS` begins with what the process that started it has, here more than either takes. */
const USAGE = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const { existsSync, readFileSync, writeFileSync } = require('node:fs')
  const own = existsSync('/proc/self/status') && /^VmHWM:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))
  const cost = { cpuMs: (userCPUTime + systemCPUTime) / 1e3, peakMb: (own ? Number(own[1]) : maxRSS) / 1024 }
  writeFileSync('cost.json', JSON.stringify(cost))
})
`

/** What the floor program takes for it. */
export function runFloor(job: Job): Promise<Cost> {
  const program = withoutTypes(new URL('program.ts', import.meta.url))
  const { perHost } = WORLDS[job.world]
  return cost(job, () => [program, seedsOf(job), String(perHost), 'items.jsonl', job.items ? 'items' : 'none'])
}

/** What `avocet crawl` of the checkout in the folder `tree` takes for it: SQLite, which syncs at each commit, links followed, items exported. */
export function runCommand(tree: string, job: Job): Promise<Cost> {
  const bin = join(tree, 'packages/cli/bin/avocet.js')
  return cost(job, (folder) => {
    writeFileSync(
      join(folder, 'spider.mjs'),
      job.isWatching ? SPIDER.replace("name: 'floor',", "name: 'floor', items: { key: 'sku', watch: ['price'] },") : SPIDER,
    )
    writeFileSync(join(folder, 'with-health.mjs'), WITH_HEALTH)
    symlinkSync(join(tree, 'node_modules'), join(folder, 'node_modules'))
    const spider = ['crawl', 'spider.mjs', '-a', `seeds=${seedsOf(job)}`, '-a', `items=${job.items ? 'items' : 'none'}`]
    const pace = ['--delay', '0', '--max-per-host', String(WORLDS[job.world].perHost), '--ignore-robots']
    const config = job.isWatching ? ['--config', 'with-health.mjs'] : []
    return [bin, ...spider, ...config, ...pace, ...paceless(bin), ...(job.items ? ['-O', 'items.jsonl'] : [])]
  })
}

async function cost(job: Job, wordsIn: (folder: string) => readonly string[]): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-floor-'))
  try {
    writeFileSync(join(folder, 'usage.cjs'), USAGE)
    const words = ['--require', './usage.cjs', ...wordsIn(folder)]
    const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (piece) => (said += String(piece)))
    const [code] = (await once(child, 'close')) as [number]
    if (code !== 0) throw new Error(`expected ${words.join(' ')} to exit with 0, got ${code}: ${said}`)
    checkItems(folder, job)
    return JSON.parse(readFileSync(join(folder, 'cost.json'), 'utf8')) as Cost
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One that left pages out would be the cheapest. */
export function checkItems(folder: string, job: Job): void {
  if (!job.items) return
  const lines = readFileSync(join(folder, 'items.jsonl'), 'utf8').split('\n').length - 1
  const { items } = WORLDS[job.world]
  if (lines !== items) throw new Error(`expected ${items} items of the world ${job.world}, got ${lines}`)
}

/** The front pages of its hosts, with a space between. */
export function seedsOf({ world, port }: Job): string {
  return Array.from({ length: WORLDS[world].hosts }, (_, host) => `http://${addressOf(host)}:${port}/`).join(' ')
}

const known = new Map<string, readonly string[]>()

/** Older checkouts learn no rate once a delay is set, newer ones are told so. */
function paceless(bin: string): readonly string[] {
  let words = known.get(bin)
  if (words === undefined) {
    const help = spawnSync(process.execPath, [bin, 'crawl', '--help'], { encoding: 'utf8' }).stdout
    known.set(bin, (words = help.includes('--rate ') ? ['--rate', 'none'] : []))
  }
  return words
}
