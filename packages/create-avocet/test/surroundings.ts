// An empty folder to make projects in, and what was said meanwhile.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { createAvocet } from '../src/index.ts'

/** A place where `create-avocet` was never run. */
export interface EmptyPlace extends Disposable {
  readonly folder: string
  /** Runs it; on a terminal when there are `answers` to its questions. */
  create(
    words: readonly string[],
    options?: { readonly nodeVersion?: string; readonly answers?: readonly string[] },
  ): Promise<Outcome>
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
  readonly answers?: readonly string[]
}

async function create(words: readonly string[], { folder, nodeVersion = '24.21.0', answers }: Around): Promise<Outcome> {
  const isTTY = answers !== undefined
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stderr = Object.assign(new PassThrough(), { isTTY })
  let said = ''
  const left = [...(answers ?? [])]
  stderr.on('data', (text: Buffer) => {
    said += text.toString()
    // So ends a question, but for what tells the terminal where the cursor is.
    if (stripVTControlCharacters(text.toString()).endsWith(': ')) stdin.write(`${left.shift() ?? '\u0003'}\n`)
  })
  let stdout = ''
  const code = await createAvocet(words, {
    stdin,
    stdout: { write: (text: string) => (stdout += text) !== '' },
    stderr,
    folder,
    nodeVersion,
  })
  return { code, stdout, stderr: said }
}
