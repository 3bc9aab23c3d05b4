// `avocet move` to a server and back: the crawl is the same, and goes on where it was.
import { hash } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CANONICALISATION, type DumpRecord, type Fingerprint, type FrontierReader, type NewRequest } from '@avocet/core/store'
import { openPostgresReader, postgresFrontier } from '@avocet/plugin-postgres'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'
import { smallSite } from './small-site.ts'

const missing = postgresMissing()
const SPEC = { name: 'teas', canonicalisation: CANONICALISATION, hostKeying: 'host' }

describe.skipIf(missing !== undefined)(`avocet move to a server ${missing ?? ''}`, { timeout: 120_000 }, () => {
  let server: TestPostgres
  let folder: string
  let made = 0

  beforeAll(async () => {
    server = await startPostgres({ fsync: true })
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

  /** The store of `teas` in a file: three URLs, one of them done with an item that is in `items.jsonl`, one that failed. */
  async function teas(): Promise<string> {
    const path = join(folder, '.avocet/teas.db')
    const frontier = sqlite(path)
    await frontier.open(SPEC, 0)
    await frontier.add([1, 2, 3].map(newRequest))
    const { leases } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 2 })
    const [lease] = leases
    const [first, second] = (lease?.requests ?? []).map(({ id }) => id)
    const held = { hostKey: lease?.hostKey ?? '', epoch: lease?.epoch ?? 0 }
    const fetched = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }
    const none = { links: [], items: [] }
    await frontier.commit([
      {
        lease: held,
        requestId: first ?? 0,
        outcome: { kind: 'done', fetched },
        links: [],
        items: [{ json: '{"tea":"Ösmanthus"}' }],
      },
      {
        lease: held,
        requestId: second ?? 0,
        outcome: { kind: 'retry', at: 5, counted: true, reason: 'http-503', fetched },
        ...none,
      },
    ])
    await frontier.keepSink({
      name: '../items.jsonl',
      written: 1,
      mark: { itemSeq: 1, state: { bytes: 10, start: { itemSeq: 0, bytes: 0 } } },
    })
    await frontier.note({ scope: '["teas.example"]' })
    await frontier.release([{ lease: held, rest: { readyAt: 9, memory: { pace: '{"rate":1.5}' } } }])
    await frontier.close()
    return path
  }

  it('and back makes a crawl that gives the same dump', async () => {
    const path = await teas()
    const far = newPlace()

    const [there, andBack] = [await move('teas', far), await move(far, '.avocet/back.db')]

    expect([there, andBack]).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(there.stdout).toContain('3 URLs, 1 item, 1 host; .avocet/teas.db is as it was\n')
    expect(there.stdout + andBack.stdout).not.toContain(new URL(server.url).password)
    expect(await dumpOf(openReader(join(folder, '.avocet/back.db')))).toEqual(await dumpOf(openReader(path)))
  })

  it('and to another crawl of the server makes one that gives the same dump', async () => {
    const path = await teas()
    const [first, second] = [newPlace(), newPlace()]

    await move(path, first)
    expect(await move(first, second)).toMatchObject({ code: 0 })

    expect(await dumpOf(openPostgresReader(second))).toEqual(await dumpOf(openPostgresReader(first)))
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
    const records = reader.dump?.()[Symbol.asyncIterator]()
    await records?.next()
    const other = postgresFrontier(far, { timeoutMs: 300 })

    await expect(other.open(SPEC, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_AWAY' })

    await reader.close()
  })

  it('leaves nothing that could be taken for a crawl where it fails halfway', async () => {
    const far = newPlace()
    const half = postgresFrontier(far)
    await half.open(SPEC, 0)
    const records = await dumpOf(openReader(await teas()))
    await expect(half.load?.(only(records.slice(0, 3)))).rejects.toMatchObject({ code: 'AVO_FRONTIER_CORRUPT' })
    await half.abandon()

    const runs = [await runCli(['status', far], { folder }), await move(far, 'new.db')]

    expect(runs).toMatchObject([
      { code: 7, stderr: expect.stringContaining('expected a whole crawl') as string },
      { code: 7, stderr: expect.stringContaining('expected a whole crawl') as string },
    ])
  })
})

function newRequest(n: number): NewRequest {
  const url = `https://teas.example/${String(n)}`
  const fingerprint = hash('sha1', url, 'buffer').subarray(0, 16).toString('latin1') as Fingerprint
  return { fingerprint, hostKey: 'teas.example', url, handler: 'start', depth: 0, priority: n % 2, anchorText: 'a "tea" \\ cup' }
}

async function* only(records: readonly DumpRecord[]): AsyncGenerator<DumpRecord> {
  yield* records
}

async function dumpOf(opening: Promise<FrontierReader>): Promise<DumpRecord[]> {
  const reader = await opening
  const records: DumpRecord[] = []
  if (reader.dump !== undefined) for await (const record of reader.dump()) records.push(record)
  await reader.close()
  return records
}
