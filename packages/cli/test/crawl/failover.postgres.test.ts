// The server of the store dies, and a replica that lacks its last commits takes its place: a real process, real servers.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgresMissing, startPostgres, type TestPostgres } from '@avocet/stress/postgres'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
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
    await writeFile(
      join(folder, 'avocet.config.ts'),
      `import { postgresFrontier } from '${PLUGIN}'
export default { frontier: postgresFrontier('${server.url}', { allowUnsafe: true }) }`,
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

  it(
    'ends the run with what to do; once the server is accepted, the same command crawls what the replica lacks, each item once',
    { timeout: 60_000 },
    async () => {
      const quick = ['--rate', 'fixed', '--delay', '30ms', '--max-per-host', '1', '-o', 'out.jsonl']
      const run = (): Promise<CliRun> => runCli(['crawl', site.url, ...quick], { folder })
      const over = (async () => {
        await asked(12)
        const replica = await server.own?.makeReplica()
        await asked(36)
        await replica?.takeOver()
      })()
      const [first] = await Promise.all([run(), over])
      const refused = await run()
      const [, statement = ''] = /(SELECT \S+\.accept_server\(\))/.exec(refused.stderr.replaceAll(/\s+/g, ' ')) ?? []
      const client = new Client(server.url)
      await client.connect()
      await client.query(statement)
      await client.end()
      const last = await run()
      const items = (await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')

      expect([first.code, refused.code, last.code]).toEqual([7, 7, 0])
      expect(first.stderr).toContain('(AVO_FRONTIER_FAILED_OVER)')
      expect(refused.stderr).toContain('(AVO_FRONTIER_FAILED_OVER)')
      expect(last.stderr).toContain('resuming')
      expect(new Set(site.asked).size).toBe(PAGES)
      expect([items.length, new Set(items).size]).toEqual([PAGES, PAGES])
    },
  )
})
