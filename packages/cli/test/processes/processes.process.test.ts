// `avocet crawl --processes 2` as its users run it. The server's log is the judge: which pages were asked for, and whether two processes asked one host.
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { spawnCli, type CliRun, type SpawnOptions } from '../run-cli.ts'
import { judgedSite, judgedSpider, type JudgedSite } from './judged-site.ts'

const HOSTS = 6
const PAGES = 20
const ALL = HOSTS * PAGES

/** `-a dies=PATH,PATH`: a process that handles one of these pages is killed, the first time. */
const SPIDER = judgedSpider(HOSTS)
let folder: string
let site: JudgedSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-processes-'))
  await writeFile(join(folder, 'spider.mjs'), SPIDER)
  await writeFile(join(folder, 'package.json'), '{}')
  site = await judgedSite(PAGES, 10)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs the crawl. */
function run(words: readonly string[], options: Partial<SpawnOptions> = {}): Promise<CliRun> {
  const rate = ['--rate', 'none', '--delay', '0', '--ignore-robots', '--max-per-host', '1']
  return spawnCli(['crawl', 'spider.mjs', '-a', `port=${site.port}`, '--processes', '2', ...rate, ...words], {
    folder,
    ...options,
  })
}

function items(): readonly string[] {
  const lines = readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line) => (JSON.parse(line) as { title: string }).title)
}

/** Says that each page was asked for once, each item is there once, and no host was asked by two. */
function expectAllOnce(): void {
  expect([site.asked.length, new Set(site.asked).size, site.mostAtOnce]).toEqual([ALL, ALL, 1])
  expect([items().length, new Set(items()).size]).toEqual([ALL, ALL])
}

describe('a crawl in two processes', { timeout: 60_000 }, () => {
  it('asks for each page once, writes each item once, and reports as one', async () => {
    const { code, stdout, stderr } = await run(['-O', 'items.jsonl', '--json'])

    expect(code, stderr).toBe(0)
    expectAllOnce()
    const report = JSON.parse(stdout) as { ended: string; run: { pages: number; items: number }; counts: { done: number } }
    expect(report).toMatchObject({ ended: 'done', run: { pages: ALL, items: ALL }, counts: { done: ALL } })
    expect(stderr.match(/policies:/g)).toHaveLength(1)
    const told = await spawnCli(['report', '--json'], { folder })
    const { runs, lastRuns } = JSON.parse(told.stdout) as { runs: readonly number[]; lastRuns: readonly unknown[] }
    expect([runs.length, lastRuns.length]).toEqual([1, 1])
  })

  it('prints the items of all on standard output, each line whole', async () => {
    const { code, stdout, stderr } = await run(['-o', '-'])

    expect(code, stderr).toBe(0)
    const titles = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { title: string }).title)
    expect([titles.length, new Set(titles).size]).toEqual([ALL, ALL])
  })

  it('ends after --max-pages of all together, not of each', async () => {
    const { code, stdout } = await run(['--max-pages', '37', '--json', '-O', 'items.jsonl'])

    expect([code, items().length]).toEqual([5, 37])
    const { ended, run: of, counts } = JSON.parse(stdout) as { ended: string; run: { pages: number }; counts: { done: number } }
    expect([ended, of.pages, counts.done]).toEqual(['limit', 37, 37])
  })

  it('goes on when a page kills the process that handles it: nothing is lost, and that page alone is asked for again', async () => {
    const dies = '127.0.1.3/5'

    const { code, stderr } = await run(['-O', 'items.jsonl', '-a', `dies=${dies}`])

    expect(code, stderr).toBe(0)
    expect(existsSync(join(folder, 'died'))).toBe(true)
    expect(stderr).toMatch(/process [12] died \(SIGKILL\); starting it again/)
    expect(new Set(site.asked).size).toBe(ALL)
    expect(site.asked.filter((path) => path === dies)).toHaveLength(2)
    expect(site.mostAtOnce).toBe(1)
    expect([items().length, new Set(items()).size]).toEqual([ALL, ALL])
  })

  it('has everything in the store, and no page without a request, however many processes died', async () => {
    const dies = '127.0.1.1/4,127.0.1.3/9,127.0.1.5/14'

    const { code, stdout, stderr } = await run(['-O', 'items.jsonl', '--json', '-a', `dies=${dies}`])

    expect(code, stderr).toBe(0)
    expect(stderr.match(/died \(SIGKILL\)/g)).toHaveLength(3)
    const { run: counted, counts } = JSON.parse(stdout) as { run: { pages: number; requests: number }; counts: object }
    expect(counts).toMatchObject({ done: ALL, items: ALL })
    expect(counted.pages).toBeLessThanOrEqual(Math.min(ALL, counted.requests))
  })

  it('crawls --max-pages of all together also where one of them has the only host', async () => {
    await writeFile(join(folder, 'spider.mjs'), judgedSpider(1))

    const { code, stdout } = await run(['--max-pages', '15', '--json', '-O', 'items.jsonl'])

    expect([code, items().length]).toEqual([5, 15])
    expect(JSON.parse(stdout)).toMatchObject({ ended: 'limit', why: 'maxPages is reached', counts: { done: 15 } })
  })

  it('is done where nothing is left, though one of them has crawled its part of --max-pages', async () => {
    const { code, stdout } = await run(['--max-pages', `${ALL + 1}`, '--json'])

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ ended: 'done', counts: { done: ALL } })
  })

  it('ends after --max-pages of all together, and the part of one that died', async () => {
    const { code, stdout, stderr } = await run(['--max-pages', '72', '--json', '-a', 'dies=127.0.1.3/5'])

    expect(code, stderr).toBe(5)
    expect(existsSync(join(folder, 'died'))).toBe(true)
    const { ended, counts } = JSON.parse(stdout) as { ended: string; counts: { done: number } }
    expect(ended).toBe('limit')
    expect(counts.done).toBeGreaterThanOrEqual(72)
    expect(counts.done).toBeLessThan(72 + 36)
  })

  it('stops by itself when the command is killed, and the next run asks for what is left', async () => {
    const killed = run(['-O', 'items.jsonl'], { meanwhile: (child) => void site.until(40).then(() => child.kill('SIGKILL')) })
    // Its output is open as long as one of its processes lives.
    expect((await killed).code).toBeNull()
    const asked = site.asked.length
    expect(asked).toBeLessThan(ALL)

    const { code, stderr } = await run(['-O', 'items.jsonl'])

    expect(code, stderr).toBe(0)
    expect(stderr).toContain('resuming judged:')
    expectAllOnce()
  })

  it('ends at SIGINT with what is in flight, and at a second one at once', async () => {
    site.close()
    site = await judgedSite(PAGES, 1_500)
    const interrupt = async (child: { kill(signal: 'SIGINT'): unknown; stderr: NodeJS.ReadableStream | null }): Promise<void> => {
      await site.until(HOSTS)
      // The supervisor hears a little later that they have begun.
      await setTimeout(250)
      child.kill('SIGINT')
      child.stderr?.once('data', () => void setTimeout(250).then(() => child.kill('SIGINT')))
    }
    const began = performance.now()

    const { code, stderr } = await run([], { meanwhile: (child) => void interrupt(child) })

    expect(code).toBe(130)
    expect(stderr).toContain('SIGINT: waiting for requests in flight')
    expect(stderr).toContain('0 pages')
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  it('has the exit code of SIGINT also when the third one kills every process, before any has reported', async () => {
    const hangs = `if (process.send) {\n  writeFileSync('hangs', '')\n  for (;;);\n}\n`
    await writeFile(join(folder, 'spider.mjs'), SPIDER.replace('export', `${hangs}export`))
    const interrupt = async (child: { kill(signal: 'SIGINT'): unknown }): Promise<void> => {
      while (!existsSync(join(folder, 'hangs'))) await setTimeout(20)
      for (let times = 0; times < 3; times++) {
        child.kill('SIGINT')
        await setTimeout(300)
      }
    }

    const { code, stderr } = await run([], { meanwhile: (child) => void interrupt(child) })

    expect(code, stderr).toBe(130)
    expect(stderr).toContain('every process died before it could report; to resume, run the same command again')
  })

  it('that cannot begin says why once, with the exit code of that', async () => {
    await writeFile(
      join(folder, 'avocet.config.mjs'),
      `export default { sinks: [{ name: 'db', open() { throw new Error('no database') }, write() {} }] }`,
    )

    const { code, stderr } = await run(['--config', 'avocet.config.mjs'])

    expect(code).toBe(7)
    expect(stderr.match(/no database/g)).toHaveLength(1)
  })
})

describe('--processes', () => {
  it.each([
    [
      ['--store', ':memory:'],
      '--processes: expected a store that processes can share, got :memory:; for one process, leave out --processes, or add --processes 1 (AVO_USAGE)',
    ],
    [['--processes', '0'], "--processes: expected auto, or a whole number from 1 to 1024, got '0'"],
    [['--processes', 'atuo'], "got 'atuo' (did you mean 'auto'?)"],
  ])('refuses %j in one line', async (words, message) => {
    const { code, stderr } = await run(words)

    expect([code, site.asked]).toEqual([2, []])
    expect(stderr).toContain(message)
    expect(
      stderr
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('avocet:')),
    ).toHaveLength(1)
  })

  it('starts no more than there are slots for, and says so', async () => {
    const { code, stderr } = await run(['--processes', '5', '--concurrency', '3', '--max-pages', '10'])

    expect(code).toBe(5)
    expect(stderr).toContain('starting 3 processes instead of 5: --concurrency or --max-pages has nothing to do for more')
  })
})
