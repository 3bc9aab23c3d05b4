// Weeks in seconds, on a site in another process: a day is a second and a half, and the crawl is killed three times, as hard as
// one can. Afterwards every look of every page must be there once, and the schedule must be the one that the first looks began.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openReader } from '@avocet/plugin-sqlite'
import { siteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import type { Look } from './spider.ts'

const DAY_MS = 1_500
const PAGES = 20
/** Each page twice. */
const LOOKS_A_LIFE = 2 * PAGES
const LOOK_FILE = 'looks.jsonl'
const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')

const folder = await mkdtemp(join(tmpdir(), 'avocet-weeks-'))
const model = siteModel({ seed: 'weeks', hosts: [{ name: 'site.test', pages: { kind: 'tree', pages: PAGES } }] })
const web = await spawnRoughWeb(model)
try {
  for (const life of [1, 2, 3]) {
    await crawl('kill -9', 250 * life)
    console.log(`life ${String(life)}: ${await schedule()}`)
  }
  await crawl('--max-pages')
  console.log(`life 4: ${await schedule()}`)
  const wrong = await whatIsWrong()
  console.log(wrong.length === 0 ? `3 kills, ${await schedule()}; every look is there once, and on its day` : wrong.join('\n'))
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  await web.close()
  await rm(folder, { recursive: true, force: true })
}

/** Runs the same command each time. It goes on where it was. `laterMs`: each kill comes at another moment of a day. */
async function crawl(end: 'kill -9' | '--max-pages', laterMs: number = 0): Promise<void> {
  const [seed = ''] = web.model.seeds()
  const words = ['crawl', `${import.meta.dirname}/spider.ts`, '-a', `site=${seed}`, '-O', LOOK_FILE, '--store', 'weeks.db']
  const pace = ['--every', `${String(DAY_MS)}ms`, '--rate', 'fixed', '--delay', '1ms']
  const limit = end === '--max-pages' ? ['--max-pages', String(LOOKS_A_LIFE)] : []
  const before = await looks()
  const child = spawn(process.execPath, [COMMAND, ...words, ...pace, ...limit], { cwd: folder, stdio: 'ignore' })
  const over = once(child, 'close')
  if (end === 'kill -9') {
    while (child.exitCode === null && (await looks()).length < before.length + LOOKS_A_LIFE) await setTimeout(50)
    await setTimeout(laterMs)
    child.kill('SIGKILL')
  }
  await over
}

/** What is in the file of looks, but for a line that is being written. */
async function looks(): Promise<readonly Look[]> {
  const text = await readFile(join(folder, LOOK_FILE), 'utf8').catch(() => '')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Look)
}

/** What the store knows, which is all that a new process has. */
async function schedule(): Promise<string> {
  const reader = await openReader(join(folder, 'weeks.db'))
  const { known, items, again = 0 } = await reader.counts()
  await reader.close()
  return `${String(known)} pages, ${String(items)} looks, ${String(again)} pages are due again`
}

async function whatIsWrong(): Promise<readonly string[]> {
  const all = await looks()
  const reader = await openReader(join(folder, 'weeks.db'))
  const records = await reader.requests({ limit: 1_000 })
  await reader.close()
  return records.flatMap(({ url, visits = 0, notBefore = 0 }) => {
    const ofPage = all.filter((look) => look.url === url)
    const numbers = ofPage.map(({ look }) => look)
    const isEach = numbers.length === visits && numbers.every((number, n) => number === n)
    // Days are counted from the first look, however late a later one was.
    const offDay = (notBefore - (ofPage[0]?.seenAt ?? 0)) % DAY_MS
    const isOnDay = Math.min(offDay, DAY_MS - offDay) <= 1
    return isEach && isOnDay
      ? []
      : [`${url}: ${String(visits)} visits, looks ${numbers.join(' ')}, ${String(Math.round(offDay))} ms off its day`]
  })
}
