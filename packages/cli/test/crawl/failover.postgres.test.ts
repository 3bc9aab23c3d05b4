// The server of the store dies, and a replica that lacks its last commits takes its place: a real process, real servers.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const missing = postgresMissing() ?? (process.env['AVOCET_TEST_POSTGRES'] === undefined ? undefined : '(the server is not ours)')
const PLUGIN = fileURLToPath(new URL('../../../plugin-postgres/src/index.ts', import.meta.url))
const PAGES = 60

describe.skipIf(missing !== undefined)(`a failover of the store ${missing ?? ''}`, () => {
  let folder: string
  let site: SmallSite
  let server: TestPostgres

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'avocet-failover-'))
    ;[site, server] = await Promise.all([smallSite(PAGES, 20), startPostgres()])
    // As in a crawl, but for the 5, 20 and 30 s.
    const lifetimes = '{ beatMs: 500, heldMs: 2_000, buryMs: 3_000 }'
    await writeFile(
      join(folder, 'avocet.config.ts'),
      `import { postgresFrontier } from '${PLUGIN}'
export default { frontier: postgresFrontier('${server.url}', { allowUnsafe: true, lifetimes: ${lifetimes} }) }`,
    )
  })
  afterEach(async () => {
    site.close()
    await server.stop()
    await rm(folder, { recursive: true })
  })

  async function asked(pages: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const watch = setInterval(() => {
      if (site.asked.length >= pages) resolve()
    }, 5)
    await promise
    clearInterval(watch)
  }

  /** The replica has what is committed once so many pages were asked for; it takes over later. */
  async function failOver(copiedAt: number): Promise<{ asked: Promise<string[]> }> {
    await asked(copiedAt)
    const replica = await server.own?.makeReplica()
    const takenOver = async (): Promise<string[]> => {
      await asked(36)
      await replica?.takeOver()
      return [...site.asked]
    }
    return { asked: takenOver() }
  }

  async function crawled(
    words: readonly string[] = [],
    copiedAt = 12,
  ): Promise<{ code: number | null; stderr: string; before: string[] }> {
    const over = failOver(copiedAt)
    // What is copied at once is a server that knows nothing of the crawl.
    if (copiedAt === 0) await over
    const delay = copiedAt === 0 ? '10ms' : '30ms'
    const quick = ['--rate', 'fixed', '--delay', delay, '--max-per-host', '1', '-o', 'out.jsonl']
    const run = await runCli(['crawl', site.url, ...quick, ...words], { folder })
    return { ...run, before: await (await over).asked }
  }

  it(
    'ends with the pages and items of an undisturbed crawl: what the replica lacks is crawled again',
    { timeout: 60_000 },
    async () => {
      const { code, stderr, before } = await crawled()
      const items = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')

      expect(stderr).toMatch(/failed over.*begins anew[\s\S]*resuming/)
      expect(code).toBe(0)
      expect(new Set(site.asked).size).toBe(PAGES)
      expect(items).toHaveLength(PAGES)
      expect(new Set(items).size).toBe(PAGES)
      const again = site.asked.length - PAGES
      expect(again).toBeGreaterThan(0)
      expect(again).toBeLessThanOrEqual(before.length)
    },
  )

  it(
    'ends the same where the replica has nothing of the crawl, and leaves what was in the output before it',
    { timeout: 60_000 },
    async () => {
      await writeFile(join(folder, 'out.jsonl'), '{"mine":1}\n')
      const { code, stderr } = await crawled([], 0)
      const [first, ...items] = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')

      expect(code, stderr).toBe(0)
      expect(stderr).toMatch(/failed over.*begins anew/)
      expect(new Set(site.asked).size).toBe(PAGES)
      expect(first).toBe('{"mine":1}')
      expect([items.length, new Set(items).size]).toEqual([PAGES, PAGES])
    },
  )

  it('is over at the limit of pages that was typed, of all runs together', { timeout: 60_000 }, async () => {
    const { code } = await crawled(['--max-pages', '45'])

    expect(code).toBe(5)
    expect(site.asked.length).toBeGreaterThanOrEqual(45)
    expect(site.asked.length).toBeLessThanOrEqual(48)
  })
})
