// What looks after a store: `avocet store backup`, from which a killed crawl goes on, `avocet store compact`, and `avocet status --check`.
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, spawnCli, type CliRun } from './run-cli.ts'
import { smallSite, type SmallSite } from './small-site.ts'

let folder: string
let site: SmallSite | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-upkeep-'))
  await mkdir(join(folder, '.avocet'))
  await mkdir(join(folder, 'backups'))
})
afterEach(async () => {
  site?.close()
  site = undefined
  await rm(folder, { recursive: true })
})

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

/** A crawl that is killed soon after what is done meanwhile, and what that said. */
async function killedCrawl(command: readonly string[], meanwhile: () => Promise<CliRun>): Promise<CliRun> {
  let child: ChildProcess | undefined
  const crawl = spawnCli(command, { folder, meanwhile: (started) => (child = started) })
  const lines = async (): Promise<number> =>
    (await readFile(join(folder, 'out.jsonl'), 'utf8').catch(() => '')).split('\n').length
  await expect.poll(lines, { timeout: 15_000, interval: 20 }).toBeGreaterThan(10)
  const done = await meanwhile()
  const before = await lines()
  await expect.poll(lines, { timeout: 15_000, interval: 20 }).toBeGreaterThan(before)
  child?.kill('SIGKILL')
  await crawl
  return done
}

async function urls(): Promise<string[]> {
  const text = await readFile(join(folder, 'out.jsonl'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { url: string }).url)
}

describe('avocet store backup', { timeout: 60_000 }, () => {
  it('copies the store of a running crawl, which after a kill goes on from the copy: each item is in its output once', async () => {
    site = await smallSite(200)
    const command = [
      'crawl',
      site.url,
      '--rate',
      'fixed',
      '--delay',
      '30ms',
      '--ignore-robots',
      '--store',
      '.avocet/site.db',
      '-o',
      'out.jsonl',
    ]
    const made = await killedCrawl(command, () => avocet('store', 'backup', '--to', 'backups', '--json'))
    const { to, known, items } = JSON.parse(made.stdout) as { to: string; known: number; items: number }

    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(to).toMatch(/\/backups\/site-\d{8}T\d{6}Z\.db$/)
    expect(await verifyStore(to)).toEqual({ faults: [], known, items })
    expect(items).toBeLessThan((await urls()).length)
    for (const name of await readdir(join(folder, '.avocet'))) await rm(join(folder, '.avocet', name), { recursive: true })
    await copyFile(to, join(folder, '.avocet/site.db'))
    const resumed = await avocet(...command)

    expect(resumed.code).toBe(0)
    expect(resumed.stderr).toMatch(/^resuming .*: \d+ done, .*\d+ waiting/m)
    expect(await urls()).toHaveLength(200)
    expect(new Set(await urls()).size).toBe(200)
  })

  it('says what it copied, what is not in it, and replaces nothing unasked', async () => {
    site = await smallSite(3)
    await avocet('crawl', site.url, '--ignore-robots', '--rate', 'none', '--delay', '0', '--cache', '--store', '.avocet/site.db')

    const made = await avocet('store', 'backup', 'site', '--to', 'copy.db')
    const again = await avocet('store', 'backup', 'site', '--to', 'copy.db')
    const replaced = await avocet('store', 'backup', 'site', '--to', 'copy.db', '--overwrite')

    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(
      /^copy\.db: 3 URLs, 3 items, [\d.]+ KiB, verified\nnot in it: kept responses \(\.avocet\/site\.cache\)\n$/,
    )
    expect(again).toMatchObject({ code: 7, stderr: expect.stringContaining('--overwrite') as string })
    expect(replaced.code).toBe(0)
  })

  it('makes no folder for a backup', async () => {
    await resting(join(folder, '.avocet/teas.db'))
    const { code, stderr } = await avocet('store', 'backup', '--to', 'missing/teas.db')

    expect(code).toBe(2)
    expect(stderr).toContain('--to: expected a file in a folder that exists, got missing/teas.db; make the folder first')
  })

  it.each([
    ['missing/', 'got nothing at missing/'],
    ['missing', 'got nothing at missing'],
    ['a-file.db/', 'got a file at a-file.db/'],
  ])('takes no name of a folder that is not there for one of a file: %s', async (to, got) => {
    await resting(join(folder, '.avocet/teas.db'))
    await writeFile(join(folder, 'a-file.db'), '')
    const { code, stderr } = await avocet('store', 'backup', '--to', to)

    expect(code).toBe(2)
    expect(stderr).toContain(
      `--to: expected a folder, or the name of a .db file, ${got}; make the folder, or name a file such as backup.db`,
    )
    expect((await readdir(folder)).toSorted()).toEqual(['.avocet', 'a-file.db', 'backups'])
  })

  it('names the command that backs up a crawl on a server, without its password', async () => {
    const { code, stderr } = await avocet(
      'store',
      'backup',
      'postgres://me:secret@db.example/crawls?crawl=Quotes',
      '--to',
      'quotes.dump',
    )

    expect(code).toBe(2)
    expect(stderr).toContain(
      `pg_dump --format=custom '--schema="avocet_Quotes"' --file=quotes.dump postgres://me@db.example/crawls`,
    )
    expect(stderr).not.toContain('secret')
  })

  it('needs a place', async () => {
    expect(await avocet('store', 'backup', 'site')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--to PLACE') as string,
    })
  })
})

describe('avocet store compact', () => {
  it('says what it won, and that there is nothing to win', async () => {
    const path = join(folder, '.avocet/teas.db')
    await resting(path)
    new Database(path)
      .exec(
        'CREATE TABLE filler AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000) SELECT randomblob(900) FROM n',
      )
      .exec('DROP TABLE filler')
      .close()
    const before = (await stat(path)).size

    const first = await avocet('store', 'compact', '--json')
    const second = await avocet('store', 'compact')

    const { bytesBefore, bytesAfter } = JSON.parse(first.stdout) as { bytesBefore: number; bytesAfter: number }
    expect({ bytesBefore, isSmall: bytesAfter < before / 4 }).toEqual({ bytesBefore: before, isSmall: true })
    expect(second.stdout).toMatch(/^\.avocet\/teas\.db: .*, nothing to give back\n$/)
  })
})

describe('avocet status --check', () => {
  it('is 12 for a crawl that nobody runs, and 7 for a store that cannot be read', async () => {
    await resting(join(folder, '.avocet/teas.db'))

    expect(await avocet('status', '--check')).toEqual({ code: 12, stdout: 'teas: no process crawls\n', stderr: '' })
    expect((await avocet('status', 'none', '--check')).code).toBe(7)
  })

  it('is 0 while a process crawls, and 12 once it was not heard from for longer than it may be', async () => {
    const path = join(folder, '.avocet/teas.db')
    const frontier = sqlite(path)
    await frontier.open({ name: 'teas', hostKeying: 'host' }, 0)
    const healthy = await avocet('status', '--check', '--json')
    new Database(path).exec('UPDATE process SET heartbeat = heartbeat - 90000').close()
    const silent = await avocet('status', '--check', '--here')
    const patient = await avocet('status', '--check', '--within', '5m')
    await frontier.close()

    expect(healthy.code).toBe(0)
    expect(JSON.parse(healthy.stdout)).toMatchObject({ schema: 1, healthy: true, processes: 1 })
    expect(silent.code).toBe(12)
    expect(silent.stdout).toMatch(/^teas: 1 process crawls, last heard from 1 min 3\d s ago, more than 1 min\n$/)
    expect(patient.code).toBe(0)
  })

  it('refuses what only means something with it', async () => {
    expect(await avocet('status', '--within', '5m')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected --check with --within') as string,
    })
  })
})

async function resting(path: string): Promise<void> {
  const frontier = sqlite(path)
  await frontier.open({ name: 'teas', hostKeying: 'host' }, 0)
  await frontier.close()
}
