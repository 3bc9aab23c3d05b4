// `avocet ui`: serves the page for stores, until Ctrl-C. Who crawls them meanwhile may be another process, or nobody.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { configuredStore } from '@avocet/project/load'
import { existingStore, noStore, shownName, storeFolder, storePathOf, readStore, storeExists } from '@avocet/project/store'
import { configOfToday } from '@avocet/project/plan'
import { print, say, type Place } from '@avocet/project/place'
import { linkTo, openPage, type PageWish } from './crawl-page.ts'
import { StoreShelf } from './store-shelf.ts'

/** What was typed. */
export interface UiOptions extends PageWish {
  /** Stores, or folders with stores. None: all of the folder, and the one of the configuration. */
  readonly stores: readonly string[]
  readonly configPath?: string
}

/** Serves until it is asked to end. Throws AVO_USAGE, AVO_CONFIG_INVALID, AVO_FRONTIER_MISSING where there is no store. */
export async function uiCommand({ stores: typed, configPath, ...wish }: UiOptions, place: Place): Promise<void> {
  const { folder, clock, stdout, stderr } = place
  const config = await configOfToday(place, configPath)
  const named = await Promise.all(typed.map((each) => existingStore(place, each)))
  for (const store of named) await assertReadable(store)
  const stores = named.length > 0 ? () => storesAt(named) : () => storesOf(place)
  const found = await stores()
  if (found.length === 0) throw noStore(`in ${named[0] ?? storeFolder(folder)}`)
  // Before the link is printed: who reads it may send the signal at once.
  const signalled = ended(place.events)
  const shelf = new StoreShelf({ stores, config, clock, folder, stderr })
  const dashboard = await openPage(shelf, wish, { option: '--password-file', clock, folder })
  try {
    const lines = await shelf.crawls()
    const [only] = lines.length === 1 ? lines : []
    await print(stdout, only === undefined ? `${dashboard.link}#/` : linkTo(dashboard, only.id))
    say(stderr, 'open this link in a browser; Ctrl-C ends')
    await signalled
  } finally {
    await dashboard.close()
    await shelf.close()
  }
}

/** Before a link leads to it. Throws AVO_FRONTIER_… for what is no store, and no folder. */
async function assertReadable(store: string): Promise<void> {
  if (await isFolder(store)) {
    if ((await storesIn(store)).length === 0) throw noStore(`in ${store}`)
    return
  }
  if (!(await storeExists(store))) throw noStore(`at ${shownName(store)}`)
  await readStore(store, (reader) => reader.info())
}

async function isFolder(store: string): Promise<boolean> {
  return stat(store).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** A folder is all stores in it. */
async function storesAt(named: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(named.map(async (each) => ((await isFolder(each)) ? storesIn(each) : [each])))
  return [...new Set(found.flat())]
}

async function storesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder).catch((): string[] => [])
  return entries
    .filter((name) => name.endsWith('.db') && !name.startsWith('.'))
    .sort()
    .map((name) => join(folder, name))
}

/** Those of the folder, and the one of the configuration. */
async function storesOf(place: Place): Promise<readonly string[]> {
  const { folder } = place
  const { store, spider } = await configuredStore(place)
  const configured = store === undefined || spider === undefined ? [] : [storePathOf(spider, folder, store)]
  const there: string[] = []
  for (const each of configured) if (await storeExists(each).catch(() => false)) there.push(each)
  return [...new Set([...there, ...(await storesIn(storeFolder(folder)))])]
}

/** Until Ctrl-C, or a signal. */
async function ended(events: Place['events']): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) events.on(signal, resolve)
  await promise
  for (const signal of signals) events.off(signal, resolve)
}
