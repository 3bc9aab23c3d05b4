// What downloads do on the disk, call by call, so that tests let each call fail, or be the last one. No call follows a symbolic link that it creates a file at.
import { constants, type Stats } from 'node:fs'
import { lstat, mkdir, open, opendir, readFile, rename, rm, statfs, type FileHandle } from 'node:fs/promises'

/** An open file. */
export interface OpenFile {
  /** All of `piece`, at that place. */
  write(piece: Uint8Array, at: number): Promise<void>
  /** Fills `into` from that place on; returns how many bytes there were. */
  read(into: Uint8Array, at: number): Promise<number>
  truncate(bytes: number): Promise<void>
  /** Until it is on the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The calls. */
export interface Disk {
  /** `undefined`: there is nothing. */
  look(path: string): Promise<Pick<Stats, 'size' | 'mtimeMs' | 'isDirectory' | 'isFile'> | undefined>
  /** Makes one folder, for its owner alone. One that is there stays. */
  makeFolder(path: string): Promise<void>
  /** Makes the folder at `path` and those above it, for its owner alone. */
  makeRoot(path: string): Promise<void>
  /** At most `most` names; none of a folder that is not there. */
  list(path: string, most: number): Promise<readonly string[]>
  /** A file that must not be there yet, for its owner alone. */
  create(path: string): Promise<OpenFile>
  /** A file that is there, to go on. */
  reopen(path: string): Promise<OpenFile>
  /** At most `most` bytes of text; undefined: there is no such file. */
  readText(path: string, most: number): Promise<string | undefined>
  rename(from: string, to: string): Promise<void>
  /** Whether it was there or not. */
  remove(path: string): Promise<void>
  /** Until its names are on the disk. */
  syncFolder(path: string): Promise<void>
  /** Bytes that may be written. */
  freeBytes(path: string): Promise<number>
}

const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants
// Windows has none.
const O_NOFOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0
const MODE = 0o600
const FOLDER_MODE = 0o700

/** The disk of this machine. */
export const nodeDisk: Disk = {
  look: (path) => lstat(path).catch(unlessMissing),
  async makeFolder(path) {
    try {
      await mkdir(path, { mode: FOLDER_MODE })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  },
  async makeRoot(path) {
    await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  },
  list: listed,
  create: async (path) => opened(await open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, MODE)),
  reopen: async (path) => opened(await open(path, O_RDWR | O_NOFOLLOW)),
  async readText(path, most) {
    const found = await lstat(path).catch(unlessMissing)
    if (found === undefined || !found.isFile() || found.size > most) return undefined
    return readFile(path, { encoding: 'utf8', flag: O_RDONLY | O_NOFOLLOW })
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  syncFolder,
  async freeBytes(path) {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  },
}

async function listed(path: string, most: number): Promise<readonly string[]> {
  const names: string[] = []
  const folder = await opendir(path).catch(unlessMissing)
  if (folder === undefined) return names
  for await (const { name } of folder) if (names.push(name) >= most) break
  return names
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and keeps names by itself.
  if (process.platform === 'win32') return
  const folder = await open(path, O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function opened(handle: FileHandle): OpenFile {
  return {
    async write(piece, at) {
      let done = 0
      while (done < piece.byteLength) {
        const { bytesWritten } = await handle.write(piece, done, piece.byteLength - done, at + done)
        if (bytesWritten === 0) throw new Error('the disk took none of what was written')
        done += bytesWritten
      }
    },
    async read(into, at) {
      return (await handle.read(into, 0, into.byteLength, at)).bytesRead
    },
    truncate: (bytes) => handle.truncate(bytes),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  }
}

/** The code of a system error. */
function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
  throw error
}
