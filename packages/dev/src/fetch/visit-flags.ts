// Options of the commands that look at one page as a crawl would see it: those of `avocet crawl` that decide how its host is asked.
import { AvocetError } from '@avocet/core'
import { crawlOptionsOf, type CrawlOptions, type Typed } from '@avocet/project/options'
import { type Variables, CRAWL_FLAGS, SPIDER_ARGUMENTS, valueFlag, type Flags } from '@avocet/project/command'
import { REQUEST_FLAGS, typedRequestOf, type TypedRequest } from './request-flags.ts'

/** How long a page is waited for when nothing else was typed: longer than most a Crawl-delay, shorter than a person's patience. */
const PATIENCE_MS = 30_000

const OWN_WORDS: Flags = {
  config: {},
  store: { describe: 'Use what the crawl in STORE has learned of the host' },
  'user-agent': {},
  'secret-parameter': { describe: 'Hide values of this query parameter' },
  header: { describe: "Send 'name: value', to this host only" },
  'ignore-robots': {},
  proxy: {},
  patience: { describe: 'Maximum time to wait for its turn [default: 30s]' },
  // What a project may have in its environment for its crawls holds here too, and would fill the screen.
  'max-rps': { hidden: true },
  delay: { hidden: true },
  'max-per-host': { hidden: true },
  rate: { hidden: true },
  'allow-private': { hidden: true },
}

/** Of every command that looks at one page. */
export const VISIT_FLAGS: Flags = {
  ...REQUEST_FLAGS,
  ...Object.fromEntries(Object.entries(OWN_WORDS).map(([name, words]) => [name, { ...CRAWL_FLAGS[name], ...words }])),
}

/** Of those that may have a spider. */
export const SPIDER_FLAGS: Flags = {
  spider: valueFlag('SPIDER', "File or name [default: the configuration's spider]"),
  ...SPIDER_ARGUMENTS,
}

/** How a page is to be looked at. */
export interface VisitWish {
  /** What a crawl would get; it has no `targets`. */
  readonly crawl: CrawlOptions
  readonly patienceMs: number
  /** Also what is kept is requested. */
  readonly refetch: boolean
  /** Nothing is requested. */
  readonly kept?: boolean
  /** Of the page that is named. */
  readonly request: TypedRequest
}

/** Reads the options that are a crawl's. Throws AVO_USAGE. */
export function visitWishOf(typed: Typed, variables: Variables): VisitWish {
  const names = new Set([...Object.keys(OWN_WORDS), 'a'])
  const crawls = Object.fromEntries(Object.entries(typed).filter(([name]) => names.has(name)))
  const crawl = crawlOptionsOf(crawls, variables)
  const [refetch, kept] = [typed['refetch'] === true, typed['kept'] === true]
  if (refetch && kept)
    throw new AvocetError(
      'AVO_USAGE',
      'expected --refetch, which requests the page, or --kept, which does not, got both; leave one out',
    )
  const request = typedRequestOf(typed)
  if (kept && request.session !== undefined)
    throw new AvocetError('AVO_USAGE', '--kept: expected no --session, whose pages are always requested; leave one out')
  return { crawl, patienceMs: crawl.config.patienceMs ?? PATIENCE_MS, refetch, kept, request }
}
