// Starts a PostgreSQL server for a test file: on a free port of this machine, in a folder that goes away with it.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '@avocet/core/store'
import { binariesFolder, linkLibraries, postgresMissing } from './binaries.ts'

/** A server, or a database of another one. */
export interface TestPostgres {
  /** With user and password. */
  readonly url: string
  /** Kills the server as a power cut does, and starts it again at the same port. Absent with the server of `AVOCET_TEST_POSTGRES`. */
  readonly crash?: () => Promise<void>
  /** Ends the server, and removes its folder. */
  stop(): Promise<void>
}

/** How it is started. */
export interface StartOptions {
  /** Force what is written to the disk. Default: no; a kill loses nothing that the system has, and nobody cuts the power. */
  readonly fsync?: boolean
}

/** PostgreSQL refuses to run as root. The user `nobody` of most systems. */
const NOBODY = 65_534
const START_MS = 30_000
const USER = 'avocet'
const PASSWORD = 'pass of the test'

/** A server whose data nobody wants to keep. */
const SETTINGS = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=20'],
  ...['shared_buffers=16MB', 'autovacuum=off', 'log_checkpoints=off'],
].flatMap((setting) => ['-c', setting])

/**
 * A PostgreSQL server of its own for a test file, ready in about 2 s. If `AVOCET_TEST_POSTGRES` has the URL of a server, it is used instead.
 *
 * Throws if there is no server for this platform (see `postgresMissing`), or it is not ready within 30 s.
 *
 * @example
 * ```ts
 * import { startPostgres } from '@avocet/testkit/postgres'
 *
 * const server = await startPostgres()
 * // … connect to server.url …
 * await server.stop()
 * ```
 */
export async function startPostgres({ fsync = false }: StartOptions = {}): Promise<TestPostgres> {
  const url = process.env['AVOCET_TEST_POSTGRES']
  if (url !== undefined) return { url, stop: () => Promise.resolve() }
  const binaries = binariesFolder()
  if (binaries === undefined) throw new Error(`expected a PostgreSQL server ${postgresMissing() ?? ''}`)
  linkLibraries(binaries)
  const cluster = await makeCluster(binaries)
  const watcher = watch(cluster)
  const port = await freePort()
  let server = await startServer(cluster, { port, fsync })
  return {
    url: `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${String(port)}/postgres`,
    async crash() {
      await ended(server, 'SIGQUIT')
      server = await startServer(cluster, { port, fsync })
    },
    async stop() {
      watcher.kill('SIGKILL')
      await ended(server, 'SIGQUIT')
      rmSync(cluster.folder, { recursive: true, force: true })
    },
  }
}

interface Cluster {
  readonly binaries: string
  readonly folder: string
  /** Who runs it: somebody else, if this is root. */
  readonly as: { readonly cwd: string; readonly uid?: number; readonly gid?: number }
}

async function makeCluster(binaries: string): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-postgres-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  const as = { cwd: folder, ...(isRoot && { uid: NOBODY, gid: NOBODY }) }
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, PASSWORD)
  const words = ['--no-sync', '--no-instructions', '--locale=C', '--encoding=UTF8', '--auth=scram-sha-256']
  const initdb = join(binaries, 'bin', 'initdb')
  await promisify(execFile)(initdb, ['-D', 'data', '-U', USER, `--pwfile=${passwordFile}`, ...words], {
    ...as,
    timeout: START_MS,
  })
  return { binaries, folder, as }
}

/** Outlives this process by a moment: when its pipe closes, for whatever reason, it ends the server and removes the folder. */
function watch({ folder }: Cluster): ChildProcess {
  const script = 'read -r _; kill -QUIT "$(head -n 1 data/postmaster.pid)"; cd / && rm -rf "$0"'
  const watcher = spawn('sh', ['-c', script, folder], { cwd: folder, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // Where there is no sh, a test that is killed leaves its server.
  watcher.once('error', () => undefined)
  watcher.unref()
  return watcher
}

async function startServer(
  { binaries, as }: Cluster,
  { port, fsync }: { readonly port: number; readonly fsync: boolean },
): Promise<ChildProcess> {
  const words = ['-D', 'data', '-p', String(port), '-c', `fsync=${fsync ? 'on' : 'off'}`, ...SETTINGS]
  const server = spawn(join(binaries, 'bin', 'postgres'), words, { ...as, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  const clock = systemClock()
  const { promise: isReady, resolve } = Promise.withResolvers<boolean>()
  using _tooLate = clock.at(clock.now() + START_MS, () => resolve(false))
  server.stderr.on('data', (text: Buffer) => {
    said = (said + text.toString()).slice(-10_000)
    if (said.includes('database system is ready to accept connections')) resolve(true)
  })
  server.once('error', () => resolve(false))
  server.once('exit', () => resolve(false))
  if (await isReady) return server
  server.kill('SIGKILL')
  throw new Error(`expected PostgreSQL to start within ${String(START_MS / 1_000)} s, got: ${said.slice(-500)}`)
}

function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve()
    server.once('exit', () => resolve())
    server.kill(signal)
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
