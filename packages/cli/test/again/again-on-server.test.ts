// Kept responses of a crawl on a server: nothing there runs the handlers over them, so nothing advises that.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresMissing, startPostgres } from '@avocet/stress/postgres'
import { expect, it, onTestFinished } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite } from '../small-site.ts'

const missing = postgresMissing()

it.skipIf(missing !== undefined)(
  `a crawl on a server advises no --again, which says what it needs instead ${missing ?? ''}`,
  { timeout: 60_000 },
  async () => {
    const [server, site] = await Promise.all([startPostgres({ fsync: true }), smallSite(6)])
    const folder = await mkdtemp(join(tmpdir(), 'avocet-again-'))
    onTestFinished(async () => {
      site.close()
      await server.stop()
      await rm(folder, { recursive: true })
    })
    const crawl = (...words: string[]): Promise<CliRun> =>
      runCli(['crawl', site.url, '--store', server.url, ...words], { folder })
    const quick = ['--rate', 'none', '--delay', '0', '--cache']
    const first = await crawl(...quick)
    const asked = site.asked.length
    const next = await crawl(...quick)
    const again = await crawl('--again', '-O', 'out.jsonl')

    expect([first.code, next.code, again.code]).toEqual([0, 0, 2])
    expect(first.stderr + next.stderr).not.toContain('--again')
    expect(again.stderr).toMatch(
      /expected a store that avocet made in a file, got postgres:.*such as one that the command move made of it/,
    )
    expect(site.asked).toHaveLength(asked)
  },
)
