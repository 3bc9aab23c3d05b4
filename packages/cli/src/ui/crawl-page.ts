// A page of crawls: how it is asked for, and where it is served.
import { startDashboard, type CrawlShelf, type Dashboard } from '@avocet/dashboard'
import type { Clock } from '@avocet/core/store'
import type { PageAddress } from '@avocet/project/options'
import { readPassword } from './page-password.ts'

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
