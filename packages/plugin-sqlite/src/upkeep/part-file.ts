// The file in which a backup is made, before it gets its name: it goes with the process, and what a killed one left goes with the next backup to the place.
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRunning, thisProcess } from '@avocet/core/store'
import { FILES_BESIDE } from './replaceable.ts'

/** Where the processes of a file cannot be asked about, because another machine or container may have made it, it is left alone for so long. */
const FOREIGN_MS = 24 * 3_600_000
const END_SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** What backups in one folder differ in. */
const MOMENT = /-\d{8}T\d{6}Z(?=\.db$)/

/** That of this process, for a backup at `to`: two may make copies at one place, and the last of them is there. */
export function partFile(to: string): string {
  return `${to}.part-${process.pid}-${machine()}`
}

/** Removes it, and what SQLite has beside it. */
export function removeBackupPart(part: string): void {
  for (const companion of ['', ...FILES_BESIDE]) rmSync(part + companion, { force: true })
}

/** Removes those of processes that are gone, at `to` and of the other moments of the same store. `now`: epoch ms. */
export function removeStaleParts(to: string, now: number): void {
  const folder = dirname(to)
  for (const name of readdirSync(folder)) {
    const [, target = '', pid, where] = /^(.+)\.part-(\d+)(?:-([0-9a-f]{8}))?(?:-wal|-shm|-journal)?$/.exec(name) ?? []
    if (pid === undefined || target.replace(MOMENT, '') !== basename(to).replace(MOMENT, '')) continue
    const path = join(folder, name)
    const there = lstatSync(path, { throwIfNoEntry: false })
    const isOurs = where === undefined || where === machine()
    if (there?.isFile() === true && (isOurs ? !isRunning(Number(pid)) : now - there.mtimeMs > FOREIGN_MS))
      rmSync(path, { force: true })
  }
}

/**
 * Does `work`; a signal that ends the process meanwhile removes the file first. Where somebody else listens to the signal, it is theirs: they end the process,
 * or let the work be done.
 */
export async function endingWithPart<T>(part: string, work: () => Promise<T>): Promise<T> {
  const remove = (): void => removeBackupPart(part)
  const heard = (signal: NodeJS.Signals): void => {
    remove()
    process.kill(process.pid, signal)
  }
  const signals = END_SIGNALS.filter((signal) => process.listenerCount(signal) === 0)
  for (const signal of signals) process.once(signal, heard)
  process.once('exit', remove)
  try {
    return await work()
  } finally {
    for (const signal of signals) process.off(signal, heard)
    process.off('exit', remove)
  }
}

/** Of those whose process ids mean the same. */
function machine(): string {
  const { boot, namespace } = thisProcess()
  return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 8)
}
