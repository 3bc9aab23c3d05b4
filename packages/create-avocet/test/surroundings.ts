// An empty folder to make projects in, and what was said meanwhile.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAvocet } from '../src/index.ts'

/** A place where `create-avocet` was never run. */
export interface EmptyPlace extends Disposable {
  readonly folder: string
  /** Runs it. */
  create(words: readonly string[], options?: { readonly nodeVersion?: string }): Outcome
  /** Files below, with their folders, but for what a path begins with `.git/`. */
  files(folder?: string): readonly string[]
}

/** How it ended. */
interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Makes one. Dispose to remove it. */
export function emptyPlace(): EmptyPlace {
  const folder = mkdtempSync(join(tmpdir(), 'create-avocet-'))
  return {
    folder,
    create: (words, options) => create(words, { folder, ...options }),
    files: (below = '.') =>
      readdirSync(join(folder, below), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, below).length + 1))
        .sort(),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

interface Around {
  readonly folder: string
  readonly nodeVersion?: string
}

function create(words: readonly string[], { folder, nodeVersion = '24.21.0' }: Around): Outcome {
  const said = { stdout: '', stderr: '' }
  const into = (stream: keyof typeof said): { write(text: string): boolean } => ({
    write: (text) => (said[stream] += text) !== '',
  })
  const code = createAvocet(words, { stdout: into('stdout'), stderr: into('stderr'), folder, nodeVersion })
  return { code, ...said }
}
