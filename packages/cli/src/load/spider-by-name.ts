// Finds a spider by its name, as `avocet list` shows it, among the files of a folder that are likely to hold one.
//
// A file runs when it is loaded. So those that are called like the spider, or whose text gives the name, are loaded first, and the others only if there is
// none. One that is called so and cannot be loaded is the one that was meant: its problem alone is said. Two spiders of one name would share a store, so
// neither is picked. Values of arguments may be part of a name (`offers-berlin`). So a file that takes arguments is called by its own name as well, by the name
// that it has without arguments, and by that of any crawl whose store remembers its file and arguments.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { AvocetError, type Spider } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { messageOf, type MemoryParts } from '@avocet/core/store'
import { commandLine, commandName } from '../text/command-line.ts'
import { checkFound, loadModule } from './load-module.ts'
import { loadSpider } from './spider-file.ts'
import { spiderFiles } from './spider-files.ts'
import { ARGUMENTS_PLUGIN, type ArgumentFacts } from './last-arguments.ts'
import { storeKind } from '../store-kinds/store-kinds.ts'
import { SOURCE_PLUGIN } from './spider-source.ts'
import { IN_MEMORY, storePathOf, mayNameCrawl } from './store-path.ts'

/** Where it is looked for, and with which arguments it is made. */
interface Search {
  readonly folder: string
  readonly args: Readonly<Record<string, string>>
}

/** A spider and its file, absolute. */
export interface FoundSpider {
  readonly spider: Spider
  readonly path: string
  /** With which it is made: those of the crawl of this name, where none were typed. */
  readonly args: Readonly<Record<string, string>>
}

/**
 * The spider called `name`; undefined when no spider is, and `name` may still be something else: a folder without spiders has no names.
 *
 * @throws AVO_USAGE when several are called so, or the spiders that there are have other names; AVO_CONFIG_UNTRUSTED.
 */
export async function spiderByName(name: string, { folder, args }: Search): Promise<FoundSpider | undefined> {
  // A URL is none, nor is a path.
  if (!mayNameCrawl(name)) return undefined
  const files = await spiderFiles(folder)
  const likely = await likelyFiles(name, { folder, files })
  const names: string[] = []
  const made: LoadedSpider[] = []
  const lost: AvocetError[] = []
  for (const group of [likely, files.filter((file) => !likely.includes(file))]) {
    const loaded = await loadedOf(group, name, { folder, args })
    const found = loaded.spiders.filter(({ spider }) => spider.name === name)
    for (const each of loaded.spiders)
      if (each.isMade && (basename(each.path, extname(each.path)) === name || each.usual === name)) made.push(each)
    names.push(...loaded.spiders.map(({ spider }) => spider.name))
    lost.push(...loaded.lost)
    const [only] = found
    if (found.length > 1) throw several(name, found.map(({ path }) => path)) // prettier-ignore
    if (only !== undefined) return { spider: only.spider, path: only.path, args }
    const [meant] = lost
    if (meant !== undefined && group === likely) throw meant
  }
  const [first, ...others] = made
  if (first !== undefined && others.length === 0) return { spider: first.spider, path: first.path, args }
  const remembered = await rememberedSpider(name, { folder, args })
  if (remembered !== undefined) return remembered
  if (files.length === 0 || /[.:]/.test(name)) return undefined
  throw new AvocetError('AVO_USAGE', `${unknown(name, names)}${lost.map(({ message }) => `; ${message}`).join('')}`)
}

/**
 * That of the file that the store of the crawl called `name` remembers: with the arguments of its last run, or with those that were typed. Undefined where it
 * remembers none that is still there.
 */
async function rememberedSpider(name: string, { folder, args }: Search): Promise<FoundSpider | undefined> {
  const last = await rememberedSource(folder, name)
  const path = last && resolve(folder, last.file)
  if (last === undefined || path === undefined || !existsSync(path) || !(await isMaker(path))) return undefined
  const isTyped = Object.keys(args).length > 0
  const made = isTyped ? args : last.args
  const spider = await loadSpider(path, made)
  if (spider.name === name || isTyped) return { spider, path, args: made }
  const lost = last.omitted.length === 0 ? '' : `, whose -a ${last.omitted.join(', -a ')} no store has`
  throw new AvocetError(
    'AVO_USAGE',
    `expected the arguments of spider '${name}'${lost}, got those of '${spider.name}'; add them: ${commandLine(['crawl', last.file, '-a', 'name=value'])}`,
  )
}

/** Other spiders called like `own`, among the files that are called so or whose text gives the name; and its own file, if it is one of these. */
export async function namesakesOf(
  own: Spider,
  search: Search,
): Promise<{ readonly ownPath?: string | undefined; readonly others: readonly string[] }> {
  const { folder } = search
  const files = await likelyFiles(own.name, { folder, files: await spiderFiles(folder) })
  const { spiders } = await loadedOf(files, own.name, search)
  const found = spiders.filter(({ spider }) => spider.name === own.name)
  const isOwn = found.map(({ spider, isMade }) => isSameSpider(own, spider, isMade))
  return {
    ownPath: found.find((_, index) => isOwn[index])?.path,
    others: found.filter((_, index) => isOwn[index] !== true).map(({ path }) => path),
  }
}

/**
 * Whether `found` is `own`, whose seeds or options may have been replaced in a copy. What a function makes (`isMade`) is another object each time: its name
 * tells.
 */
export function isSameSpider(own: Spider, found: Spider, isMade: boolean): boolean {
  return own === found || own.handlers === found.handlers || (isMade && own.name === found.name)
}

/** Whether the file at `path` exports a function that makes a spider. Throws AVO_CONFIG_UNTRUSTED where another user can have written it. */
async function isMaker(path: string): Promise<boolean> {
  await checkFound(path, commandLine(['crawl', path]))
  return typeof (await loadModule(path, 'AVO_SPIDER_LOAD')) === 'function'
}

/** What is thrown where files have a spider of one name. */
export function several(name: string, paths: readonly string[]): AvocetError {
  return new AvocetError(
    'AVO_USAGE',
    `expected one spider called '${name}', found ${paths.join(', ')}, which would share a store; rename one, or name the file`,
  )
}

/** `name: 'books'` in the text of a file. One that is put together at run time is not seen. */
const NAMED = /\bname\s*:\s*(['"`])([^'"`\n]*)\1/g

/** Paths from the folder on. */
async function likelyFiles(
  name: string,
  { folder, files }: { readonly folder: string; readonly files: readonly string[] },
): Promise<readonly string[]> {
  const likely = await Promise.all(
    files.map(async (file) => {
      if (basename(file, extname(file)) === name) return [file]
      const text = await readFile(resolve(folder, file), 'utf8').catch(() => '')
      return [...text.matchAll(NAMED)].some(([, , given]) => given === name) ? [file] : []
    }),
  )
  return likely.flat()
}

/** A spider as its file makes it of the arguments that were typed. */
interface LoadedSpider extends Pick<FoundSpider, 'spider' | 'path'> {
  /** By a function. */
  readonly isMade: boolean
  /** Its name without arguments, where it can be made without. */
  readonly usual?: string | undefined
}

/** The spiders of files, and why others have none. One after the other: what they do while they load must not mix. */
async function loadedOf(
  files: readonly string[],
  name: string,
  { folder, args }: Search,
): Promise<{ readonly spiders: readonly LoadedSpider[]; readonly lost: readonly AvocetError[] }> {
  const spiders: LoadedSpider[] = []
  const lost: AvocetError[] = []
  for (const file of files) {
    const path = resolve(folder, file)
    await checkFound(path, commandLine(['crawl', file]))
    const loaded = await loadFound(path, { name, args })
    if (loaded instanceof AvocetError) lost.push(loaded)
    else spiders.push({ ...loaded, path })
  }
  return { spiders, lost }
}

/** Why it is none, where it is none: another file may have the spider. Throws why not with these arguments, where it is the one that was meant. */
async function loadFound(
  path: string,
  { name, args }: { name: string; args: Search['args'] },
): Promise<Omit<LoadedSpider, 'path'> | AvocetError> {
  const loaded = await loadSpider(path, args).catch(asAvocetError)
  const isMade = !(loaded instanceof AvocetError) && typeof (await loadModule(path, 'AVO_SPIDER_LOAD')) === 'function'
  if (Object.keys(args).length === 0) return loaded instanceof AvocetError ? loaded : { spider: loaded, isMade }
  const without = await loadSpider(path, {}).catch(asAvocetError)
  const usual = without instanceof AvocetError ? undefined : without.name
  if (!(loaded instanceof AvocetError)) return { spider: loaded, isMade, usual }
  if (without instanceof AvocetError) return loaded
  if (without.name === name || basename(path, extname(path)) === name) throw loaded
  return { spider: without, isMade }
}

function asAvocetError(error: unknown): AvocetError {
  return error instanceof AvocetError ? error : new AvocetError('AVO_SPIDER_LOAD', messageOf(error), { cause: error })
}

function unknown(name: string, names: readonly string[]): string {
  return `expected a file, a URL, or the name of a spider, got '${name}'${didYouMean(name, names)}; ${commandName()} list shows the spiders`
}

/** A spider as its crawl last had it. */
interface RememberedSource {
  /** From the folder of the command on, if it is inside. */
  readonly file: string
  /** Without those whose values may be secret. */
  readonly args: Readonly<Record<string, string>>
  /** Names of these. */
  readonly omitted: readonly string[]
}

/** That of the crawl called `name`; undefined where it has no store, or one that cannot be read: a name may be anybody's. */
async function rememberedSource(folder: string, name: string): Promise<RememberedSource | undefined> {
  const path = storePathOf(name, folder)
  if (path === IN_MEMORY) return undefined
  const memories = await memoriesOf(path).catch((): readonly MemoryParts[] => [])
  const source = latest<{ readonly file: string }>(memories, SOURCE_PLUGIN)
  const { values = {}, hashes = {} } = latest<ArgumentFacts>(memories, ARGUMENTS_PLUGIN) ?? {}
  return (
    source && { file: source.file, args: values, omitted: Object.keys(hashes).filter((each) => !Object.hasOwn(values, each)) }
  )
}

async function memoriesOf(path: string): Promise<readonly MemoryParts[]> {
  const kind = await storeKind(path)
  if (!(await kind.exists(path))) return []
  const reader = await kind.reader(path)
  try {
    return await reader.crawlMemories()
  } finally {
    await reader.close()
  }
}

/** A part at rest: its version, then the memory of `lastRun`. */
type AtRest<Facts> = readonly [number, { readonly facts: Facts | null; readonly at: number }]

/** What the last of the processes that ever wrote to the store remembers. */
function latest<Facts>(memories: readonly MemoryParts[], plugin: string): Facts | undefined {
  const parts = memories.flatMap((each) => (each[plugin] === undefined ? [] : [JSON.parse(each[plugin]) as AtRest<Facts>]))
  return parts.map(([, memory]) => memory).toSorted((a, b) => b.at - a.at)[0]?.facts ?? undefined
}
