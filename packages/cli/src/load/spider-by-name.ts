// Finds a spider by its name, as `avocet list` shows it, among the files of a folder that are likely to hold one.
//
// A file runs when it is loaded. So those that are called like the spider are loaded first, and the others only if there is none. One that is called so and cannot be
// loaded is the one that was meant: its problem alone is said.
import { basename, extname, resolve } from 'node:path'
import { AvocetError, type Spider } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { didYouMean, isSpiderName } from '@avocet/core/tools'
import { checkFound } from './load-module.ts'
import { loadSpider } from './spider-file.ts'
import { spiderFiles } from './spider-files.ts'

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
  if (!isSpiderName(name)) return undefined
  const files = await spiderFiles(folder)
  const isCalledSo = (file: string): boolean => basename(file, extname(file)) === name
  const names: string[] = []
  const lost: AvocetError[] = []
  for (const group of [files.filter(isCalledSo), files.filter((file) => !isCalledSo(file))]) {
    const found: FoundSpider[] = []
    for (const file of group) {
      const path = resolve(folder, file)
      await checkFound(path, `avocet crawl ${file}`)
      const loaded = await loadFound(path, { name, args })
      if (loaded instanceof AvocetError) lost.push(loaded)
      else if (loaded.name === name) found.push({ spider: loaded, path })
      else names.push(loaded.name)
    }
    const [only] = found
    if (found.length > 1) throw several(name, found)
    if (only !== undefined) return only
    const [meant] = lost
    if (meant !== undefined && group.some(isCalledSo)) throw meant
  }
  if (files.length === 0 || /[.:]/.test(name)) return undefined
  throw new AvocetError('AVO_USAGE', `${unknown(name, names)}${lost.map(({ message }) => `; ${message}`).join('')}`)
}

/** Why it is none, where it is none: another file may have the spider. Throws why not with these arguments, where it is the one that was meant. */
async function loadFound(path: string, { name, args }: { name: string; args: Search['args'] }): Promise<Spider | AvocetError> {
  const loaded = await loadSpider(path, args).catch(asAvocetError)
  if (!(loaded instanceof AvocetError) || Object.keys(args).length === 0) return loaded
  const without = await loadSpider(path, {}).catch(asAvocetError)
  if (without instanceof AvocetError) return loaded
  if (without.name === name) throw loaded
  return without
}

function asAvocetError(error: unknown): AvocetError {
  return error instanceof AvocetError ? error : new AvocetError('AVO_SPIDER_LOAD', messageOf(error), { cause: error })
}

function several(name: string, found: readonly FoundSpider[]): AvocetError {
  const paths = found.map(({ path }) => path).join(', ')
  return new AvocetError('AVO_USAGE', `expected one spider called '${name}', found ${paths}; name the file`)
}

function unknown(name: string, names: readonly string[]): string {
  return `expected a file, a URL, or the name of a spider, got '${name}'${didYouMean(name, names)}; avocet list shows the spiders`
}
