// A server that accepts connections, and says nothing: a store behind a firewall that drops, or one whose processes stand still.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

/** A server in whose name commands run, each with the store on it. */
interface SilentServer {
  run(words: readonly string[]): Promise<CliRun>
  /** Its connections so far. */
  readonly sockets: readonly Socket[]
}

async function silentServer(onTestFinished: TestContext['onTestFinished']): Promise<SilentServer> {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-silent-'))
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await rm(folder, { recursive: true })
  })
  const { port } = server.address() as AddressInfo
  const store = `postgres://me@127.0.0.1:${port}/crawls?crawl=teas`
  return {
    sockets,
    run: (words) =>
      runCli(
        words.map((word) => (word === 'STORE' ? store : word)),
        { folder },
      ),
  }
}

// Both wait for a server for 15 s.
it.concurrent(
  'a crawl says that it waits for a store that is silent, and gives up after one look',
  { timeout: 60_000 },
  async ({ expect, onTestFinished }) => {
    const { run, sockets } = await silentServer(onTestFinished)
    const { code, stderr } = await run(['crawl', 'http://127.0.0.1:9/', '--store', 'STORE'])

    expect(code).toBe(7)
    expect(stderr).toMatch(
      /waiting for the store postgres:\/\/me@127\.0\.0\.1:\d+\/crawls\?crawl=teas, which has not answered yet\n/,
    )
    expect(stderr.match(/waiting for the store/g)).toHaveLength(1)
    expect(stderr).toMatch(/\(AVO_FRONTIER_AWAY\)/)
    expect(sockets).toHaveLength(1)
  },
)

it.concurrent(
  'every other command says so as well, and a quiet one does not',
  { timeout: 120_000 },
  async ({ expect, onTestFinished }) => {
    const { run } = await silentServer(onTestFinished)
    const commands = [
      ['crawl', 'http://127.0.0.1:9/', '--store', 'STORE', '--fresh', '--yes'],
      ['status', 'STORE'],
      ['dlq', 'retry', 'STORE'],
      ['scope', 'accept', 'a.test/*', '--store', 'STORE'],
      ['crawl', 'http://127.0.0.1:9/', '--store', 'STORE', '--fresh', '--yes', '--log-level', 'error'],
    ]

    const runs = await Promise.all(commands.map(run))

    expect(
      runs.map(({ code, stderr }) => [code, /waiting for the store postgres:.*, which has not answered yet\n/.test(stderr)]),
    ).toEqual([
      [7, true],
      [7, true],
      [7, true],
      [7, true],
      [7, false],
    ])
  },
)
