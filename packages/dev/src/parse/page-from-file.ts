// A page from a file, as it was recorded: a body without header fields, under the address that it was recorded from.
import { readFile, stat } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { AvocetError, type Page } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { parseUrl } from '@avocet/core/plugin'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { checkSeedUrl } from '@avocet/project/load'

/** Where the name says it; else core looks at the first bytes, as browsers do. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'application/xml',
  '.json': 'application/json',
  '.txt': 'text/plain',
}

/** Whether what was typed is a URL and no file. */
export function isUrl(target: string): boolean {
  return /^https?:\/\//i.test(target)
}

/** A file is not requested. Throws AVO_USAGE. `from`: the command. */
export function checkNoRequest({ method, session }: { readonly method?: string; readonly session?: string }, from: string): void {
  if (session !== undefined)
    throw new AvocetError('AVO_USAGE', `${from}: expected a URL for --session, got a file, which nobody requests; leave it out`)
  if (method === undefined) return
  throw new AvocetError('AVO_USAGE', `${from}: expected a URL for --method, --data and --body, got a file; leave them out`)
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** What was typed about it. */
export interface Recording {
  readonly target: string
  readonly folder: string
  /** Its address; default: the one that nobody has, with the file's name. */
  readonly url?: string | undefined
  /** The command, for messages. */
  readonly from: string
  /** Names of parameters whose values are not shown. */
  readonly secret?: readonly string[] | undefined
}

/** Reads the file. Throws AVO_SEED_INVALID when there is none: what was typed is neither URL nor file. */
export async function pageFromFile({ target, folder, url, from, secret }: Recording): Promise<Page> {
  const path = resolve(folder, target)
  const address = parseUrl(
    url === undefined ? `http://page.invalid/${encodeURIComponent(basename(path))}` : checkSeedUrl(url, '--url', secret),
  )
  const isFile = await stat(path).then((entry) => entry.isFile(), () => false) // prettier-ignore
  if (!isFile && (SCHEME.test(target) || !/[/\\]|\.(?:html?|xhtml|xml|json|txt)$/.test(target)))
    checkSeedUrl(target, from, secret)
  if (!isFile || address === undefined)
    throw new AvocetError(
      'AVO_SEED_INVALID',
      `${from}: expected a URL or a file, found no file at ${withoutCredentials(path, secret)}; check the path`,
    )
  const body = await readFile(path).catch((error: unknown) => {
    throw new AvocetError('AVO_SEED_INVALID', `${from}: expected a file that can be read, got ${messageOf(error)}`, {
      cause: error,
    })
  })
  const { recordedPage } = await import('@avocet/simulator')
  const type = TYPES[extname(path).toLowerCase()]
  return recordedPage({ url: address, body, ...(type !== undefined && { headers: { 'content-type': type } }) })
}
