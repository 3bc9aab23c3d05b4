// The files of templates with their names filled in, and what writes them: for a whole project, and for `avocet new`.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../templates', import.meta.url))

/** What is filled in for `__name__`, `__camelName__`, `__seed__` and `__project__`, and for what is known of a recorded page. */
export interface TemplateWords {
  /** Of a spider or a plugin, as its files have it: `price-watch`. */
  readonly name: string
  /** Where the spider begins. */
  readonly seed: string
  readonly project: string
  /** What its crawl writes, the words of its container as code, and what lists changes, if it records them. */
  readonly output?: string
  readonly command?: string
  readonly changes?: string
  /** URL of a recorded page. */
  readonly page?: string
  /** What its test shows. */
  readonly claim?: string
  /** Its content type, its title and the URLs of the pages that come next, if there are any: as code. */
  readonly type?: string
  readonly title?: string
  readonly next?: string
}

/** Text by path, relative to the project and in the order of the paths, of one folder below `templates/`. */
export function templateFiles(folder: string, words: TemplateWords): ReadonlyMap<string, string> {
  const files = pathsIn(folder).map((path): [string, string] => [
    filled(unhidden(path), words),
    filled(readFileSync(join(FOLDER, folder, path), 'utf8'), words),
  ])
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Writes files into `folder`, never over something that is there. Throws what the system does. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string | Uint8Array>): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    // `wx`: never over something that came in the meantime.
    writeFileSync(join(folder, path), content, { flag: 'wx' })
  }
}

/** `priceWatch` for `price-watch`: the name of a function. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function pathsIn(folder: string): readonly string[] {
  return readdirSync(join(FOLDER, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && basename(entry.name) !== '.DS_Store')
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(join(FOLDER, folder).length + 1)
        .replaceAll('\\', '/'),
    )
}

/** npm leaves .gitignore out of a package, or makes .npmignore of it; .dockerignore is hidden like it. */
function unhidden(path: string): string {
  return path.replace(/(^|\/)_(?=(?:git|docker)ignore$)/, '$1.')
}

const WORD = /__(name|camelName|seed|project|output|command|changes|page|claim|type|title|next)__/g

/** A line with a word that is not there is left out. */
function filled(text: string, words: TemplateWords): string {
  const all: Readonly<Record<string, string>> = { ...words, camelName: camelCase(words.name) }
  return text
    .split('\n')
    .filter((line) => [...line.matchAll(WORD)].every(([, word = '']) => all[word] !== undefined))
    .map((line) => line.replace(WORD, (_, word: string) => all[word] ?? ''))
    .join('\n')
}
