// A page of crawls: how it is asked for, and where it is served.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf, type Clock } from '@avocet/core/store'
import { startDashboard, type CrawlShelf, type Dashboard } from '@avocet/dashboard'
import type { PageAddress } from '@avocet/project/options'
import { printable } from '@avocet/project/text'

/** How the page was asked for. */
export interface PageWish {
  readonly address: PageAddress
  readonly passwordPath?: string
}

/** Begins to serve it. `option`: the one that names the file of its password. Throws AVO_USAGE. */
export async function openPage(
  shelf: CrawlShelf,
  { address, passwordPath }: PageWish,
  { option, clock, folder }: { readonly option: string; readonly clock: Clock; readonly folder: string },
): Promise<Dashboard> {
  const password = passwordPath === undefined ? undefined : await readPassword(passwordPath, { name: option, folder })
  return startDashboard({ shelf, clock, ...address, ...(password !== undefined && { password }) })
}

/** The link with the view of a crawl: what follows # is kept when the token is taken. */
export function linkTo({ link }: Dashboard, name: string): string {
  return `${link}#/${encodeURIComponent(name)}/now`
}

// The password of a page, from its file: on a command line it would be seen by everybody who lists processes.

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
