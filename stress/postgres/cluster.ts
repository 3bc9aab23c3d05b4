// A folder with the data of a PostgreSQL server of tests, who runs its programs, and what sees to it that nothing of it outlives the tests.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** How long a program of PostgreSQL may take. */
export const PROGRAM_MS = 30_000

export const CLUSTER_USER = 'avocet'
export const CLUSTER_PASSWORD = 'pass of the test'

/** PostgreSQL refuses to run as root. The user `nobody` of most systems. */
const NOBODY = 65_534

/** The folder of a server, and of its replicas. */
export interface Cluster {
  readonly binaries: string
  readonly folder: string
  /** Who runs it: somebody else, if this is root. */
  readonly as: { readonly cwd: string; readonly uid?: number; readonly gid?: number }
}

/** Makes one whose data is in `data`. */
export async function makeCluster(binaries: string): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-postgres-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  const as = { cwd: folder, ...(isRoot && { uid: NOBODY, gid: NOBODY }) }
  const cluster = { binaries, folder, as }
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, CLUSTER_PASSWORD)
  const words = ['--no-sync', '--no-instructions', '--locale=C', '--encoding=UTF8', '--auth=scram-sha-256']
  await run(cluster, join(binaries, 'bin', 'initdb'), ['-D', 'data', '-U', CLUSTER_USER, `--pwfile=${passwordFile}`, ...words])
  return cluster
}

/** Runs a program in the folder, as who runs the server. */
export async function run({ as }: Cluster, program: string, words: readonly string[]): Promise<void> {
  await promisify(execFile)(program, words, { ...as, timeout: PROGRAM_MS })
}

/** Outlives this process by a moment: when its pipe closes, for whatever reason, it ends the servers (one that is frozen, too) and removes the folder. */
export function watch({ folder }: Cluster): ChildProcess {
  const script =
    'read -r _; for file in */postmaster.pid; do pid=$(head -n 1 "$file") && kill -QUIT "$pid" && kill -CONT "$pid"; done; cd / && rm -rf "$0"'
  const watcher = spawn('sh', ['-c', script, folder], { cwd: folder, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // Where there is no sh, a test that is killed leaves its server.
  watcher.once('error', () => undefined)
  watcher.unref()
  return watcher
}
