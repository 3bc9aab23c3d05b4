// Where the store of a crawl is: where the user says, or in the folder `.avocet`.
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { isSpiderName } from '@avocet/core/tools'
import { messageOf } from '@avocet/core/store'
import { say } from '../output/people.ts'
import { commandName } from '../text/command-line.ts'
import { loadConfig, type ConfigPlace } from './config-file.ts'

/** The word for a store in RAM, as SQLite has it. */
export const IN_MEMORY = ':memory:'

const STORE_FOLDER = '.avocet'
const STORE_ENDING = '.db'
/** Of files of kept responses. */
export const CACHE_ENDING = '.cache'

/** The store of the crawl called `name`: an absolute path, or `:memory:`. `given`: as of `storeCalled`. */
export function storePathOf(name: string, folder: string, given?: string): string {
  if (given === IN_MEMORY) return IN_MEMORY
  return given === undefined ? linkedFile(join(folder, STORE_FOLDER, `${name}${STORE_ENDING}`)) : storeCalled(folder, given)
}

/** The absolute path of the store that a word means, for every command: a path, or the name of a spider that has a store. A file of that name comes first. */
export function storeCalled(folder: string, given: string): string {
  return namedStore(folder, given) ?? linkedFile(resolve(folder, given))
}

/** The shortest word that `storeCalled` takes for the store at `path`. */
export function storeWord(folder: string, path: string): string {
  const name = basename(path, STORE_ENDING)
  return isSpiderName(name) && namedStore(folder, name) === path ? name : nameFrom(folder, path)
}

/** The folder of the stores of a project. */
export function storeFolder(folder: string): string {
  return join(folder, STORE_FOLDER)
}

/** Responses that a crawl keeps, beside its store. */
export function cachePathOf(storePath: string): string {
  return besideStore(storePath, CACHE_ENDING)
}

/**
 * A file of the store that is none itself, for commands that look for the only one: `a.cache` of `a.db`. That of `a` is `a-cache`, as SQLite has `a-wal`, so
 * that no two stores share one.
 */
export function besideStore(storePath: string, ending: string): string {
  if (storePath.endsWith(STORE_ENDING)) return `${storePath.slice(0, -STORE_ENDING.length)}${ending}`
  return `${storePath}-${ending.slice(1)}`
}

/** A path as messages call it: from `folder` on, if it is inside. */
export function nameFrom(folder: string, path: string): string {
  const name = relative(folder, path)
  return name.startsWith('..') ? path : name
}

/**
 * The store that a command reads: the given one, by its path or by the name of its spider; else the only one in `.avocet`. Of several, that of the
 * configuration's spider: only then the configuration is loaded.
 *
 * @throws AVO_FRONTIER_MISSING when there is none, AVO_USAGE when there are several.
 */
export async function existingStore(place: ConfigPlace, given?: string): Promise<string> {
  const { folder, stderr } = place
  if (given !== undefined) return storeCalled(folder, given)
  const entries = await readdir(join(folder, STORE_FOLDER)).catch((): string[] => [])
  const stores = entries.filter((name) => name.endsWith(STORE_ENDING) && !name.startsWith('.')).sort()
  const [only] = stores
  if (only === undefined) throw noStore(`in ${join(folder, STORE_FOLDER)}`)
  if (stores.length === 1) return linkedFile(join(folder, STORE_FOLDER, only))
  const { spider, problem } = await configuredSpider(place)
  if (spider === undefined || !stores.includes(`${spider}${STORE_ENDING}`)) {
    const paths = stores.map((name) => relative(folder, join(folder, STORE_FOLDER, name)))
    const why = problem === undefined ? '' : ` (the configuration cannot say which: ${problem})`
    throw new AvocetError('AVO_USAGE', `expected one store, found ${paths.join(', ')}${why}; name the one you mean`)
  }
  const path = storePathOf(spider, folder)
  say(stderr, `store: ${nameFrom(folder, path)}, of the configuration's spider; others are in ${STORE_FOLDER}`)
  return path
}

/** Whether the spider called `name` has a store here. */
export function isCrawl(folder: string, name: string): boolean {
  return isSpiderName(name) && namedStore(folder, name) !== undefined
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

/** The name of the configuration's spider, or why the configuration cannot be read: commands that need none work all the same. */
async function configuredSpider(
  place: ConfigPlace,
): Promise<{ readonly spider?: string | undefined; readonly problem?: string }> {
  try {
    return { spider: (await loadConfig(place))?.config.spider?.name }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** What is thrown where a command finds no store; `where` as in "expected a store in FOLDER". */
export function noStore(where: string): AvocetError {
  return new AvocetError(
    'AVO_FRONTIER_MISSING',
    `expected a store ${where}, found none; name one, or begin with ${commandName()} crawl`,
  )
}
