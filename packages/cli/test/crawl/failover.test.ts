// The server of the store dies, and a replica that lacks its last commits takes its place: a real process, real servers.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/testkit/postgres'
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

  /** The replica has what is committed once some pages were asked for; it takes over later. */
  async function failOver(): Promise<string[]> {
    await asked(12)
    const replica = await server.own?.makeReplica()
    await asked(36)
    await replica?.takeOver()
    return [...site.asked]
  }

  async function crawled(...words: readonly string[]): Promise<{ code: number | null; stderr: string; before: string[] }> {
    const over = failOver()
    const quick = ['--rate', 'fixed', '--delay', '30ms', '--max-per-host', '1', '-o', 'out.jsonl']
    const run = await runCli(['crawl', site.url, ...quick, ...words], { folder })
    return { ...run, before: await over }
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

  it('is over at the limit of pages that was typed, of all runs together', { timeout: 60_000 }, async () => {
    const { code } = await crawled('--max-pages', '45')

    expect(code).toBe(5)
    expect(site.asked.length).toBeGreaterThanOrEqual(45)
    expect(site.asked.length).toBeLessThanOrEqual(48)
  })
})
