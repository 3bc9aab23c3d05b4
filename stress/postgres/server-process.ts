// The processes of one PostgreSQL server of tests: started, killed, frozen, promoted.
//
// A server is one process (the postmaster) with a child for each connection and for its own work. The children are in sessions of their own, so that a signal
// for all of them goes to each by its id. The postmaster is signalled first: it makes no child while it is frozen or dead.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleepUntil, systemClock } from '@avocet/core/store'
import { PROGRAM_MS, run, type Cluster } from './cluster.ts'

/** A server whose data nobody wants to keep. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '20',
  shared_buffers: '16MB',
  autovacuum: 'off',
  log_checkpoints: 'off',
}

/** What a server says when it is there: one that only reads, as well. */
const READY = /database system is ready to accept (?:read-only )?connections/

const HELD = /pre-existing shared memory block .* is still in use/

/** Which data it serves, where, and with which settings beside those of tests. */
export interface ServerPlan {
  /** Inside the folder of the cluster. */
  readonly data: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
}

/** One server; it may be started again. */
export class ServerProcess {
  readonly #cluster: Cluster
  readonly #plan: ServerPlan
  #postmaster: ChildProcess | undefined

  constructor(cluster: Cluster, plan: ServerPlan) {
    this.#cluster = cluster
    this.#plan = plan
  }

  /** Ready when this resolves. Throws if it is not within 30 s. Memory of a server that was killed is held until all of its processes are gone. */
  async start(): Promise<void> {
    const clock = systemClock()
    const until = clock.now() + PROGRAM_MS
    for (let said = await this.#started(); said !== undefined; said = await this.#started()) {
      if (!HELD.test(said) || clock.now() >= until)
        throw new Error(`expected PostgreSQL to start within ${String(PROGRAM_MS / 1_000)} s, got: ${said.slice(-500)}`)
      await sleepUntil(clock, clock.now() + 50)
    }
  }

  /** Starts it once. What it said where it did not become ready. */
  async #started(): Promise<string | undefined> {
    const { binaries, as } = this.#cluster
    const { data, port, settings } = this.#plan
    const told = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const server = spawn(join(binaries, 'bin', 'postgres'), ['-D', data, '-p', String(port), ...told], {
      ...as,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#postmaster = server
    let said = ''
    const clock = systemClock()
    const { promise: isReady, resolve } = Promise.withResolvers<boolean>()
    using _tooLate = clock.at(clock.now() + PROGRAM_MS, () => resolve(false))
    server.stderr.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-10_000)
      if (READY.test(said)) resolve(true)
    })
    server.once('error', () => resolve(false))
    server.once('exit', () => resolve(false))
    if (await isReady) return undefined
    server.kill('SIGKILL')
    return said
  }

  /** Takes its memory from it at once, and tells its clients. */
  async end(): Promise<void> {
    const gone = this.#gone()
    this.resume()
    this.#postmaster?.kill('SIGQUIT')
    await gone
  }

  /** SIGKILL for all of its processes: its clients hear from the system that their connections are gone. */
  async kill(): Promise<void> {
    const gone = this.#gone()
    this.#signal('SIGKILL')
    await gone
  }

  /** It does nothing more, and its connections stay open. */
  freeze(): void {
    this.#signal('SIGSTOP')
  }

  /** It goes on where it was frozen. */
  resume(): void {
    this.#signal('SIGCONT')
  }

  /** A standby becomes a primary with a timeline of its own. */
  async promote(): Promise<void> {
    await run(this.#cluster, join(this.#cluster.binaries, 'bin', 'pg_ctl'), ['promote', '-s', '-D', this.#plan.data])
  }

  #signal(signal: NodeJS.Signals): void {
    const server = this.#postmaster
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
    // Before it is dead its children are those of it.
    if (signal === 'SIGKILL') server.kill('SIGSTOP')
    else server.kill(signal)
    for (const pid of childrenOf(server.pid)) signalled(pid, signal)
    if (signal === 'SIGKILL') server.kill(signal)
  }

  #gone(): Promise<void> {
    const server = this.#postmaster
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return Promise.resolve()
    return new Promise((resolve) => server.once('exit', () => resolve()))
  }
}

function childrenOf(pid: number): readonly number[] {
  const list = `/proc/${String(pid)}/task/${String(pid)}/children`
  if (existsSync(list)) return numbersIn(readFileSync(list, 'utf8'))
  const all = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' }).split('\n').map(numbersIn)
  return all.flatMap(([parent, child]) => (parent === pid && child !== undefined ? [child] : []))
}

function numbersIn(text: string): readonly number[] {
  return text.split(/\s+/).filter(Boolean).map(Number)
}

function signalled(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
