// A server that accepts connections, and says nothing: a store behind a firewall that drops, or one whose processes stand still.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

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

/** Runs a command with a store on that server. */
function runWithSilent(words: readonly string[]): Promise<CliRun> {
  const { port } = server.address() as AddressInfo
  const store = `postgres://me@127.0.0.1:${port}/crawls?crawl=teas`
  return runCli(
    words.map((word) => (word === 'STORE' ? store : word)),
    { folder },
  )
}

it('a crawl says that it waits for a store that is silent, and gives up after one look', { timeout: 60_000 }, async () => {
  const { code, stderr } = await runWithSilent(['crawl', 'http://127.0.0.1:9/', '--store', 'STORE'])

  expect(code).toBe(7)
  expect(stderr).toMatch(
    /waiting for the store postgres:\/\/me@127\.0\.0\.1:\d+\/crawls\?crawl=teas, which has not answered yet\n/,
  )
  expect(stderr.match(/waiting for the store/g)).toHaveLength(1)
  expect(stderr).toMatch(/\(AVO_FRONTIER_AWAY\)/)
  expect(sockets).toHaveLength(1)
})

it('every other command says so as well, and a quiet one does not', { timeout: 120_000 }, async () => {
  const commands = [
    ['crawl', 'http://127.0.0.1:9/', '--store', 'STORE', '--fresh', '--yes'],
    ['status', 'STORE'],
    ['dlq', 'retry', 'STORE'],
    ['scope', 'accept', 'a.test/*', '--store', 'STORE'],
    ['crawl', 'http://127.0.0.1:9/', '--store', 'STORE', '--fresh', '--yes', '--log-level', 'error'],
  ]

  const runs = await Promise.all(commands.map(runWithSilent))

  expect(
    runs.map(({ code, stderr }) => [code, /waiting for the store postgres:.*, which has not answered yet\n/.test(stderr)]),
  ).toEqual([
    [7, true],
    [7, true],
    [7, true],
    [7, true],
    [7, false],
  ])
})
