// Another program locks the store: real processes on a real file.
import type { ChildProcess } from 'node:child_process'
import Database from 'better-sqlite3'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, spawnCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const PAUSED = /paused: the store cannot be used \(AVO_FRONTIER_BUSY\)/
const QUICK = ['--rate', 'fixed', '--delay', '0', '--max-per-host', '4', '--store', 'crawl.db', '-O', 'out.jsonl']
let folder: string
let site: SmallSite
let other: Database.Database | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-lock-'))
  site = await smallSite(40, 20)
})
afterEach(async () => {
  free()
  site.close()
  await rm(folder, { recursive: true })
})

function lock(): void {
  other = new Database(join(folder, 'crawl.db'), { timeout: 5_000 })
  other.exec('BEGIN IMMEDIATE')
}

function free(): void {
  other?.close()
  other = undefined
}

/** Crawls; `heard` is told, once, when it says that it waits for the store. */
function crawled(words: readonly string[], heard: (child: ChildProcess) => void): Promise<CliRun> {
  return spawnCli(['crawl', site.url, ...QUICK, ...words], {
    folder,
    meanwhile: (child) => {
      let said = ''
      child.stderr?.on('data', (text: Buffer) => {
        const before = PAUSED.test(said)
        said += text.toString()
        if (!before && PAUSED.test(said)) heard(child)
      })
    },
  })
}

async function urls(): Promise<string[]> {
  return (await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')
}

/** Locks the store once the site was asked for `pages`. */
async function lockAfter(pages: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const watch = setInterval(() => {
    if (site.asked.length < pages) return
    clearInterval(watch)
    resolve()
  }, 5)
  await promise
  lock()
}

describe('a store that another program locks', () => {
  it('while it is crawled is waited for, with a line that says so and one that says it is over, and costs no page', async () => {
    const locked = lockAfter(8)
    const run = await crawled([], free)
    await locked

    expect(run.stderr).toMatch(/^paused: the store cannot be used .*\nthe store can be used again after .*; resuming$/m)
    expect(run.code).toBe(0)
    expect(await urls()).toHaveLength(40)
    expect(new Set(await urls()).size).toBe(40)
    expect(site.asked).toHaveLength(40)
  })

  it('ends a crawl when --store-patience is over, also at the start, with 7', async () => {
    const locked = lockAfter(8)
    const running = await crawled(['--store-patience', '2s'], () => {})
    await locked
    const starting = await crawled(['--store-patience', '3s'], () => {})

    for (const run of [running, starting]) {
      expect(run.code).toBe(7)
      expect(run.stderr).toMatch(PAUSED)
      expect(run.stderr.match(/^avocet: .*\(AVO_FRONTIER_BUSY\)$/gm)).toHaveLength(1)
    }
  })

  it('when a crawl starts is waited for, and can be left with one Ctrl-C', async () => {
    await runCli(['crawl', site.url, ...QUICK, '--max-pages', '5'], { folder })
    lock()
    const left = await crawled([], (child) => child.kill('SIGINT'))
    const gone = await crawled([], free)

    expect(left.code).toBe(130)
    expect(left.stderr).toContain('SIGINT: the crawl had not begun')
    expect(left.stderr).not.toMatch(/^avocet: /m)
    expect(gone.code).toBe(0)
    expect(gone.stderr).toMatch(PAUSED)
    expect(gone.stderr).toMatch(/^the store can be used again after .*; resuming$/m)
    expect(gone.stderr).toMatch(/^resuming .*: 5 done, /m)
    expect(await urls()).toHaveLength(40)
  })
})
