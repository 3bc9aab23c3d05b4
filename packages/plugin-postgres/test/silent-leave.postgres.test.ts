// A process leaves a server that is silent: it was stopped, or the network swallows everything.
import { startFaultProxy, postgresMissing, postgresDatabase, type FaultProxy, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresFrontier } from '../src/index.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`a server that is silent ${missing ?? ''}`, { timeout: 60_000 }, () => {
  let server: TestPostgres
  let proxy: FaultProxy

  beforeAll(async () => {
    server = await postgresDatabase()
    proxy = await startFaultProxy(server.url)
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })

  it('is waited for once by a process that leaves, and not again by each of its last calls', async () => {
    const frontier = postgresFrontier(`${proxy.url}?crawl=teas`, { allowUnsafe: true, timeoutMs: 6_000 })
    await frontier.open({ name: 'teas', hostKeying: 'host' }, 0)
    proxy.network = 'silent'
    const askedAt = performance.now()

    await frontier.close()

    expect(performance.now() - askedAt).toBeGreaterThan(5_000)
    expect(performance.now() - askedAt).toBeLessThan(11_000)
  })
})
