// A disk that fails: at one call, or from one call on, as for a process that was killed before it.
import { nodeDisk, type Disk, type OpenFile } from '../src/disk.ts'

/** What happens, at which call; calls are counted from 0. */
export interface Fault {
  readonly at: number
  /** `full`: that call fails. `half`: that call is a write of which half arrives. `killed`: it and all after it never happen. */
  readonly kind: 'full' | 'half' | 'killed'
}

/** The disk, and its calls by name. */
export function failingDisk(fault: Fault): { readonly disk: Disk; readonly calls: readonly string[] } {
  const calls: string[] = []
  const called = async <Result>(name: string, call: () => Promise<Result>, half?: () => Promise<void>): Promise<Result> => {
    const number = calls.push(name) - 1
    if (fault.kind === 'killed' && number >= fault.at) throw new Error('killed')
    if (number === fault.at) {
      if (fault.kind === 'half') await half?.()
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    }
    return call()
  }
  const watched = (file: OpenFile): OpenFile => ({
    write: (piece, at) =>
      called(
        'write',
        () => file.write(piece, at),
        () => file.write(piece.subarray(0, piece.byteLength / 2), at),
      ),
    read: (into, at) => called('read', () => file.read(into, at)),
    truncate: (bytes) => called('truncate', () => file.truncate(bytes)),
    sync: () => called('sync', () => file.sync()),
    // The system closes the files of a process that is gone.
    close: async () => {
      await file.close()
      return called('close', async () => undefined)
    },
  })
  const disk: Disk = {
    look: (path) => called('look', () => nodeDisk.look(path)),
    makeFolder: (path) => called('makeFolder', () => nodeDisk.makeFolder(path)),
    makeRoot: (path) => called('makeRoot', () => nodeDisk.makeRoot(path)),
    list: (path, most) => called('list', () => nodeDisk.list(path, most)),
    create: (path) => called('create', async () => watched(await nodeDisk.create(path))),
    reopen: (path) => called('reopen', async () => watched(await nodeDisk.reopen(path))),
    readText: (path, most) => called('readText', () => nodeDisk.readText(path, most)),
    rename: (from, to) => called('rename', () => nodeDisk.rename(from, to)),
    remove: (path) => called('remove', () => nodeDisk.remove(path)),
    syncFolder: (path) => called('syncFolder', () => nodeDisk.syncFolder(path)),
    freeBytes: (path) => called('freeBytes', () => nodeDisk.freeBytes(path)),
  }
  return { disk, calls }
}
