// Names of the budgets that links of a page wait for: new URLs of its host, or new hosts of a site; several of them together have one name.
import { siteOf } from '../url/host-key.ts'

/** A host may add no more URLs for now. */
export const NEW_URLS = 'new-urls'
/** A site may have no more hosts for now. */
export const NEW_HOSTS = 'new-hosts'

/** Links of one page wait for several budgets. */
export const ANY_BUDGET = 'any'

/** `new-hosts mall.example`: what links to `hostKey` wait for. */
export function waitsForHosts(hostKey: string): string {
  return `${NEW_HOSTS} ${siteOf(hostKey)}`
}

/** The site of `new-hosts mall.example`; undefined of `new-urls` and `any`. */
export function siteWaitedFor(budget: string): string | undefined {
  return budget.startsWith(`${NEW_HOSTS} `) ? budget.slice(NEW_HOSTS.length + 1) : undefined
}
