// Sees to it that one process at a time writes an output file: two that crawl one store would write over each other.
//
// A file beside the output (`offers.jsonl.lock`) names its process by id and start time, so that a process that was killed holds nothing,
// even when its id is in use again. Behind them it has the id of the crawl: a process of the same one waits for the file. Alternative rejected: flock, which
// Node does not have.
import { realpath, rm, readFile } from 'node:fs/promises'
import { AvocetError } from '@avocet/core'
import { SinkElsewhere } from '@avocet/core/sink'
import { readLockFile, takeLockFile } from './lock-file.ts'
import { existsSync } from 'node:fs'

/** Paths that this process writes: a lock that names its own process may also be one of another, which was killed and had its id. */
const heldHere = new Set<string>()

/** Held until disposed. */
export interface OutputLock {
  release(): Promise<void>
}

/** In place of the id of a crawl, of a process that does not know it yet. */
export const SOME_CRAWL = 'crawl'

/** In place of the id of a crawl whose store is not made yet: no process that knows the id of its crawl is of this one. */
export const NEW_CRAWL = 'new'

/**
 * Takes the lock of the output at `path`. `crawl`: the id of the crawl whose items go there, `SOME_CRAWL` or `NEW_CRAWL`; undefined: they go there without a
 * crawl.
 *
 * @throws AVO_OUTPUT_UNWRITABLE while another process that lives has it; SinkElsewhere if that one may be of the same crawl.
 */
export async function lockOutput(path: string, crawl?: string): Promise<OutputLock> {
  // Two links lead to one file: the lock is beside what they lead to.
  const found = await realpath(path)
  const lock = await lockOrText(found, crawl)
  if (typeof lock !== 'string') return lock
  const holderId = idIn(lock)
  const isOwn = holderId === process.pid
  const error = new AvocetError(
    'AVO_OUTPUT_UNWRITABLE',
    isOwn
      ? `${path}: expected one output or sink with this file, got two; leave one out`
      : `${path}: expected no other writer, got process ${holderId}; wait until it ends, or name another file`,
  )
  if (isOwn || !mayBeOne(crawl, lock.split(' ')[2])) throw error
  throw new SinkElsewhere(error.message, { cause: error })
}

function mayBeOne(crawl: string | undefined, other: string | undefined): boolean {
  if (crawl === undefined || other === undefined) return false
  // What another process holds while it looks whether it may begin is let go of at once, whatever became of its store meanwhile.
  return crawl === other || crawl === SOME_CRAWL || other === SOME_CRAWL || other === NEW_CRAWL
}

/** Takes the lock beside `path`, or says which process has it. Throws AVO_OUTPUT_UNWRITABLE for a file that is no lock, and where none can be made. */
export async function lockOrHolder(path: string, crawl?: string): Promise<OutputLock | number> {
  const lock = await lockOrText(path, crawl)
  return typeof lock === 'string' ? idIn(lock) : lock
}

/** Takes the lock, or says what that of another process holds. */
async function lockOrText(path: string, crawl: string | undefined): Promise<OutputLock | string> {
  if (heldHere.has(path)) return `${process.pid} `
  heldHere.add(path)
  try {
    const lock = await lockOf(path, crawl)
    if (typeof lock === 'string') heldHere.delete(path)
    return lock
  } catch (error) {
    heldHere.delete(path)
    if (error instanceof AvocetError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new AvocetError(
      'AVO_OUTPUT_UNWRITABLE',
      `${path}.lock: expected a file that can be made here, got: ${why}; mend that, or name a file in another folder`,
      { cause: error },
    )
  }
}

async function lockOf(path: string, crawl: string | undefined): Promise<OutputLock | string> {
  const lockPath = `${path}.lock`
  const own = (await processText(process.pid)) ?? `${process.pid} `
  const text = crawl === undefined ? own : `${own} ${crawl}`
  const isDead = (holder: string): Promise<boolean> => isGone(holder, { lockPath, own })
  const holder = await takeLockFile({ path: lockPath, text, isDead })
  if (holder !== undefined) return holder
  return {
    async release() {
      heldHere.delete(path)
      // One that cannot be removed holds nothing once this process has ended; the output is written, and must not fail for it.
      if ((await readLockFile(lockPath).catch(() => undefined)) === text)
        await rm(lockPath, { force: true }).catch(() => undefined)
    },
  }
}

/** Id and start time of a process, and the id of its crawl if it has one. */
const LOCK = /^\d+( \d*( [\w-]+)?)?$/

function idIn(lock: string): number {
  return Number(lock.split(' ')[0])
}

/** Whether the process of a lock holds nothing any more: it died, or is this one, which would know. Throws AVO_OUTPUT_UNWRITABLE for what is no lock. */
async function isGone(holder: string, { lockPath, own }: { readonly lockPath: string; readonly own: string }): Promise<boolean> {
  // A power cut may leave it empty.
  if (holder === '') return true
  if (!LOCK.test(holder))
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', `${lockPath}: expected nothing or a lock, got another file; move it away`)
  const holding = holder.split(' ').slice(0, 2).join(' ')
  return holding === own || holding !== (await processText(idIn(holder)))
}

/** Id and start time of a live process (`/proc/PID/stat`, field 22; elsewhere only that it lives); undefined for one that does not. */
export async function processText(processId: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return existsSync('/proc/self/stat') || !lives(processId) ? undefined : `${processId} `
  // The second field is the program's name in parentheses and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Killed, and not yet waited for by its parent: it writes nothing any more.
  if (fields[0] === 'Z') return undefined
  return `${processId} ${fields[19] ?? ''}`
}

function lives(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
