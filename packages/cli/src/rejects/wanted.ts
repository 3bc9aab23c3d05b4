// What was typed after `avocet rejects`.
import type { CrawlOptions } from '@avocet/project/options'

/** What was typed. */
export interface RejectsOptions {
  readonly action: 'list' | 'retry'
  readonly store?: string
  /** `schema`, or the name of a sink. Absent: all. */
  readonly source?: string
  readonly hostKey?: string
  readonly limit: number
  readonly json: boolean
  /** To try again: which spider, of what. */
  readonly spiderPath?: string
  readonly crawl: CrawlOptions
}

/** Which ones. */
export function wantedOf({ source, hostKey }: RejectsOptions): { readonly source?: string; readonly hostKey?: string } {
  return { ...(source !== undefined && { source }), ...(hostKey !== undefined && { hostKey }) }
}
