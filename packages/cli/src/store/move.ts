// `avocet move`: takes a resting crawl along to another store, of any kind. The store that it comes from stays as it is.
import { existsSync } from 'node:fs'
import type { Counts } from '@avocet/core/store'
import { filesFolderAt } from '@avocet/project/plan'
import {
  cachePathOf,
  existingStore,
  localPlace,
  nameFrom,
  shownName,
  storeCalled,
  isFar,
  withCrawl,
  storeKind,
  readStore,
} from '@avocet/project/store'
import { writeDocument, print, type Place, pastedWords } from '@avocet/project/place'
import { printable, formatCountOf } from '@avocet/project/text'
import { busyStore, copyStore } from './copied-store.ts'

/** What was typed. */
export interface MoveWish {
  readonly from: string
  readonly to: string
  readonly json: boolean
}

/** Throws AVO_USAGE where there is a store at `to`, AVO_FRONTIER_BUSY while anybody crawls in one of them, AVO_FRONTIER_…. */
export async function moveCommand({ from, to, json }: MoveWish, place: Place): Promise<void> {
  const found = await existingStore(place, from)
  await readStore(found, async (reader) => {
    const { name, liveProcesses } = await reader.info()
    const source = isFar(found) ? withCrawl(found, name) : found
    if (liveProcesses > 0) throw busyStore(source, liveProcesses)
    const target = targetOf(to, name, place)
    const counts = await reader.counts()
    await copyStore({ reader, source, target, counts }, storeKind(target), place)
    if (json) await writeDocument(place.stdout, { schema: 1, from: shownName(source), to: shownName(target), counts })
    else await print(place.stdout, linesOf({ source, target, counts }, place))
  })
}

/** The address; a server gets the crawl under its name. */
function targetOf(to: string, name: string, { folder }: Place): string {
  const called = storeCalled(folder, to)
  return isFar(called) ? withCrawl(called, name) : called
}

interface Moved {
  readonly source: string
  readonly target: string
  readonly counts: Counts
}

/** How its spider was typed is not known here: the store is all that changes of the command. */
function linesOf({ source, target, counts }: Moved, { folder }: Place): string[] {
  const { known, items, hosts } = counts
  const moved = `${formatCountOf(known, 'URL')}, ${formatCountOf(items, 'item')}, ${formatCountOf(hosts, 'host')}`
  const where = isFar(target) ? ', on this machine and on others' : ''
  return [
    `${printable(nameFrom(folder, target))}: ${moved}; ${printable(nameFrom(folder, source))} is as it was`,
    ...leftBeside({ source, target }, folder),
    `to go on${where}, run your crawl command with this store:`,
    `  ${pastedWords(['--store', isFar(target) ? target : nameFrom(folder, target)])}`,
  ]
}

/** Files of the crawl that the new store has not beside it. */
function leftBeside({ source, target }: Pick<Moved, 'source' | 'target'>, folder: string): string[] {
  const here = localPlace(folder, source)
  if (here === localPlace(folder, target)) return []
  const files = [
    ['kept responses', cachePathOf(here)],
    ['saved files', filesFolderAt(here)],
  ] as const
  return files
    .filter(([, path]) => existsSync(path))
    .map(([contents, path]) => `${contents} stay in ${printable(nameFrom(folder, path))}`)
}
