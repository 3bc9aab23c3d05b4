// Whether the source of a spider has changed since a crawl last used it: a hash over its file and the files that it imports, kept in the memory of the crawl.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { definePlugin, type Plugin } from '@avocet/core'
import { storedJson, type FrontierReader } from '@avocet/core/store'
import { nameFrom } from '../store/store-path.ts'

/** The name of the plugin, and of its part of the memory of the crawl. */
const SOURCE_PLUGIN = 'spider-source'

/** Of one spider. */
const MAX_FILES = 100
/** Relative files, in any way to import them. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g

/** `import offers from './spiders/offers.ts'`. */
const DEFAULT_IMPORT = /^import\s+(\w+)\s+from\s*(["'])(\.{1,2}\/[^"'\n]+)\2/gm

/** The source of a spider in a crawl. */
export interface SpiderSource {
  /** Keeps the hash, and compares it as the crawl opens. */
  readonly plugin: Plugin
  /** If the source has changed since the last run. Known once the plugin has opened. */
  changed(): ChangedSource | undefined
}

/** A source that is not that of the last run. */
interface ChangedSource {
  /** Of the file that declares the spider. */
  readonly path: string
  /** The file of the last run, which is another one that is still there: two spiders share a store. */
  readonly other?: string
}

/** What is kept of it. */
interface Source {
  readonly hash: string
  /** From the folder of the command on, if it is inside. */
  readonly file: string
  /** How a command is told of the spider (`--spider shop.ts -a city=berlin`), without secrets. */
  readonly words: readonly string[]
}

/** `path`: the file that declares the spider, or the configuration that names it. `folder`: of the command. `words`: see `Source`. */
export async function spiderSource(
  path: string,
  { folder, words }: { readonly folder: string; readonly words: readonly string[] },
): Promise<SpiderSource> {
  const files = await sourceFiles(path)
  const declaring = declaringFile(path, files.get(path) ?? '')
  const hash = hashOf(declaring === path ? files : await sourceFiles(declaring))
  const file = nameFrom(folder, declaring)
  const run = lastRun<Source>({
    name: SOURCE_PLUGIN,
    facts: { hash, file, words },
    isSame: (last, now) => last.hash === now.hash,
  })
  return {
    plugin: run.plugin,
    changed() {
      const last = run.differing()
      if (last === undefined) return undefined
      const isOther = last.file !== file && existsSync(resolve(folder, last.file))
      return { path: declaring, ...(isOther && { other: last.file }) }
    },
  }
}

/** How a command is told of the spider of the last run; nothing where the store does not say it. */
export async function wordsOfLastRun(reader: Pick<FrontierReader, 'info'>): Promise<readonly string[]> {
  const kept = (await reader.info()).memories.flatMap(({ [SOURCE_PLUGIN]: text }) =>
    text === undefined ? [] : [storedJson(text, 'the spider of the last run') as [version: number, memory: Memory<Source>]],
  )
  const last = kept.map(([, memory]) => memory).reduce((a, b) => (a.at >= b.at ? a : b), { facts: null, at: 0 })
  return last.facts?.words ?? []
}

/** The text of a spider's file, and of those that it imports by a relative path, breadth first, by path. What cannot be read is left out. */
export async function sourceFiles(path: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const found = [path]
  for (let file = found.shift(); file !== undefined && texts.size < MAX_FILES; file = found.shift()) {
    if (texts.has(file)) continue
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    texts.set(file, text)
    for (const [, , specifier = ''] of withoutComments(text).matchAll(IMPORT)) found.push(resolve(dirname(file), specifier))
  }
  return texts
}

/** Both kinds of comment, but not the slashes of `https://`. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm

/** `text` with blanks for its comments: its lines keep their numbers. */
function withoutComments(text: string): string {
  return text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '))
}

/** Of a configuration the file that it imports the spider from, as its text says: its other parts change no handler. Nothing is loaded for it. */
function declaringFile(path: string, text: string): string {
  for (const [, name = '', , specifier = ''] of text.matchAll(DEFAULT_IMPORT))
    if (new RegExp(`\\bspider:\\s*${name}\\b`).test(text) || (name === 'spider' && /[{,]\s*spider\s*[,}]/.test(text)))
      return resolve(dirname(path), specifier)
  return path
}

function hashOf(files: ReadonlyMap<string, string>): string {
  const hash = createHash('sha1')
  for (const text of files.values()) hash.update(`${text.length}\n${text}`)
  return hash.digest('hex').slice(0, 16)
}

// What the last run of a crawl went by, such as the source of its spider, and whether this run goes by something else: kept in the memory of the crawl.
//
// Pages that were crawled keep their items, whatever this run would make of them. Nobody sees that in the items, so it is said. What is kept is that of the
// last run that had an answer: a run that finds nothing to do leaves it, so that the next one says it again.

/** What is compared from run to run. */
interface Compared<Facts> {
  /** Of the plugin, and of its part of the memory of the crawl. */
  readonly name: string
  /** Of this run: plain JSON. */
  readonly facts: Facts
  isSame(last: Facts, now: Facts): boolean
}

/** The last run of a crawl, as far as it is compared. */
interface LastRun<Facts> {
  /** Keeps the facts, and compares them as the crawl opens. */
  readonly plugin: Plugin
  /** Those of the last run, if they differ. Known once the plugin has opened. */
  differing(): Facts | undefined
}

/** Crawl memory. `facts` null: there was no run with an answer. `at`: epoch ms. */
interface Memory<Facts> {
  facts: Facts | null
  at: number
}

/** Compares them. */
function lastRun<Facts extends object>({ name, facts, isSame }: Compared<Facts>): LastRun<Facts> {
  let differs: Facts | undefined
  const note = (memory: Memory<Facts>, now: number): void => void Object.assign(memory, { facts, at: Math.round(now) })
  const plugin = definePlugin<undefined, Memory<Facts>>({
    name,
    outsideEffects: false,
    crawlMemory: () => ({ facts: null, at: 0 }),
    merge: (a, b) => (a.at >= b.at ? a : b),
    open({ info, now }, memory) {
      if (info.settled === 0) note(memory, now)
      else if (memory.facts !== null && !isSame(memory.facts, facts)) differs = memory.facts
    },
    // Before the page is committed: what is learned behind the last commit is not written.
    onResponse({ now }, _host, memory) {
      if (!isDeepStrictEqual(memory.facts, facts)) note(memory, now)
    },
  })
  return { plugin, differing: () => differs }
}
