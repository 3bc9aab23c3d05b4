// `avocet status` of a crawl on a server says which processes work on it, and on which machines.
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Fingerprint } from '@avocet/core/store'
import { postgresFrontier } from '@avocet/plugin-postgres'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './run-cli.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`status of a crawl on a server ${missing ?? ''}`, { timeout: 60_000 }, () => {
  let server: TestPostgres
  let folder: string

  beforeAll(async () => {
    server = await postgresDatabase()
    folder = await mkdtemp(join(tmpdir(), 'avocet-status-'))
  })
  afterAll(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })

  it('says which crawl was probably meant by a name that none has', async () => {
    const frontier = postgresFrontier(`${server.url}?crawl=quotes`)
    await frontier.open({ name: 'quotes', hostKeying: 'host' }, 0)
    await frontier.close()

    const { code, stderr } = await runCli(['status', `${server.url}?crawl=quotse`], { folder })

    expect(code).toBe(7)
    expect(stderr).toMatch(
      /expected a crawl called quotse .*, got none of that name among 1 \(quotes\) \(did you mean 'quotes'\?\)/,
    )
  })

  it('lists its processes with their machines and hosts, for people and for programs', async () => {
    const store = `${server.url}?crawl=teas`
    const frontier = postgresFrontier(store)
    await frontier.open({ name: 'teas', hostKeying: 'host' }, 0)
    const url = 'https://teas.example/1'
    const fingerprint = '0123456789abcdef' as Fingerprint
    await frontier.add([{ fingerprint, hostKey: 'teas.example', url, handler: 'start', depth: 0, priority: 0 }])
    await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1 })

    const [people, programs] = [
      await runCli(['status', store], { folder }),
      await runCli(['status', store, '--json'], { folder }),
    ]
    await frontier.close()

    const line = `\n         ${hostname()}: process ${String(process.pid)} holds 1 host, running for `
    expect(people).toMatchObject({ code: 0, stdout: expect.stringContaining(line) as string })
    expect(people.stdout).toMatch(/, last heard from [\d.]+ m?s ago\n/)
    expect(JSON.parse(programs.stdout)).toMatchObject({
      liveProcesses: 1,
      processes: [{ machine: hostname(), pid: process.pid, hosts: 1, since: expect.any(Number) as number }],
    })
  })
})
