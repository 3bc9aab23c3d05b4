// The password of a page, from its file: on a command line it would be seen by everybody who lists processes.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { printable } from '@avocet/project/text'

/** Shorter ones are guessed. */
const MIN_CHARACTERS = 8

/** The first line of a file. Throws AVO_USAGE. */
export async function readPassword(
  path: string,
  { name, folder }: { readonly name: string; readonly folder: string },
): Promise<string> {
  const text = await readFile(resolve(folder, path), 'utf8').catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const got = isMissing ? `nothing at ${printable(path)}` : messageOf(error)
    throw new AvocetError('AVO_USAGE', `${name}: expected a file with a password in its first line, got ${got}`, { cause: error })
  })
  const [password = ''] = text.split(/\r?\n/)
  if (password.length >= MIN_CHARACTERS) return password
  throw new AvocetError(
    'AVO_USAGE',
    `${name}: expected a first line of at least ${MIN_CHARACTERS} characters, got ${password.length}`,
  )
}
