// Orders to a crawl whose store is on a server: other processes hear of them there, too.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'
import { going, quiet } from './requests-of.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`a crawl on a server ${missing ?? ''}`, { timeout: 60_000 }, () => {
  let server: TestPostgres
  let folder: string
  let site: SmallSite

  beforeAll(async () => {
    server = await postgresDatabase()
    folder = await mkdtemp(join(tmpdir(), 'avocet-control-'))
    site = await smallSite(100_000)
  })
  afterAll(async () => {
    site.close()
    await server.stop()
    await rm(folder, { recursive: true })
  })

  it('is paused, has a host paused and resumed, and is stopped by another process', async () => {
    const store = `${server.url}?crawl=small`
    const order = (...words: readonly string[]): Promise<CliRun> => runCli([...words, '--store', store], { folder })
    const words = ['crawl', site.url, '--store', store, '--delay', '20ms', '--rate', 'none', '--processes', '2']
    const ended = runCli(words, { folder })

    await going(site, 3)
    await vi.waitFor(async () => expect((await order('status')).stdout).toContain('2 processes'), 20_000)
    const paused = await order('pause')
    await quiet(site)
    await order('resume')
    await going(site, 3)
    await order('host', 'pause', site.url)
    await quiet(site)
    await order('host', 'resume', site.url)
    await going(site, 3)
    const stopped = await order('stop')

    expect(paused.stdout).toContain('the 2 processes that crawl')
    expect(stopped).toMatchObject({ code: 0 })
    expect((await ended).code).toBe(0)
  })
})
