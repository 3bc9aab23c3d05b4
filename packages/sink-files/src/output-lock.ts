// Sees to it that one process at a time writes an output file: two that crawl one store would write over each other.
//
// A file beside the output (`offers.jsonl.lock`) names its process by id and start time, so that a process that was killed holds nothing,
// even when its id is in use again. Behind them it has the id of the crawl: a process of the same one waits for the file. Alternative rejected: flock, which
// Node does not have.
import { existsSync } from 'node:fs'
import { readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { AvocetError } from '@avocet/core'
import { SinkElsewhere } from '@avocet/core/sink'

/** Paths that this process writes: a lock that names its own process may also be one of another, which was killed and had its id. */
const heldHere = new Set<string>()

/** Held until disposed. */
export interface OutputLock {
  release(): Promise<void>
}

/** In place of the id of a crawl, of a process that does not know it yet. */
export const SOME_CRAWL = 'crawl'

/**
 * Takes the lock of the output at `path`. `crawl`: the id of the crawl whose items go there, or `SOME_CRAWL`; undefined: they go there without a crawl.
 *
 * @throws AVO_OUTPUT_UNWRITABLE while another process that lives has it; SinkElsewhere if that one may be of the same crawl.
 */
export async function lockOutput(path: string, crawl?: string): Promise<OutputLock> {
  // Two links lead to one file: the lock is beside what they lead to.
  const found = await realpath(path)
  const lock = await lockOrHolder(found, crawl)
  if (typeof lock !== 'number') return lock
  const isOwn = lock === process.pid
  const error = new AvocetError(
    'AVO_OUTPUT_UNWRITABLE',
    isOwn
      ? `${path}: expected one output or sink with this file, got two; leave one out`
      : `${path}: expected no other writer, got process ${lock}; wait until it ends, or name another file`,
  )
  const theirs = (await read(`${found}.lock`))?.split(' ')[2]
  if (isOwn || !mayBeOne(crawl, theirs)) throw error
  throw new SinkElsewhere(error.message, { cause: error })
}

function mayBeOne(crawl: string | undefined, other: string | undefined): boolean {
  return crawl !== undefined && other !== undefined && (crawl === other || crawl === SOME_CRAWL || other === SOME_CRAWL)
}

/** Takes the lock beside `path`, or says which process has it. Throws AVO_OUTPUT_UNWRITABLE for a file that is no lock. */
export async function lockOrHolder(path: string, crawl?: string): Promise<OutputLock | number> {
  if (heldHere.has(path)) return process.pid
  heldHere.add(path)
  try {
    const lock = await lockOf(path, crawl)
    if (typeof lock === 'number') heldHere.delete(path)
    return lock
  } catch (error) {
    heldHere.delete(path)
    throw error
  }
}

async function lockOf(path: string, crawl: string | undefined): Promise<OutputLock | number> {
  const lockPath = `${path}.lock`
  const own = (await processText(process.pid)) ?? `${process.pid} `
  const owner = crawl === undefined ? own : `${own} ${crawl}`
  const holder = await take(lockPath, owner)
  if (holder !== undefined) return holder
  return {
    async release() {
      heldHere.delete(path)
      // One that cannot be removed holds nothing once this process has ended; the output is written, and must not fail for it.
      if ((await read(lockPath)) === owner) await rm(lockPath, { force: true }).catch(() => undefined)
    },
  }
}

/** Id and start time of a process, and the id of its crawl if it has one. */
const LOCK = /^\d+( \d*( [\w-]+)?)?$/

/** The process of a lock, as `processText` has it. */
function processIn(lock: string): string {
  return lock.split(' ').slice(0, 2).join(' ')
}

/** The id of the process that has it, if that is another one. */
async function take(lockPath: string, owner: string): Promise<number | undefined> {
  if (await create(lockPath, owner)) return undefined
  const holder = await read(lockPath)
  // What a process that was killed has not written yet is empty.
  if (holder !== undefined && holder !== '' && !LOCK.test(holder))
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', `${lockPath}: expected nothing or a lock, got another file; move it away`)
  const holderId = Number(holder?.split(' ')[0])
  const holding = holder && processIn(holder)
  if (holding && holding === (await processText(holderId)) && holding !== processIn(owner)) return holderId
  await rm(lockPath, { force: true })
  if (await create(lockPath, owner)) return undefined
  return Number((await read(lockPath))?.split(' ')[0])
}

async function create(lockPath: string, owner: string): Promise<boolean> {
  try {
    await writeFile(lockPath, owner, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function read(lockPath: string): Promise<string | undefined> {
  return readFile(lockPath, 'utf8').catch(() => undefined)
}

/** Id and start time of a live process (`/proc/PID/stat`, field 22; elsewhere only that it lives); undefined for one that does not. */
async function processText(processId: number): Promise<string | undefined> {
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
