// Crawls the site through the real command, kills it as often as told, and compares what it wrote with what is on the site.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crawlKilled, type KilledOptions } from '../check/crawl-killed.ts'
import { itemDifferences } from '../check/item-differences.ts'
import { openSite, PASSWORD } from './server.ts'
import { itemsOf } from './site.ts'

/** What came of it. */
export interface CheckedLogin {
  readonly found: number
  readonly logins: number
  /** Processes that were killed. */
  readonly kills: number
  /** In words. Empty when all is well. */
  readonly differences: readonly string[]
}

/** Crawls it. */
export function crawlMembers(options: KilledOptions = {}): Promise<CheckedLogin> {
  const example = { folder: import.meta.dirname, open: openSite, env: { MEMBERS_PASSWORD: PASSWORD } }
  return crawlKilled({ ...example, ...options }, async ({ site: { site }, folder, written, kills, failed }) => {
    const found = written.map((line) => JSON.parse(line) as unknown)
    const differences = [...itemDifferences(found, itemsOf('ann')), ...failed, ...(await filesWith(PASSWORD, folder))]
    return { found: found.length, logins: site.logins, kills, differences }
  })
}

/** A secret is in no file that a crawl leaves. */
async function filesWith(secret: string, folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = await readFile(join(entry.parentPath, entry.name))
    const forms = [secret, encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
    if (forms.some((form) => bytes.includes(form))) found.push(`the password is in ${entry.name}`)
  }
  return found
}
