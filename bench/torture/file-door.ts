// Stands around node:fs: every call that changes a file of the job is a fail point.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { FailPoints, Misfortune } from './fail-points.ts'

type Call = (...args: unknown[]) => unknown
type Doors = Record<string, Call>

/** By the end of its name, what a file is. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/\.lock$/, 'lock'],
  [/-in-progress-\d+$/, 'in-progress'],
  [/\.(?:jsonl|csv|json)$/, 'output'],
  [/\.db$/, 'store'],
  [/\/store$/, 'folder'],
]

/** Calls that change something, and their names: of paths, and of open files. */
const OF_PATHS = { openSync: 'open', rmSync: 'remove', mkdirSync: 'make' } as const
const OF_PROMISED_PATHS = { open: 'open', rm: 'remove', writeFile: 'make', readFile: undefined, stat: undefined } as const
/** What has its name from the second path only once it is whole. */
const OF_TARGETS = { link: 'make', rename: 'make' } as const
const OF_DESCRIPTORS = { writeSync: 'write' } as const
const OF_HANDLES = {
  write: 'write',
  truncate: 'cut',
  datasync: 'sync',
  stat: undefined,
  read: undefined,
  close: undefined,
} as const

/** One life, as far as files are concerned. */
export interface FileLife {
  readonly points: FailPoints
  /** Keeps virtual time still while the file system works. */
  hold(): Disposable
}

/** What an open file is. */
interface Watched {
  readonly kind: string
  readonly life: FileLife
}

/** Hangs the doors in. For good. `lifeOf` knows the life that a file belongs to. */
export async function watchFiles(lifeOf: (path: string) => FileLife | undefined): Promise<void> {
  const open = new Map<unknown, Watched>()
  const watched = (path: unknown): Watched | undefined => {
    const kind = typeof path === 'string' ? KINDS.find(([ending]) => ending.test(path))?.[1] : undefined
    const life = kind === undefined ? undefined : lifeOf(String(path))
    return kind === undefined || life === undefined ? undefined : { kind, life }
  }
  const sync = (call: string, find: (args: readonly unknown[]) => Watched | undefined, name: string): void => {
    const doors = fs as unknown as Doors
    const original = doors[call] as Call
    doors[call] = (...args) => {
      const found = find(args)
      if (found === undefined) return original.apply(doors, args)
      const { kind, life } = found
      const misfortune = life.points.before(`${kind} ${name}`)
      if (misfortune !== undefined) throw systemError(misfortune, call)
      const answer = original.apply(doors, args)
      life.points.after(`${kind} ${name}`)
      if (call === 'openSync') open.set(answer, found)
      return answer
    }
  }
  const later = (
    doors: Doors,
    call: string,
    find: (self: unknown, args: readonly unknown[]) => Watched | undefined,
    name?: string,
  ): void => {
    const original = doors[call] as Call
    doors[call] = async function (this: unknown, ...args) {
      const found = find(this, args)
      if (found === undefined) return original.apply(this, args)
      const { kind, life } = found
      using _hold = life.hold()
      if (name === undefined) return await original.apply(this, args)
      const misfortune = life.points.before(`${kind} ${name}`)
      if (misfortune !== undefined && misfortune.deed !== 'short') throw systemError(misfortune, call)
      const nth = life.points.times(`${kind} ${name}`)
      const answer = await original.apply(this, misfortune === undefined ? args : halved(args))
      // Before a life may be cut: a handle that nobody holds ends the process when it is collected, and with it the lives that follow.
      if (call === 'open') open.set(answer, found)
      life.points.after(`${kind} ${name}`, nth)
      return answer
    }
  }
  for (const [call, name] of Object.entries(OF_PATHS))
    sync(call, ([path, how]) => (call === 'openSync' && isToRead(how) ? undefined : watched(path)), name)
  for (const [call, name] of Object.entries(OF_DESCRIPTORS)) sync(call, ([file]) => open.get(file), name)
  const { promises } = fs
  const handle = await promises.open(process.execPath, 'r')
  const ofHandles = Object.getPrototypeOf(handle) as Doors
  await handle.close()
  for (const [call, name] of Object.entries(OF_PROMISED_PATHS))
    later(promises as unknown as Doors, call, (_self, [path]) => watched(path), name)
  for (const [call, name] of Object.entries(OF_TARGETS))
    later(promises as unknown as Doors, call, (_self, [, path]) => watched(path), name)
  for (const [call, name] of Object.entries(OF_HANDLES)) later(ofHandles, call, (self) => open.get(self), name)
  const close = fs.closeSync
  fs.closeSync = (file) => {
    open.delete(file)
    close(file)
  }
  syncBuiltinESMExports()
}

function isToRead(how: unknown): boolean {
  return typeof how === 'number' ? (how & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) === 0 : how === undefined || how === 'r'
}

/** Half of what was to be written, as a disk takes it that is nearly full: (buffer, offset, length, position). */
function halved([buffer, offset, length, position]: readonly unknown[]): unknown[] {
  return [buffer, offset, Math.max(1, Math.floor(Number(length) / 2)), position]
}

function systemError({ deed }: Misfortune, call: string): Error {
  return Object.assign(new Error(`${deed}: as the torture wants it, ${call}`), { code: deed, syscall: call })
}
