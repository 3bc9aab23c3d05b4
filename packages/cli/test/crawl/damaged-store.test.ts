// A store of which a page is damaged, as commands meet it.
import Database from 'better-sqlite3'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-damaged-'))
  site = await smallSite(40)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function crawled(...words: readonly string[]): Promise<CliRun> {
  return runCli(['crawl', site.url, '--rate', 'fixed', '--delay', '0', '--store', 'crawl.db', ...words], { folder })
}

/** Damages the first page of a table. */
async function damage(table: string): Promise<void> {
  const db = new Database(join(folder, 'crawl.db'))
  const page = db.prepare<unknown[], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) ?? 0
  db.close()
  const file = await open(join(folder, 'crawl.db'), 'r+')
  await file.write(Buffer.alloc(16_384, 0xff), 0, 16_384, (page - 1) * 16_384)
  await file.close()
}

function expectDamaged(run: CliRun): void {
  const said = run.stderr.replaceAll(/\s+/g, ' ')
  expect(said.match(/avocet: /g)).toHaveLength(1)
  expect(said).toMatch(
    /crawl\.db: expected a sound store, got: .*avocet store verify.*sqlite3 STORE \.recover.*\(AVO_FRONTIER_CORRUPT\)/,
  )
  expect(said).not.toContain('run the same command again')
  expect(said).not.toContain('plugin')
  expect(run.code).toBe(7)
}

describe('a store with a damaged page', () => {
  it.each(['crawl', 'request', 'item'])('in %s gives a crawl one error, that says what to do, and 7', async (table) => {
    await crawled('--max-pages', '5', '-O', 'out.csv')
    await damage(table)

    expectDamaged(await crawled('-O', 'out.csv'))
  })

  it.each([
    ['status', 'crawl'],
    ['hosts', 'host'],
    ['why 127.0.0.1', 'host'],
    ['report', 'host'],
    ['export -O again.csv', 'item'],
  ])('gives avocet %s the same', async (command, table) => {
    await crawled('--max-pages', '5')
    await damage(table)
    const words = command.split(' ')

    expectDamaged(await runCli([...words, ...(words[0] === 'why' ? ['--store'] : []), 'crawl.db'], { folder }))
  })

  it('whose items are no JSON is not called an output that cannot be written', async () => {
    await crawled('--max-pages', '5')
    const db = new Database(join(folder, 'crawl.db'))
    db.exec(`UPDATE item SET json = '{"url":"cut'`)
    db.close()

    const run = await runCli(['export', 'crawl.db', '-O', 'out.csv'], { folder })
    expect(run.stderr).toContain('(AVO_FRONTIER_CORRUPT)')
    expect(run.code).toBe(7)
  })

  it('is found by avocet store verify, which calls a whole one sound', async () => {
    await crawled('--max-pages', '5')
    const sound = await runCli(['store', 'verify', 'crawl.db'], { folder })
    await damage('item')
    const damaged = await runCli(['store', 'verify', 'crawl.db'], { folder })
    const json = await runCli(['store', 'verify', 'crawl.db', '--json'], { folder })

    expect(sound.stdout).toMatch(/crawl\.db: sound \(11 URLs, 5 items\)/)
    expect(sound.code).toBe(0)
    expect(damaged.stdout).toMatch(/crawl\.db: \d+ faults\n {2}file: [^]*keep the file; return to a backup/)
    expect(damaged.code).toBe(7)
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 1, sound: false, known: 11 })
    expect(json.code).toBe(7)
  })
})
