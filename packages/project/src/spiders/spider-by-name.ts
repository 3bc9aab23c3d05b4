// Finds a spider by its name among the files of a folder that are likely to hold one.
//
// A file runs when it is loaded. So those that are called like the spider, or whose text gives the name, are loaded first, and the others only if there is
// none. One that is called so and cannot be loaded is the one that was meant: its problem alone is said. Two spiders of one name would share a store, so
// neither is picked. Values of arguments may be part of a name (`offers-berlin`): such a spider is found by the name of its file, or by the one that it has
// without arguments.
import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, resolve } from 'node:path'
import { AvocetError, type Spider } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import { checkFound } from '../config/load-module.ts'
import { mayNameCrawl } from '../store/store-path.ts'
import { commandLine } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { loadSpider, spiderFiles } from './spider-files.ts'

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
  const lost: AvocetError[] = []
  for (const group of [likely, files.filter((file) => !likely.includes(file))]) {
    // The arguments are meant for what is called so: the others are known by the names that they have without.
    const loaded = await loadedOf(group, { folder, args: group === likely ? args : {} })
    names.push(...loaded.spiders.map(({ spider }) => spider.name))
    lost.push(...loaded.lost)
    const exact = loaded.spiders.filter(({ spider }) => spider.name === name)
    const found = exact.length > 0 ? exact : loaded.spiders.filter(({ path }) => isCalled(path, name))
    const [only] = found
    if (found.length > 1) throw several(name, found.map(({ path }) => path)) // prettier-ignore
    if (only !== undefined) return group === likely ? only : { ...only, spider: await loadSpider(only.path, args) }
    const [meant] = lost
    if (meant !== undefined && group === likely) throw meant
  }
  if (files.length === 0 || /[.:]/.test(name)) return undefined
  throw new AvocetError('AVO_USAGE', `${unknown(name, names)}${lost.map(({ message }) => `; ${message}`).join('')}`)
}

/** Files of `folder` whose text names a spider `name`, absolute. None of them is run. */
export async function filesNaming(name: string, folder: string): Promise<readonly string[]> {
  const files = (await spiderFiles(folder)).map((file) => resolve(folder, file))
  const naming = await Promise.all(files.map(async (file) => ((await isNaming(file, name)) ? [file] : [])))
  return naming.flat()
}

/** Of one spider. */
const MAX_FILES = 100
/** Relative files, in any way to import them. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g

/** A spider's file, and those that it imports by a relative path. None of them is run; what cannot be read is left out. */
export async function sourceFiles(path: string): Promise<ReadonlySet<string>> {
  const files = new Set<string>()
  const found = [path]
  for (let file = found.shift(); file !== undefined && files.size < MAX_FILES; file = found.shift()) {
    const text = files.has(file) ? undefined : await readFile(file, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    files.add(file)
    for (const [, , specifier = ''] of text.matchAll(IMPORT)) found.push(resolve(dirname(file), specifier))
  }
  return files
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
      const isLikely = isCalled(file, name) || (await isNaming(resolve(folder, file), name))
      return isLikely ? [file] : []
    }),
  )
  return likely.flat()
}

async function isNaming(path: string, name: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return [...text.matchAll(NAMED)].some(([, , given]) => given === name)
}

/** Whether a file has this name, whatever its spider is called. */
function isCalled(path: string, name: string): boolean {
  return basename(path, extname(path)) === name
}

/** The spiders of files, and why others have none. One after the other: what they do while they load must not mix. */
async function loadedOf(
  files: readonly string[],
  { folder, args }: Search,
): Promise<{ readonly spiders: readonly FoundSpider[]; readonly lost: readonly AvocetError[] }> {
  const spiders: FoundSpider[] = []
  const lost: AvocetError[] = []
  for (const file of files) {
    const path = resolve(folder, file)
    await checkFound(path, commandLine(['crawl', file]))
    const loaded = await loadSpider(path, args).catch(asAvocetError)
    if (loaded instanceof AvocetError) lost.push(loaded)
    else spiders.push({ spider: loaded, path })
  }
  return { spiders, lost }
}

function asAvocetError(error: unknown): AvocetError {
  return error instanceof AvocetError ? error : new AvocetError('AVO_SPIDER_LOAD', messageOf(error), { cause: error })
}

function unknown(name: string, names: readonly string[]): string {
  const here = names.length === 0 ? '' : `; the spiders here: ${[...new Set(names)].map(printable).join(', ')}`
  return `expected a file, a URL, or the name of a spider, got '${name}'${didYouMean(name, names)}${here}`
}
