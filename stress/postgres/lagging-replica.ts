// A replica of a PostgreSQL server of tests that lags: it has what was committed when it was made, and nothing later.
//
// It is a copy of the data folder, made while all processes of the server are frozen: what a snapshot of the disk has, or an asynchronous standby whose link
// broke at that moment. It is a standby (`standby.signal`) that has nobody to follow. When it takes the place of its primary, it begins a new timeline.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type Cluster } from './cluster.ts'
import { ServerProcess, type ServerPlan } from './server-process.ts'

/** What a replica is made from. */
export interface ReplicaOf {
  readonly cluster: Cluster
  readonly primary: ServerProcess
  /** That of the primary. */
  readonly plan: ServerPlan
  /** Of another port, if it is read. */
  readonly port: number
}

/** A copy that may become the primary. */
export class ReplicaFolder {
  readonly #of: ReplicaOf
  readonly #data: string
  #reading: ServerProcess | undefined

  private constructor(of: ReplicaOf, data: string) {
    this.#of = of
    this.#data = data
  }

  /** Copies what the primary has now, in some 0.2 s, for which it is frozen. */
  static async made(of: ReplicaOf, name: string): Promise<ReplicaFolder> {
    const { cluster, primary, plan } = of
    primary.freeze()
    try {
      await run(cluster, 'cp', ['-R', plan.data, name])
    } finally {
      primary.resume()
    }
    const folder = join(cluster.folder, name)
    rmSync(join(folder, 'postmaster.pid'), { force: true })
    writeFileSync(join(folder, 'standby.signal'), '')
    return new ReplicaFolder(of, name)
  }

  /** Starts it as a standby, which can be read. */
  async read(): Promise<void> {
    if (this.#reading !== undefined) return
    const { cluster, port, plan } = this.#of
    this.#reading = standby(cluster, { ...plan, data: this.#data, port })
    await this.#reading.start()
  }

  async end(): Promise<void> {
    await this.#reading?.end()
    this.#reading = undefined
  }

  /** Kills the primary, and promotes this in its place: same port, same folder. Returns the new primary. */
  async takeOver(primary: ServerProcess): Promise<ServerProcess> {
    const { cluster, plan } = this.#of
    await primary.kill()
    await this.end()
    const place = join(cluster.folder, plan.data)
    rmSync(place, { recursive: true, force: true })
    renameSync(join(cluster.folder, this.#data), place)
    const server = standby(cluster, plan)
    await server.start()
    await server.promote()
    return server
  }
}

function standby(cluster: Cluster, plan: ServerPlan): ServerProcess {
  return new ServerProcess(cluster, { ...plan, settings: { ...plan.settings, primary_conninfo: '' } })
}
