// Starts a PostgreSQL server for a test file: on a free port of this machine, in a folder that goes away with it.
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { binariesFolder, linkLibraries, postgresMissing } from './binaries.ts'
import { CLUSTER_PASSWORD, CLUSTER_USER, makeCluster, watch, type Cluster } from './cluster.ts'
import { ReplicaFolder } from './lagging-replica.ts'
import { ServerProcess, type ServerPlan } from './server-process.ts'

/** A server, or a database of another one. */
export interface TestPostgres {
  /** With user and password. */
  readonly url: string
  /** Kills the server as a power cut does, and starts it again at the same port. Absent with the server of `AVOCET_TEST_POSTGRES`. */
  readonly crash?: () => Promise<void>
  /** What can be done to it. Absent with the server of `AVOCET_TEST_POSTGRES`. */
  readonly own?: OwnPostgres
  /** Ends the server, and removes its folder. */
  stop(): Promise<void>
}

/** What can be done to a server of one's own. */
export interface OwnPostgres {
  /** SIGKILL for all processes of the server. What they had committed is on the disk. */
  kill(): Promise<void>
  /** Starts the server at the same port, after `kill`. Throws if it is not ready within 30 s. */
  start(): Promise<void>
  /** SIGSTOP for all processes of the server: it accepts nothing and answers nothing, while its connections stay open. */
  freeze(): void
  /** SIGCONT: it goes on where it was. */
  resume(): void
  /** Makes a standby that has what is committed now, and gets nothing more. The server is frozen meanwhile, for some 0.2 s. */
  makeReplica(): Promise<LaggingReplica>
}

/** A standby that lags. */
export interface LaggingReplica {
  /** Starts it beside its primary, read-only, and returns its URL. Throws if it is not ready within 30 s. */
  read(): Promise<string>
  /**
   * Failover: kills the primary and promotes this one at its URL, under another timeline, in about 1 s. What was committed since it was made is lost.
   * It is the server from then on. Once; throws for the second time, or if it is not ready within 30 s.
   */
  takeOver(): Promise<void>
}

/** How it is started. */
export interface StartOptions {
  /** Force what is written to the disk. Default: no; a kill loses nothing that the system has, and nobody cuts the power. */
  readonly fsync?: boolean
  /** Settings of the server that differ from those of tests, such as `{ autovacuum: 'on' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * A PostgreSQL server of its own for a test file, ready in about 2 s. If `AVOCET_TEST_POSTGRES` has the URL of a server, it is used instead; if
 * `AVOCET_TEST_POSTGRES_PROGRAMS` has a folder with the programs of another version (`/usr/lib/postgresql/15`), those are started.
 *
 * Throws if there is no server for this platform (see `postgresMissing`), or it is not ready within 30 s.
 *
 * @example
 * ```ts
 * import { startPostgres } from '@avocet/stress/postgres'
 *
 * const server = await startPostgres()
 * // … connect to server.url …
 * const replica = await server.own?.makeReplica()
 * // … what is committed here is lost …
 * await replica?.takeOver()
 * await server.stop()
 * ```
 */
export async function startPostgres({ fsync = false, settings = {} }: StartOptions = {}): Promise<TestPostgres> {
  const url = process.env['AVOCET_TEST_POSTGRES']
  if (url !== undefined) return { url, stop: () => Promise.resolve() }
  const binaries = binariesFolder()
  if (binaries === undefined) throw new Error(`expected a PostgreSQL server ${postgresMissing() ?? ''}`)
  linkLibraries(binaries)
  const cluster = await makeCluster(binaries)
  const watcher = watch(cluster)
  const plan = { data: 'data', port: await freePort(), settings: { fsync: fsync ? 'on' : 'off', ...settings } }
  const server = new OwnServer(cluster, plan)
  await server.start()
  return {
    url: urlAt(plan.port),
    own: server,
    crash: () => server.crash(),
    async stop() {
      watcher.kill('SIGKILL')
      await server.end()
      rmSync(cluster.folder, { recursive: true, force: true })
    },
  }
}

class OwnServer implements OwnPostgres {
  readonly #cluster: Cluster
  readonly #plan: ServerPlan
  readonly #replicas: ReplicaFolder[] = []
  #server: ServerProcess

  constructor(cluster: Cluster, plan: ServerPlan) {
    this.#cluster = cluster
    this.#plan = plan
    this.#server = new ServerProcess(cluster, plan)
  }

  start(): Promise<void> {
    return this.#server.start()
  }

  async crash(): Promise<void> {
    await this.#server.end()
    await this.#server.start()
  }

  kill(): Promise<void> {
    return this.#server.kill()
  }

  freeze(): void {
    this.#server.freeze()
  }

  resume(): void {
    this.#server.resume()
  }

  async makeReplica(): Promise<LaggingReplica> {
    const of = { cluster: this.#cluster, primary: this.#server, plan: this.#plan, port: await freePort() }
    const replica = await ReplicaFolder.made(of, `replica-${String(this.#replicas.length + 1)}`)
    this.#replicas.push(replica)
    return {
      read: async () => {
        await replica.read()
        return urlAt(of.port)
      },
      takeOver: async () => {
        this.#server = await replica.takeOver(this.#server)
      },
    }
  }

  async end(): Promise<void> {
    await Promise.all([this.#server, ...this.#replicas].map((server) => server.end()))
  }
}

function urlAt(port: number): string {
  return `postgres://${CLUSTER_USER}:${encodeURIComponent(CLUSTER_PASSWORD)}@127.0.0.1:${String(port)}/postgres`
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
