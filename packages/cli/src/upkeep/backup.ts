// `avocet store backup`: a copy of a store, also while it is crawled, from which the crawl can go on.
import { existsSync, statSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { filesFolderAt } from '@avocet/project/plan'
import {
  cachePathOf,
  crawlNameOf,
  existingStore,
  nameFrom,
  shownName,
  isFar,
  serverDumpWords,
  storeFiles,
} from '@avocet/project/store'
import { writeDocument, print, say, type Place, pastedWords } from '@avocet/project/place'
import { printable, formatCount, formatCountOf, formatBytes } from '@avocet/project/text'
import type { StoreWish } from '../store/status.ts'

/** What was typed. */
export interface BackupWish extends StoreWish {
  readonly to: string
  readonly overwrite: boolean
}

/** Progress is said of what takes longer. */
const QUIET_MS = 2_000

/**
 * Prints what was copied; with `json` one document. Throws AVO_USAGE for a folder that is missing, and for a store on a server, with the command that backs it
 * up; AVO_FRONTIER_….
 */
export async function backupCommand({ store, configPath, to, overwrite, json }: BackupWish, place: Place): Promise<void> {
  const { folder, stdout, stderr, clock } = place
  const path = await existingStore(place, store, configPath)
  if (isFar(path)) throw await onServer(path, to)
  const target = targetOf(path, { to, folder, now: clock.now() })
  let saidAt = clock.monotonic()
  const { backupStore } = await storeFiles()
  const made = await backupStore(path, target, {
    overwrite,
    reached(phase, done, total) {
      if (clock.monotonic() - saidAt < QUIET_MS) return
      saidAt = clock.monotonic()
      say(stderr, phase === 'copying' ? `copied ${formatCount(done)} of ${formatCountOf(total, 'page')}` : 'verifying the copy')
    },
  })
  const apart = filesApart(path).map((each) => ({ ...each, path: nameFrom(folder, each.path) }))
  if (json) return writeDocument(stdout, { schema: 1, store: path, to: target, ...made, apart })
  const { known, items, bytes } = made
  const copied = `${formatCountOf(known, 'URL')}, ${formatCountOf(items, 'item')}, ${formatBytes(bytes)}, verified`
  await print(stdout, [
    `${printable(nameFrom(folder, target))}: ${copied}`,
    ...apart.map(({ contents, path: where }) => `not in it: ${contents} (${printable(where)})`),
  ])
}

/** In a folder each backup has a name of its own, which sorts by its time. A folder that is missing is not taken for the name of a file. */
function targetOf(
  path: string,
  { to, folder, now }: { readonly to: string; readonly folder: string; readonly now: number },
): string {
  const place = resolve(folder, to)
  const there = statSync(place, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) {
    const moment = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '')
    return join(place, `${crawlNameOf(path)}-${moment}Z.db`)
  }
  const isFolder = /[/\\]$/.test(to)
  const isInFolder = statSync(dirname(place), { throwIfNoEntry: false })?.isDirectory() === true
  if (!isInFolder && !isFolder)
    throw new AvocetError(
      'AVO_USAGE',
      `--to: expected a file in a folder that exists, got ${printable(to)}; make the folder first`,
    )
  if (there !== undefined ? !isFolder : !isFolder && extname(place) !== '') return place
  const got = `got ${there === undefined ? 'nothing' : 'a file'} at ${printable(to)}`
  throw new AvocetError(
    'AVO_USAGE',
    `--to: expected a folder, or the name of a .db file, ${got}; make the folder, or name a file such as backup.db`,
  )
}

/** What belongs to the store and is not in its file: it may be lost (responses), or is copied like any file. */
function filesApart(path: string): { readonly contents: string; readonly path: string }[] {
  return [
    { contents: 'kept responses', path: cachePathOf(path) },
    { contents: 'saved files', path: filesFolderAt(path) },
  ].filter((each) => existsSync(each.path))
}

async function onServer(path: string, to: string): Promise<AvocetError> {
  const words = pastedWords(await serverDumpWords(path, to))
  return new AvocetError(
    'AVO_USAGE',
    `store backup: expected a store in a file, got ${shownName(path)}; PostgreSQL backs up its schema, also while the crawl runs: ${words}`,
  )
}
