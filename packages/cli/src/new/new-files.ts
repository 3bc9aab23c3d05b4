// The files that `avocet new` writes: templates with the name filled in. `npm create avocet` makes its projects of the same ones.
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NewOptions } from './new-options.ts'

const TEMPLATES = fileURLToPath(new URL('../../templates', import.meta.url))

/** A file to be. */
export interface NewFile {
  /** Relative to the project. */
  readonly path: string
  readonly text: string
}

/** The files, in the order of their paths. */
export async function newFiles(wish: NewOptions): Promise<readonly NewFile[]> {
  const files = await filesIn(wish.kind === 'spider' ? '_spider' : '_plugin', wish)
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function filesIn(template: string, wish: NewOptions): Promise<NewFile[]> {
  const folder = join(TEMPLATES, template)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => ({
        path: filled(relative(folder, join(parentPath, name)), wish),
        text: filled(await readFile(join(parentPath, name), 'utf8'), wish),
      })),
  )
}

function filled(text: string, { name, camelName, seed }: NewOptions): string {
  const words: Readonly<Record<string, string>> = { name, camelName, seed }
  return text.replace(/__(name|camelName|seed)__/g, (_, word: string) => words[word] ?? '')
}
