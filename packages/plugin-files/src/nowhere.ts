// A disk on which nothing is kept: for what only tries a spider out. Files are read and named as if they were saved.
import type { Disk, OpenFile } from './disk.ts'

const file: OpenFile = {
  write: async () => undefined,
  read: async () => 0,
  truncate: async () => undefined,
  sync: async () => undefined,
  close: async () => undefined,
}

/** The disk. */
export const nowhere: Disk = {
  // Folders are all there is.
  look: async () => ({ size: 0, mtimeMs: 0, isDirectory: () => true, isFile: () => false }),
  makeFolder: async () => undefined,
  makeRoot: async () => undefined,
  list: async () => [],
  create: async () => file,
  reopen: async () => file,
  readText: async () => undefined,
  rename: async () => undefined,
  remove: async () => undefined,
  syncFolder: async () => undefined,
  freeBytes: async () => Infinity,
}
