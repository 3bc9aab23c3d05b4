// A server that accepts connections, and says nothing: a store behind a firewall that drops, or one whose processes stand still.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../run-cli.ts'

let folder: string
let server: Server
const sockets: Socket[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-silent-'))
  server = createServer((socket) => sockets.push(socket.on('error', () => undefined)))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
  await rm(folder, { recursive: true })
})

it('a crawl says that it waits for a store that is silent, and gives up after one look', { timeout: 60_000 }, async () => {
  const { port } = server.address() as AddressInfo
  const { code, stderr } = await runCli(
    ['crawl', 'http://127.0.0.1:9/', '--store', `postgres://me@127.0.0.1:${String(port)}/crawls`],
    { folder },
  )

  expect(code).toBe(7)
  expect(stderr).toMatch(
    /waiting for the store postgres:\/\/me@127\.0\.0\.1:\d+\/crawls\?crawl=[\w.-]+, which has not answered yet\n/,
  )
  expect(stderr).toMatch(/\(AVO_FRONTIER_AWAY\)/)
  expect(sockets).toHaveLength(1)
})
