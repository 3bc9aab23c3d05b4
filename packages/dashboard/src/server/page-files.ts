// The files of the page, made from `page/` when the package is built, read once.
import { readFile } from 'node:fs/promises'
import { AvocetError } from '@avocet/core'

/** A file as it is answered with. */
export interface BundledFile {
  readonly type: string
  readonly content: Uint8Array
}

/** Found from the sources and from what is built. */
const FOLDER = new URL('../../dist/bundle/', import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'login.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'login.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
}

/** By name. Throws AVO_INTERNAL where the package was not built. */
export async function pageFiles(): Promise<ReadonlyMap<string, BundledFile>> {
  try {
    const all = Object.entries(TYPES).map(async ([name, type]): Promise<[string, BundledFile]> => [
      name,
      { type, content: await readFile(new URL(name, FOLDER)) },
    ])
    return new Map(await Promise.all(all))
  } catch (error) {
    const what = `expected the files of the page in ${FOLDER.pathname}, found none; run npm ci in the clone, or install avocet again`
    throw new AvocetError('AVO_INTERNAL', what, { cause: error })
  }
}
