// What the end of a run calls an output whose mark is in a store on a server: the store knows it by the machine and its absolute path.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresMissing, postgresDatabase } from '@avocet/stress/postgres'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'
import { smallSite } from '../small-site.ts'

const missing = postgresMissing()

it.skipIf(missing !== undefined)(
  `the report of a crawl on a server names an output from the folder of the command ${missing ?? ''}`,
  { timeout: 60_000 },
  async () => {
    const [server, site] = await Promise.all([postgresDatabase(), smallSite(3)])
    const folder = await mkdtemp(join(tmpdir(), 'avocet-output-'))
    onTestFinished(async () => {
      site.close()
      await server.stop()
      await rm(folder, { recursive: true })
    })

    const quick = ['--rate', 'none', '--delay', '0', '-O', 'pages.jsonl']
    const { code, stderr } = await runCli(['crawl', site.url, '--store', server.url, ...quick], { folder })

    expect(code).toBe(0)
    expect(stderr).toMatch(/\n {2}sinks:\n {4}pages\.jsonl: 3 items\n/)
  },
)
