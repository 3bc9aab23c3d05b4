// Finds a spider by its name, as `avocet list` shows it, among the files of a folder that are likely to hold one.
//
// A file runs when it is loaded. So those that are called like the spider, or whose text gives the name, are loaded first, and the others only if there is
// none. One that is called so and cannot be loaded is the one that was meant: its problem alone is said. Two spiders of one name would share a store, so
// neither is picked. Values of arguments may be part of a name (`offers-berlin`). So a file that takes arguments is called by its own name as well, and by the
// name that it has without arguments.
import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { AvocetError, type Spider } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import { commandLine, commandName } from '../text/command-line.ts'
import { checkFound, loadModule } from './load-module.ts'
import { loadSpider } from './spider-file.ts'
import { spiderFiles } from './spider-files.ts'
import { mayNameCrawl } from './store-path.ts'

/** Where it is looked for, and with which arguments it is made. */
interface Search {
  readonly folder: string
  readonly args: Readonly<Record<string, string>>
}

/** A spider and its file, absolute. */
export interface FoundSpider {
  readonly spider: Spider
  readonly path: string
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
    if (only !== undefined) return { spider: only.spider, path: only.path }
    const [meant] = lost
    if (meant !== undefined && group === likely) throw meant
  }
  const [first, ...others] = made
  if (first !== undefined && others.length === 0) return { spider: first.spider, path: first.path }
  if (files.length === 0 || /[.:]/.test(name)) return undefined
  throw new AvocetError('AVO_USAGE', `${unknown(name, names)}${lost.map(({ message }) => `; ${message}`).join('')}`)
}

/** Files of `folder` whose text names a spider `name`, absolute. None of them is run. */
export async function filesNaming(name: string, folder: string): Promise<readonly string[]> {
  const files = (await spiderFiles(folder)).map((file) => resolve(folder, file))
  const naming = await Promise.all(files.map(async (file) => ((await isNaming(file, name)) ? [file] : [])))
  return naming.flat()
}

/** What is thrown where files have a spider of one name. */
function several(name: string, paths: readonly string[]): AvocetError {
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
      const isLikely = basename(file, extname(file)) === name || (await isNaming(resolve(folder, file), name))
      return isLikely ? [file] : []
    }),
  )
  return likely.flat()
}

async function isNaming(path: string, name: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return [...text.matchAll(NAMED)].some(([, , given]) => given === name)
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
