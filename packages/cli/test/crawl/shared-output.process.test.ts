// Two commands that crawl one store, and name the same output: real processes.
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { spawnCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const PAGES = 40
let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-shared-output-'))
  site = await smallSite(PAGES, 20)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function crawled(words: readonly string[], meanwhile: (child: ChildProcess) => void = () => {}): Promise<CliRun> {
  const quick = ['--rate', 'fixed', '--delay', '50ms', '--max-per-host', '1', '--store', 'site.db']
  return spawnCli(['crawl', site.url, ...quick, ...words], { folder, meanwhile })
}

async function pagesAsked(count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const watch = setInterval(() => {
    if (site.asked.length >= count) resolve()
  }, 5)
  await promise
  clearInterval(watch)
}

it('of two crawls of one store with one output, one writes it: both end well, and each item is there once', async () => {
  const runs = await Promise.all([crawled(['-o', 'out.jsonl']), crawled(['-o', 'out.jsonl'])])
  const items = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')

  expect(runs.map(({ code, stderr }) => [code, /AVO_/.exec(stderr)?.[0]])).toEqual([
    [0, undefined],
    [0, undefined],
  ])
  expect(items).toHaveLength(PAGES)
  expect(new Set(items).size).toBe(PAGES)
})

it('a crawl that is to replace an output which another one of its store writes continues it, and says so', async () => {
  const first = crawled(['-o', 'out.jsonl', '--delay', '100ms'])
  await pagesAsked(2)
  const second = await crawled(['-O', 'out.jsonl', '--delay', '100ms'])
  await first

  expect(second.code).toBe(0)
  expect(second.stderr.match(/out\.jsonl: another process of this crawl writes it; -O continues it, as -o does/g)).toHaveLength(1)
  expect((await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(PAGES)
})

it('a crawl of another store cannot have an output that is being written, and says so before it asks for a page or makes a store', async () => {
  let writer: ChildProcess | undefined
  const first = crawled(['-o', 'out.jsonl', '--delay', '1s'], (child) => (writer = child))
  await pagesAsked(2)
  const { code, stderr } = await crawled(['-o', 'out.jsonl', '--store', 'other.db', '--delay', '1h'])
  const asked = site.asked.filter((path) => path === '/')
  const files = await readdir(folder)
  writer?.kill('SIGKILL')
  await first

  expect(code).toBe(7)
  expect(stderr).toMatch(/out\.jsonl: expected no other writer, got process \d+; .*\(AVO_OUTPUT_UNWRITABLE\)/)
  expect(asked).toHaveLength(1)
  expect(files.filter((name) => name.startsWith('other'))).toEqual([])
})
