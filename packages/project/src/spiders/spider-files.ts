// Files that are likely to hold a spider: those of the folder and of ./spiders: known by their names and a look at their text.
//
// Loading a file runs it, and a folder may hold scripts that do things. So a file of the folder itself has to look like a spider before it
// is loaded: a default export, and the word `spider` or `handlers`. In ./spiders that is what files are for.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLine } from '../text/command-line.ts'

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

/** More are in `avocet list`. */
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
