// `avocet move` to a server and back: the crawl is the same, and goes on where it was.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Frontier } from '@avocet/core/store'
import { openPostgresReader, postgresFrontier } from '@avocet/plugin-postgres'
import { openReader, sqlite, verifyStore, type CopiedReader, type CopiedRows } from '@avocet/plugin-sqlite'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { everything, newRequest, readAll, SPEC, turnAt } from './crawl-with-everything.ts'
import { runCli, type CliRun } from './run-cli.ts'
import { smallSite } from './small-site.ts'

const missing = postgresMissing()
const TABLES = [
  ...[
    'crawl',
    'handler',
    'reason',
    'handler_error',
    'host',
    'host_memory',
    'crawl_memory',
    'request',
    'extra',
    'attempt',
    'delayed',
  ],
  ...['visited', 'trouble', 'item', 'record', 'reject', 'sink', 'orders'],
]

describe.skipIf(missing !== undefined)(`avocet move to a server ${missing ?? ''}`, { timeout: 120_000 }, () => {
  let server: TestPostgres
  let folder: string
  let made = 0

  beforeAll(async () => {
    server = await postgresDatabase()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'avocet-move-'))
    await mkdir(join(folder, '.avocet'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** A place on the server where there is no crawl yet. */
  const newPlace = (): string => `${server.url}?crawl=${encodeURIComponent(`crawl ${String(++made)}`)}`
  const move = (from: string, to: string): Promise<CliRun> => runCli(['move', from, to], { folder })

  /** The store of `teas` in a file: something of everything. */
  async function teas(): Promise<string> {
    const path = join(folder, '.avocet/teas.db')
    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)
    await everything(frontier)
    await frontier.close()
    return path
  }

  it('and back makes a crawl that has the same rows, says the same of everything, and goes on in the same way', async () => {
    const path = await teas()
    const [far, back] = [newPlace(), join(folder, '.avocet/back.db')]

    const [there, andBack] = [await move('teas', far), await move(far, back)]

    expect([there, andBack]).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(there.stdout).toContain('12 URLs, 2 items, 6 hosts; .avocet/teas.db is as it was\n')
    expect(there.stdout + andBack.stdout).not.toContain(new URL(server.url).password)
    const [original, onServer, inFile] = [
      await rowsOf(openReader(path)),
      await rowsOf(openPostgresReader(far)),
      await rowsOf(openReader(back)),
    ]
    expect(Object.keys(original)).toEqual(TABLES)
    expect([onServer, inFile]).toEqual([original, original])
    expect(await verifyStore(back)).toEqual({ faults: [], known: 12, items: 2 })
    const told = await story(sqlite(path))
    expect(await story(postgresFrontier(far))).toEqual(told)
    expect(await story(sqlite(back))).toEqual(told)
  })

  it('and to another crawl of the server makes one that has the same rows, of requests without gaps in their ids', async () => {
    const [first, second] = [newPlace(), newPlace()]
    const frontier = postgresFrontier(first)
    await frontier.open(SPEC, 0)
    await Promise.all([everything(frontier), frontier.add([newRequest('a.example/'), newRequest('g.example/')])])
    await frontier.close()

    expect(await move(first, second)).toMatchObject({ code: 0 })

    expect(await rowsOf(openPostgresReader(second))).toEqual(await rowsOf(openPostgresReader(first)))
  })

  it('lets the crawl go on there, and in a file again, without asking for any page twice', async () => {
    const site = await smallSite(24)
    const [begun, far, ended] = [join(folder, 'begun.db'), newPlace(), join(folder, 'ended.db')]
    const crawl = (store: string, ...words: string[]): Promise<CliRun> =>
      runCli(['crawl', site.url, '--store', store, '--rate', 'none', ...words], { folder })

    expect(await crawl(begun, '--max-pages', '7')).toMatchObject({ code: 5 })
    expect(await move(begun, far)).toMatchObject({ code: 0 })
    expect(await crawl(far, '--max-pages', '7')).toMatchObject({ code: 5 })
    expect(await move(far, ended)).toMatchObject({ code: 0 })
    expect(await crawl(ended)).toMatchObject({ code: 0 })
    site.close()

    expect(site.asked.toSorted()).toEqual(['/', ...Array.from({ length: 23 }, (_, n) => `/${String(n + 1)}`)].toSorted())
  })

  it('is refused in one line where there is a crawl already, somebody crawls, or no server answers', async () => {
    const path = await teas()
    const far = newPlace()
    await move(path, far)
    const crawling = postgresFrontier(far)
    await crawling.open(SPEC, 0)

    const runs = [
      await move(path, far),
      await move(far, 'new.db'),
      await move(path, 'postgres://me:secret@127.0.0.1:1/x'),
      await move('postgres://me:secret@127.0.0.1:1/x', 'new.db'),
      await move(path, 'postgre://me:secret@127.0.0.1/x'),
      await move(newPlace(), 'new.db'),
    ]
    await crawling.close()

    expect(runs.map(({ code }) => code)).toEqual([2, 7, 7, 7, 2, 7])
    const said = runs.map(({ stderr }) => stderr.trim())
    expect(said.filter((text) => text.includes('\n'))).toEqual([])
    expect(said.join('\n')).not.toMatch(/secret|pass%20of/)
    expect(said).toEqual([
      expect.stringContaining('expected no store at'),
      expect.stringContaining('expected nobody to work on'),
      expect.stringContaining('expected an answer of the server'),
      expect.stringContaining('expected an answer of the server'),
      expect.stringContaining("did you mean 'postgres'"),
      expect.stringContaining('got none of that name among'),
    ])
  })

  it('lets nobody begin to crawl in what is being moved', async () => {
    const path = await teas()
    const far = newPlace()
    await move(path, far)
    const reader = await openPostgresReader(far)
    const rows = reader.rows()
    await rows.next()
    const other = postgresFrontier(far, { timeoutMs: 300 })

    await expect(other.open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_AWAY' })

    await reader.close()
  })

  it('leaves nothing that could be taken for a crawl where it fails halfway, and starts over', async () => {
    const far = newPlace()
    const half = postgresFrontier(far)
    await half.open(SPEC, 0)
    const path = await teas()
    const reader = await openReader(path)
    await expect(half.restore(cut(reader.rows()))).rejects.toThrow('the disk is gone')
    await reader.close()
    await half.close()

    const runs = [await runCli(['status', far], { folder }), await move(far, 'new.db'), await move(path, far)]

    expect(runs).toMatchObject([
      { code: 7, stderr: expect.stringContaining('expected a whole crawl') as string },
      { code: 7, stderr: expect.stringContaining('expected a whole crawl') as string },
      { code: 0 },
    ])
  })
})

/** The first rows, and then a fault. */
async function* cut(rows: AsyncIterable<CopiedRows>): AsyncGenerator<CopiedRows> {
  let left = 6
  for await (const some of rows) {
    if (left-- === 0) throw new Error('the disk is gone')
    yield some
  }
}

/** An output has another name beside another store. */
function textOf(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(/[^"\\]*items\.jsonl/g, 'items.jsonl')
}

/** The rows of each table, but for ids of processes, which go on from store to store. */
async function rowsOf(opening: Promise<CopiedReader>): Promise<Record<string, string[]>> {
  const reader = await opening
  const tables: Record<string, string[]> = {}
  for await (const { table, rows } of reader.rows()) {
    const texts = rows.map(({ process: _process, ...row }) => textOf(Object.entries(row).toSorted()))
    tables[table] = [...(tables[table] ?? []), ...texts].toSorted()
  }
  await reader.close()
  return tables
}

/** What a crawl says at its rest, and how it goes on. */
async function story(frontier: Frontier): Promise<string[]> {
  await frontier.open(SPEC, 5_000)
  try {
    const told = [await readAll(frontier.reader)]
    for (const now of [6_000, 9_000, 20_000]) told.push(await turnAt(frontier, now))
    return [...told, await readAll(frontier.reader)].map(textOf)
  } finally {
    await frontier.close()
  }
}
