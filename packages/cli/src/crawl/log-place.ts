// Whether the log file of a crawl is a file of its own: nothing is there, or a log. So nothing else is appended to, nor replaced as the log is rotated.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { nameFrom, COMPANIONS } from '@avocet/project/store'
import { ROTATION } from '@avocet/project/log'
import type { CrawlOptions } from '@avocet/project/options'
import type { Place } from '@avocet/project/place'
import { printable } from '@avocet/project/text'

/** How each line of a log begins (log-entry.ts). */
const LOG_HEAD = '{"time":"'

/** Throws AVO_USAGE for a log file that is another file, or becomes one as it is rotated: an output, one named as a store, or one that is there and no log. */
export function checkLogPlace({ log, outputs }: CrawlOptions, { folder }: Pick<Place, 'folder'>): void {
  if (log?.file === undefined) return
  const names = ['', ...Array.from({ length: ROTATION.keep }, (_, n) => `.${n + 1}`)].map((ending) =>
    resolve(folder, `${log.file}${ending}`),
  )
  const written = new Set(outputs.filter((output) => output.path !== '-').map((output) => resolve(folder, output.path)))
  const taken = names.find((name) => written.has(name) || hasNameOfStore(name) || isAnother(name))
  if (taken === undefined) return
  const got = printable(nameFrom(folder, taken))
  throw new AvocetError('AVO_USAGE', `--log-file: expected a file of its own, got ${got}, which is no log; give another path`)
}

/** Also of one that is not made yet. */
function hasNameOfStore(path: string): boolean {
  return ['.db', '.cache', ...COMPANIONS].some((ending) => path.endsWith(ending))
}

/** By how it begins. */
function isAnother(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(LOG_HEAD.length)
    const bytes = readSync(file, head, 0, head.length, 0)
    return bytes > 0 && head.toString('latin1') !== LOG_HEAD
  } finally {
    closeSync(file)
  }
}
