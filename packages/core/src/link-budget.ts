// Budgets that links of a page wait for: new URLs of its host, or new hosts of a site.

/** What links wait for: the crawl follows them when there is more of it. */
export type LinkBudget =
  /** New URLs of the host of their page. */
  | { readonly kind: 'new-urls' }
  /** New hosts of `site`, a registrable domain such as `mall.example`. */
  | { readonly kind: 'new-hosts'; readonly site: string }
  /** Some of them for one of these, some for another; which is not kept. */
  | { readonly kind: 'several' }

/** New URLs of the host of their page. */
export const NEW_URLS: LinkBudget = { kind: 'new-urls' }
/** More than one budget. */
export const SEVERAL: LinkBudget = { kind: 'several' }

/** Whether both are the same budget, of pages of one host. */
export function isSameBudget(a: LinkBudget, b: LinkBudget): boolean {
  return a.kind === b.kind && siteOfBudget(a) === siteOfBudget(b)
}

function siteOfBudget(budget: LinkBudget): string | undefined {
  return budget.kind === 'new-hosts' ? budget.site : undefined
}
