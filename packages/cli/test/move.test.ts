// `avocet move`: a resting crawl is in another store, whole, and can go on there.
import { hash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CopiedRows, openReader, sqlite, verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { type Fingerprint, type Frontier, type NewRequest } from '@avocet/core/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from './run-cli.ts'
import { smallSite } from './small-site.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-move-'))
  await mkdir(join(folder, '.avocet'))
})
afterEach(() => rm(folder, { recursive: true }))

function teas(n: number): NewRequest {
  const url = `https://teas.example/${n}`
  const fingerprint = hash('sha1', url, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint
  return { fingerprint, hostKey: 'teas.example', url, handler: 'start', depth: 0, priority: 0 }
}

/** The store of `teas`: three URLs, one of them done with an item that is in `items.jsonl`. */
async function opened(): Promise<Frontier> {
  const frontier = sqlite(join(folder, '.avocet/teas.db'))
  await frontier.open({ name: 'teas', hostKeying: 'host' }, 0)
  await frontier.add([1, 2, 3].map(teas))
  const { leases } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })
  const [lease] = leases
  const fetched = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }
  const requestId = lease?.requests[0]?.id ?? 0
  const { hostKey = '', epoch = 0 } = lease ?? {}
  const outcome = { kind: 'done', fetched } as const
  await frontier.commit([{ lease: { hostKey, epoch }, requestId, outcome, links: [], items: [{ json: '{"tea":1}' }] }])
  const state = { bytes: 10, start: { itemSeq: 0, bytes: 0 } }
  await frontier.sinks.keep({ name: '../items.jsonl', written: 1, mark: { itemSeq: 1, state } })
  return frontier
}

/** Its first rows, and then a kill. */
async function* cut(rows: AsyncIterable<CopiedRows>): AsyncGenerator<CopiedRows> {
  let left = 3
  for await (const some of rows) {
    if (left-- === 0) throw new Error('killed')
    yield some
  }
}

describe('avocet move', { timeout: 60_000 }, () => {
  it('takes a crawl along, leaves its store as it is, and says how to go on', async () => {
    await (await opened()).close()
    const before = await readFile(join(folder, '.avocet/teas.db'))

    const { code, stdout } = await runCli(['move', 'teas', 'far/new.db'], { folder })

    expect(code).toBe(0)
    expect(stdout).toContain('far/new.db: 3 URLs, 1 item, 1 host; .avocet/teas.db is as it was')
    expect(stdout).toMatch(/is as it was\nto go on, run your crawl command with this store:\n  --store far\/new\.db\n$/)
    expect(await readFile(join(folder, '.avocet/teas.db'))).toEqual(before)
    expect(await verifyStore(join(folder, 'far/new.db'))).toEqual({ faults: [], known: 3, items: 1 })
  })

  it('of a crawl of a URL says how to go on with an option that the same command takes', async () => {
    const site = await smallSite(10)
    const command = ['crawl', site.url, '--rate', 'none', '--delay', '0']
    await runCli([...command, '--max-pages', '3', '--store', 'old.db'], { folder })

    const { stdout } = await runCli(['move', 'old.db', 'new.db'], { folder })
    const words = (stdout.trimEnd().split('\n').at(-1) ?? '').trim().split(' ')
    const { code, stderr } = await runCli([...command, ...words], { folder })
    site.close()

    expect(words).toEqual(['--store', 'new.db'])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/resuming .*: 3 settled/)])
  })

  it('says which files stay beside the store that it comes from, and only those that are there', async () => {
    await (await opened()).close()
    const none = await runCli(['move', 'teas', 'first.db'], { folder })
    await writeFile(join(folder, '.avocet/teas.cache'), '')
    const responses = await runCli(['move', 'teas', 'second.db'], { folder })
    await mkdir(join(folder, '.avocet/teas.files'))
    const both = await runCli(['move', 'teas', 'third.db'], { folder })

    expect(none.stdout).not.toContain('stay')
    expect(responses.stdout).toContain('\nkept responses stay in .avocet/teas.cache\n')
    expect(both.stdout).toContain('\nkept responses stay in .avocet/teas.cache\nsaved files stay in .avocet/teas.files\n')
  })

  it('leaves an output to one of the two stores: the other is refused, and told how to go on', async () => {
    const site = await smallSite(30)
    const crawl = (store: string, output: string, most: number, mode = '-o') =>
      runCli(['crawl', site.url, '--store', store, '--rate', 'none', '--delay', '0', '--max-pages', String(most), mode, output], {
        folder,
      })
    await crawl('old.db', 'out.jsonl', 5)
    await runCli(['move', 'old.db', 'new.db'], { folder })
    await runCli(['move', 'old.db', 'newer.db'], { folder })
    await crawl('old.db', 'out.jsonl', 5)
    const before = await readFile(join(folder, 'out.jsonl'), 'utf8')
    const refused = await crawl('new.db', 'out.jsonl', 5)
    const after = await readFile(join(folder, 'out.jsonl'), 'utf8')
    const anew = await crawl('new.db', 'out.jsonl', 100, '-O')
    const lines = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')
    const another = await crawl('newer.db', 'out2.jsonl', 100)
    site.close()

    expect(refused.code).toBe(7)
    expect(refused.stderr).toMatch(
      /out\.jsonl: expected a new file, or one as this crawl left it, got one that was written to by others; .* name another file/,
    )
    expect(after).toBe(before)
    expect([anew.code, another.code]).toEqual([0, 0])
    expect([lines.length, new Set(lines).size]).toEqual([30, 30])
  })

  it('goes on with an output that nobody wrote to since', async () => {
    const site = await smallSite(30)
    const crawl = (store: string, most: number) =>
      runCli(
        ['crawl', site.url, '--store', store, '--rate', 'none', '--delay', '0', '--max-pages', String(most), '-o', 'out.jsonl'],
        { folder },
      )
    await crawl('old.db', 5)
    await runCli(['move', 'old.db', 'new.db'], { folder })
    const codes = [(await crawl('new.db', 5)).code, (await crawl('new.db', 100)).code]
    const lines = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')
    site.close()

    expect(codes).toEqual([5, 0])
    expect([lines.length, new Set(lines).size]).toEqual([30, 30])
  })

  it('renames outputs by where the new store is, so that they go on', async () => {
    await (await opened()).close()

    await runCli(['move', 'teas', 'far/deep/new.db'], { folder })
    const reader = await openReader(join(folder, 'far/deep/new.db'))
    const sinks = await reader.sinks()
    await reader.close()

    expect(sinks).toMatchObject([
      { name: '../../items.jsonl', written: 1, behind: 0, mark: { itemSeq: 1, state: { bytes: 10 } } },
    ])
  })

  it('starts over where the same command was killed, and nothing else takes what that left', async () => {
    await (await opened()).close()
    const [half, bare] = [sqlite(join(folder, 'half.db')), sqlite(join(folder, 'bare.db'))]
    for (const store of [half, bare]) await store.open({ name: 'teas', hostKeying: 'host' }, 0)
    const reader = await openReader(join(folder, '.avocet/teas.db'))
    await expect(half.restore(cut(reader.rows()))).rejects.toThrow('killed')
    for (const store of [reader, half, bare]) await store.close()

    const others = [
      ['crawl', 'https://teas.example/', '--store', 'half.db'],
      ['status', 'half.db'],
      ['move', 'half.db', 'b.db'],
    ]
    const refused = await Promise.all(others.map((words) => runCli(words, { folder })))
    const runs = [await runCli(['move', 'teas', 'half.db'], { folder }), await runCli(['move', 'teas', 'bare.db'], { folder })]

    for (const { code, stderr } of refused)
      expect([code, stderr]).toEqual([7, expect.stringMatching(/run the same avocet move again.*AVO_FRONTIER_UNFINISHED/)])
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    for (const name of ['half.db', 'bare.db'])
      expect(await verifyStore(join(folder, name))).toEqual({ faults: [], known: 3, items: 1 })
  })

  it.each([
    ['an empty file', (path: string) => writeFile(path, '')],
    ['a database without tables', (path: string) => void new Database(path).exec('PRAGMA journal_mode = WAL').close()],
  ])('starts over where it was killed so early that it left %s', async (_what, leave) => {
    await (await opened()).close()
    await leave(join(folder, 'new.db'))

    const { code, stderr } = await runCli(['move', 'teas', 'new.db'], { folder })

    expect([code, stderr]).toEqual([0, ''])
    expect(await verifyStore(join(folder, 'new.db'))).toEqual({ faults: [], known: 3, items: 1 })
  })

  it('refuses while somebody crawls', async () => {
    const frontier = await opened()
    const { code, stderr } = await runCli(['move', 'teas', 'new.db'], { folder })
    await frontier.close()

    expect(code).toBe(7)
    expect(stderr).toContain('expected nobody to work on')
  })

  it('refuses where there is a store already, and where there is none to move', async () => {
    await (await opened()).close()

    expect(await runCli(['move', 'teas', '.avocet/teas.db'], { folder })).toMatchObject({ code: 2 })
    expect(await runCli(['move', 'cups.db', 'new.db'], { folder })).toMatchObject({ code: 7 })
  })
})
