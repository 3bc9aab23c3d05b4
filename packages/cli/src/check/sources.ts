// The text of a spider's file, and of those that it imports by a relative path.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g
/** Both kinds of comment, but not the slashes of `https://`. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm
const MAX_FILES = 100

/** One file, without its comments: its lines keep their numbers. */
interface Source {
  readonly file: string
  readonly code: string
}

/** From `path` and what it imports, breadth first; a file that cannot be read is empty. */
export async function sourcesFrom(path: string): Promise<readonly Source[]> {
  const files = [path]
  const sources: Source[] = []
  // Grows while it is walked.
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const code = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '))
    sources.push({ file, code })
    const imported = [...code.matchAll(IMPORTED)].map(([, from = '']) => resolve(dirname(file), from))
    files.push(...imported.filter((one) => !files.includes(one)).slice(0, MAX_FILES - files.length))
  }
  return sources
}
