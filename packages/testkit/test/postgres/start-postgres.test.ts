// The server of the tests answers, again after a crash, and is gone after its stop.
import { createConnection } from 'node:net'
import { postgresMissing, startPostgres } from '@avocet/testkit/postgres'
import { describe, expect, it } from 'vitest'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`a PostgreSQL server for tests ${missing ?? ''}`, () => {
  it('listens on this machine, again after a crash, and no longer after its stop', async () => {
    const server = await startPostgres()

    const before = await isThere(server.url)
    await server.crash?.()
    const afterCrash = await isThere(server.url)
    await server.stop()
    const afterStop = await isThere(server.url)

    expect([before, afterCrash, afterStop]).toEqual([true, true, server.crash === undefined])
  })
})

function isThere(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = createConnection(Number(port), hostname)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
