// The name that a store knows an output by: its sink, and with it the mark up to which the file has the items.
//
// Beside a store in a file it is the path from the folder of the store, so that a project can be moved as a whole. A store on a server is in no folder, and
// files of several machines may have one path: the name is the machine's and the absolute path, so each machine has outputs of its own.
import { hostname } from 'node:os'
import { dirname, relative, resolve } from 'node:path'
import { isFar } from '../text/store-address.ts'

/** Of the output at `path`, absolute; `store`: the address of the store, absent where it ends with the process. */
export function outputName(path: string, store?: string): string {
  if (store === undefined) return path
  return isFar(store) ? `${hostname()}:${path}` : relative(dirname(store), path)
}

/** The absolute path of the output with this name; undefined of one on another machine. */
export function outputPath(name: string, store: string): string | undefined {
  if (!isFar(store)) return resolve(dirname(store), name)
  const own = `${hostname()}:`
  return name.startsWith(own) ? name.slice(own.length) : undefined
}
