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

// It waits for a server for 15 s.
it.concurrent(
  'a crawl gives up a store that is silent after one look',
  { timeout: 60_000 },
  async ({ expect, onTestFinished }) => {
    const { run, sockets } = await silentServer(onTestFinished)
    const { code, stderr } = await run(['crawl', 'http://127.0.0.1:9/', '--store', 'STORE'])

    expect(code).toBe(7)
    expect(stderr).toMatch(/\(AVO_FRONTIER_AWAY\)/)
    expect(sockets).toHaveLength(1)
  },
)
