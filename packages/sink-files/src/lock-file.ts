// A file that one process at a time has made: whole from the moment it is there, and taken over from a process that died by one only.
//
// It is written under a name of one's own and linked into place, so nobody ever reads half of it. The lock of a dead process is replaced, not removed: by who
// holds a second lock, and sees under it that the first is still the dead one's. Whoever read it before, and comes late, finds another one there and leaves it
// alone. Should the holder of the second one die in that moment, the same is true of that one; its name does not depend on who died, so whoever comes next
// meets it, and no file is left behind. Alternatives rejected: `open`
// with `wx` and a write behind it, between which the lock is empty and looks like one that a kill left; removing a dead lock, which also removes the new one of
// whoever was faster. Where the file system has no links, `wx` it is.
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AvocetError } from '@avocet/core'

/** Whoever has it may let go of it between two looks: so often. */
const MOST_TRIES = 20
/** Each more is of a process that died within the same few calls. */
const MOST_GUARDS = 3
const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** What is to be taken. */
export interface LockWish {
  readonly path: string
  /** What the lock is to hold. It begins with the id of the process and when it started, a space between them. */
  readonly text: string
  /** Whether the process of a lock is gone. Throws for what is no lock. */
  isDead(text: string): Promise<boolean>
}

/** Takes the lock; undefined: this process has it. Else what the lock of that process holds which has it, or takes it. */
export async function takeLockFile(wish: LockWish): Promise<string | undefined> {
  const holder = await take(wish, MOST_GUARDS)
  if (holder === undefined) await removeLeft(wish)
  return holder
}

/** What a lock holds; undefined: there is none. */
export async function readLockFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function take(wish: LockWish, guards: number): Promise<string | undefined> {
  const { path, text } = wish
  const own = nameOfOwn(path, text)
  // What this process left may be linked to a lock.
  await rm(own, { force: true })
  try {
    await writeFile(own, text, { flag: 'wx', mode: 0o600 })
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (await isLinked(own, wish)) return undefined
      const holder = await readLockFile(path)
      if (holder === undefined) continue
      if (!(await wish.isDead(holder)) || guards === 0) return holder
      const other = await replace({ own, holder }, wish, guards)
      if (other !== holder) return other
    }
  } finally {
    await rm(own, { force: true })
  }
  throw new AvocetError(
    'AVO_OUTPUT_UNWRITABLE',
    `${path}: expected a lock of one process, got one that others take and let go of all the time; try again, or name another file`,
  )
}

/** By the id of the process and when it started: the id alone is one of its container. */
function nameOfOwn(path: string, text: string): string {
  return `${path}.${text.split(' ').slice(0, 2).join('-')}.new`
}

/** Removes what processes wrote for this lock that died before they had linked it, or removed it. */
async function removeLeft({ path, isDead }: LockWish): Promise<void> {
  const folder = dirname(path)
  // Where the folder cannot be listed they stay.
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(`${basename(path)}.`)) continue
    const writer = /^\.(?:gone\.)*(\d+)-(\d*)\.new$/.exec(name.slice(basename(path).length))
    if (writer !== null && (await isDead(`${writer[1]} ${writer[2]}`))) await rm(join(folder, name), { force: true })
  }
}

/** Replaces the lock of a dead process, `holder`. Undefined: done; that of `holder`: another one was faster; else that of the process which does it now. */
async function replace(
  { own, holder }: { readonly own: string; readonly holder: string },
  wish: LockWish,
  guards: number,
): Promise<string | undefined> {
  const { path } = wish
  const guard = `${path}.gone`
  const taker = await take({ ...wish, path: guard }, guards - 1)
  if (taker !== undefined) return taker
  try {
    if ((await readLockFile(path)) !== holder) return holder
    await rename(own, path)
    return undefined
  } finally {
    await rm(guard, { force: true })
  }
}

async function isLinked(own: string, { path, text }: LockWish): Promise<boolean> {
  try {
    await link(own, path)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    if (!(error instanceof Error && 'code' in error && WITHOUT_LINKS.has(error.code))) throw error
  }
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
