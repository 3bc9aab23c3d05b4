// Files that are likely to hold a spider: those of the folder and of ./spiders: known by their names and a look at their text.
//
// Loading a file runs it, and a folder may hold scripts that do things. So a file of the folder itself has to look like a spider before it
// is loaded: a default export, and the word `spider` or `handlers`. In ./spiders that is what files are for.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AvocetError, type Seed, type Spider } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { checkCrawl } from '@avocet/config'
import type { ArgumentRules } from 'avocet'
import { loadModule } from '../config/load-module.ts'
import { commandLine } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'

const FOLDER = 'spiders'
const SOURCE = /\.[cm]?[jt]s$/
const NOT_A_SPIDER = /\.d\.[cm]?ts$|\.(?:test|spec|config)\.[cm]?[jt]s$/

/** At the beginning of a statement: a script may have the text of a spider in a string. */
const DEFAULT_EXPORT = /(?:^|[;}])[ \t]*export\s+default\b|\bas\s+default\b/m
const SPEAKS_OF_SPIDERS = /\bspider\b|\bhandlers\b/

/** Paths relative to `folder`, those of the folder first, by name. */
export async function spiderFiles(folder: string): Promise<readonly string[]> {
  const here = await sourcesIn(folder)
  const looked = await Promise.all(here.map(async (name) => ((await looksLikeSpider(join(folder, name))) ? [name] : [])))
  const inFolder = await sourcesIn(join(folder, FOLDER))
  return [...looked.flat(), ...inFolder.map((name) => `${FOLDER}/${name}`)]
}

/** More are not named. */
const MAX_NAMED = 5

/** `avocet crawl books.ts, avocet crawl quotes.ts`: how to name one of them; undefined where there is none. Nothing is run. */
export async function spiderCommands(command: string, folder: string): Promise<string | undefined> {
  const files = (await spiderFiles(folder)).slice(0, MAX_NAMED)
  return files.length === 0 ? undefined : files.map((file) => commandLine([command, file])).join(', ')
}

async function sourcesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  return names.filter((name) => SOURCE.test(name) && !NOT_A_SPIDER.test(name)).toSorted()
}

async function looksLikeSpider(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return DEFAULT_EXPORT.test(text) && SPEAKS_OF_SPIDERS.test(text)
}

// Loads the spider that a file exports, with the arguments of `-a key=value`.

/**
 * The spider that the file at `path` (absolute) exports by default, or that its exported function makes of `args`.
 *
 * @throws AVO_SPIDER_LOAD when the file cannot be loaded, AVO_SPIDER_INVALID when what it exports is no spider.
 */
export async function loadSpider(path: string, args: Readonly<Record<string, string>>): Promise<Spider> {
  const exported = await loadModule(path, 'AVO_SPIDER_LOAD')
  if (typeof exported === 'function') return checkSpider(await make(exported as FileExport, path, args), path)
  const given = Object.keys(args)
  if (given.length > 0) {
    throw new AvocetError(
      'AVO_SPIDER_INVALID',
      `${path}: got -a ${given.join(', -a ')}, but the spider takes no arguments; declare them: export default spiderWith({ ${given[0] ?? 'name'}: 'text' }, (args) => spider({ … }))`,
    )
  }
  return checkSpider(exported, path)
}

/** The seeds of a spider one by one, also where a function makes them, which may have no end. */
export async function* spiderSeedsOf({ seeds: given }: Spider): AsyncGenerator<Seed> {
  const seeds: Iterable<string | Seed> | AsyncIterable<string | Seed> = typeof given === 'function' ? given() : given
  for await (const seed of seeds) yield typeof seed === 'string' ? { url: seed } : seed
}

type FileExport = (args: Readonly<Record<string, string>>) => unknown

async function make(maker: FileExport, path: string, args: Readonly<Record<string, string>>): Promise<unknown> {
  try {
    return await maker(args)
  } catch (error) {
    if (error instanceof AvocetError && error.code === 'AVO_USAGE')
      throw new AvocetError('AVO_USAGE', `${path}: ${error.message}`)
    throw new AvocetError('AVO_SPIDER_LOAD', `${path}: the function that makes the spider threw: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * The value itself, if it is a spider.
 *
 * @param from where it comes from, for the message.
 * @throws AVO_SPIDER_INVALID.
 */
export function checkSpider(value: unknown, from: string): Spider {
  checkCrawl({ spider: value ?? null }, from)
  return value as Spider
}

// The arguments that a spider declares, as help shows them.

/** The declaration of what a spider file exports; undefined where it declares nothing. */
export function argumentsOf(exported: unknown): ArgumentRules | undefined {
  if (typeof exported !== 'function' || !('takes' in exported)) return undefined
  const { takes } = exported
  return typeof takes === 'object' && takes !== null ? (takes as ArgumentRules) : undefined
}

/** A line for each: the word, what it is, and its default. */
export function argumentLines(rules: ArgumentRules): string[] {
  const parts = Object.entries(rules).map(([name, rule]) => partsOf(name, rule))
  const width = Math.max(0, ...parts.map(({ word }) => word.length))
  return parts.map(({ word, says }) => `  ${word.padEnd(width)}  ${says}`.trimEnd())
}

function partsOf(name: string, rule: ArgumentRules[string]): { word: string; says: string } {
  const { type, default: usual, optional, describe = '' } = typeof rule === 'string' ? { type: rule } : rule
  const isRequired = usual === undefined && optional !== true && type !== 'flag'
  const value = type === 'flag' ? 'true' : type.toUpperCase()
  const note = isRequired ? '[required]' : usual === undefined ? '' : `[default: ${usual}]`
  return {
    word: printable(`-a ${name}=${value}`),
    says: printable([describe, note].filter((part) => part !== '').join(' ')),
  }
}
