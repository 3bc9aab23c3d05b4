// The connection to the store's server is cut as a crawl begins: a real process, a real server.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresMissing, startFaultProxy, postgresDatabase } from '@avocet/stress/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'
import { smallSite } from '../small-site.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`a crawl whose first connections to its store are cut ${missing ?? ''}`, () => {
  it('connects again, and begins', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avocet-cut-'))
    const [site, server] = await Promise.all([smallSite(5, 5), postgresDatabase()])
    const proxy = await startFaultProxy(server.url, { rates: { reset: 1 }, atMost: 2 })
    onTestFinished(async () => {
      await proxy.close()
      await server.stop()
      site.close()
      await rm(folder, { recursive: true })
    })

    const pace = ['--rate', 'fixed', '--delay', '0', '-O', 'out.jsonl']
    const { code, stderr } = await runCli(['crawl', site.url, ...pace, '--store', `${proxy.url}?crawl=cut`], { folder })

    expect(stderr).not.toContain('AVO_FRONTIER_AWAY')
    expect(code).toBe(0)
    expect(proxy.counts.reset).toBe(2)
    expect((await readFile(join(folder, 'out.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(5)
  })
})
