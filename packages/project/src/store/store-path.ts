// Where the store of a crawl is: where the user says, or in the folder `.avocet`. Its address is an absolute path, or the URL of a store on a server.
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { configuredStore, type ConfigPlace, type ConfiguredStore } from '../config/config-file.ts'
import { say } from '../output/people.ts'
import { commandName } from '../text/command-line.ts'
import { checkedStore, crawlIn, isFar, shownStore, withCrawl } from '../text/store-address.ts'

/** The word for a store in RAM, as SQLite has it. */
export const IN_MEMORY = ':memory:'

const STORE_FOLDER = '.avocet'
const STORE_ENDING = '.db'

/** Of files of kept responses. */
export const CACHE_ENDING = '.cache'

/** The store of the crawl called `name`: its address, or `:memory:`. `given`: as of `storeCalled`. Throws AVO_USAGE. */
export function storePathOf(name: string, folder: string, given?: string): string {
  if (given === IN_MEMORY) return IN_MEMORY
  if (given !== undefined && isFar(given)) return withCrawl(checkedStore(given), name)
  return given === undefined ? linkedFile(join(folder, STORE_FOLDER, `${name}${STORE_ENDING}`)) : storeCalled(folder, given)
}

/**
 * The address of the store that a word means, for every command: a URL, a path, or the name of a spider that has a store. A file of that name comes first.
 * Throws AVO_USAGE for a URL of another kind.
 */
export function storeCalled(folder: string, given: string): string {
  if (isFar(checkedStore(given))) return given
  return namedStore(folder, given) ?? linkedFile(resolve(folder, given))
}

/** The shortest word that `storeCalled` takes for the store at `path`. It has no password. */
export function storeWord(folder: string, path: string): string {
  if (isFar(path)) return shownStore(path)
  const name = basename(path, STORE_ENDING)
  return mayNameCrawl(name) && namedStore(folder, name) === path ? name : nameFrom(folder, path)
}

/** The folder of the stores of a project. */
export function storeFolder(folder: string): string {
  return join(folder, STORE_FOLDER)
}

/** Where files of this machine that belong to the store are named after: the store itself, or the place where a store in a file would be. */
export function localPlace(folder: string, store: string): string {
  return isFar(store) ? join(folder, STORE_FOLDER, `${crawlNameOf(store)}${STORE_ENDING}`) : store
}

/** The name of the crawl in a store, as its address has it. */
export function crawlNameOf(store: string): string {
  return isFar(store) ? (crawlIn(store) ?? 'crawl') : basename(store, extname(store))
}

/** Responses that a crawl keeps, beside its store, which is at a path. */
export function cachePathOf(storePath: string): string {
  return besideStore(storePath, CACHE_ENDING)
}

/** Pages that handlers failed on, in a file of the same kind, beside the store. */
export function failedPathOf(storePath: string): string {
  return besideStore(storePath, '.failed')
}

/**
 * A file of the store that is none itself, for commands that look for the only one: `a.cache` of `a.db`. That of `a` is `a-cache`, as SQLite has `a-wal`, so
 * that no two stores share one.
 */
export function besideStore(storePath: string, ending: string): string {
  if (storePath.endsWith(STORE_ENDING)) return `${storePath.slice(0, -STORE_ENDING.length)}${ending}`
  return `${storePath}-${ending.slice(1)}`
}

/** An address as messages call it: without a password. */
export function shownName(store: string): string {
  return isFar(store) ? shownStore(store) : store
}

/** A path or the address of a store as messages call it: from `folder` on, if it is inside. */
export function nameFrom(folder: string, path: string): string {
  if (isFar(path)) return shownStore(path)
  const name = relative(folder, path)
  return name.startsWith('..') ? path : name
}

/**
 * The address of the store that a command reads: the given one, by its URL, its path or the name of its spider; else that of the configuration; else the only
 * one in `.avocet`. Of several, that of the configuration's spider. That of a configuration that was named (`configPath`) comes before the only one.
 *
 * @throws AVO_FRONTIER_MISSING when there is none, AVO_USAGE when there are several.
 */
export async function existingStore(place: ConfigPlace, given?: string, configPath?: string): Promise<string> {
  const { folder } = place
  if (given !== undefined) return givenStore(place, given)
  const configured = await configuredStore(place, configPath)
  const { store, spider } = configured
  if (spider !== undefined && (store ?? configPath) !== undefined) return storePathOf(spider, folder, store)
  return store === undefined ? onlyStore(place, configured) : storeCalled(folder, store)
}

/** A word that names nothing here may be a crawl in the store of the configuration. */
async function givenStore(place: ConfigPlace, given: string): Promise<string> {
  const { folder } = place
  if (!mayNameCrawl(given) || isThere(storeCalled(folder, given))) return storeCalled(folder, given)
  const { store } = await configuredStore(place)
  if (store !== undefined && isFar(store)) return storePathOf(given, folder, store)
  const others = (await storesOfFolder(folder)).map((name) => name.slice(0, -STORE_ENDING.length))
  const hint = others.includes(given) ? '' : didYouMean(given, others)
  if (hint !== '') throw noStore(`called '${given}'${hint}`)
  return storeCalled(folder, given)
}

async function onlyStore({ folder, stderr }: ConfigPlace, { spider, problem }: ConfiguredStore): Promise<string> {
  const stores = await storesOfFolder(folder)
  const [only] = stores
  if (only === undefined) throw noStore(`in ${join(folder, STORE_FOLDER)}`)
  if (stores.length === 1) return linkedFile(join(folder, STORE_FOLDER, only))
  if (spider === undefined || !stores.includes(`${spider}${STORE_ENDING}`)) {
    const names = stores.map((name) => basename(name, STORE_ENDING))
    const why = problem === undefined ? '' : ` (the configuration cannot say which: ${problem})`
    throw new AvocetError('AVO_USAGE', `expected one store, found ${names.join(', ')}${why}; name the one you mean`)
  }
  const path = storePathOf(spider, folder)
  say(stderr, `store: ${nameFrom(folder, path)}, of the configuration's spider; others are in ${STORE_FOLDER}`)
  return path
}

/** Names of their files. */
async function storesOfFolder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, STORE_FOLDER)).catch((): string[] => [])
  return entries.filter((name) => name.endsWith(STORE_ENDING) && !name.startsWith('.')).sort()
}

/** Whether the spider called `name` has a store here. */
export function isCrawl(folder: string, name: string): boolean {
  return mayNameCrawl(name) && namedStore(folder, name) !== undefined
}

/** Of the spider called `name`; a file of that name comes first. */
function namedStore(folder: string, name: string): string | undefined {
  const path = storePathOf(name, folder)
  return /[/\\]/.test(name) || isThere(resolve(folder, name)) || !isThere(path) ? undefined : path
}

/** As many as Linux follows. */
const MAX_LINKS = 40

/**
 * The file itself where `path` is a symbolic link, also one that leads to nothing yet: SQLite has its companions there, and what replaces the store must
 * not replace the link. Links among its folders stay, for what is beside the store is in the same folder.
 */
function linkedFile(path: string): string {
  let file = path
  try {
    for (let links = 0; links < MAX_LINKS; links++) {
      if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file
      file = resolve(realpathSync(dirname(file)), readlinkSync(file))
    }
  } catch {
    // No folder, or none that may be read.
  }
  // Or a circle: whoever opens it says so.
  return path
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** What is thrown where a command finds no store; `where` as in "expected a store in FOLDER". */
export function noStore(where: string): AvocetError {
  return new AvocetError(
    'AVO_FRONTIER_MISSING',
    `expected a store ${where}, found none; name one, or begin with ${commandName()} crawl`,
  )
}

/** Whether a spider may have this name, and so the file of its store: no way out of the folder, and no hidden file. */
export function mayNameCrawl(name: string): boolean {
  return /^[\w-][\w.-]{0,99}$/.test(name)
}

// The name that a store knows an output by: its sink, and with it the mark up to which the file has the items.
//
// Beside a store in a file it is the path from the folder of the store, so that a project can be moved as a whole. A store on a server is in no folder, and
// files of several machines may have one path: the name is the machine's and the absolute path, so each machine has outputs of its own.

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
