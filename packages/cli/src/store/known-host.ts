// Finds the host that a person typed in a store, or says which one was probably meant.
import { didYouMean } from '@avocet/core/plugin'
import { AvocetError } from '@avocet/core'
import type { FrontierReader, HostRecord } from '@avocet/core/store'
import type { CrawlAtRest } from '@avocet/at-rest'
import { commandLine } from '@avocet/project/place'
import { crawlAtRest } from './at-rest.ts'
import { refusedInWords, ruleInWords } from '../text/store-words.ts'

/** Names that are compared with a mistyped one: enough to find it, bounded so that a typo costs no minute. */
const MAX_COMPARED = 100_000

/** Hosts that a message names, where there are no more. */
const MAX_NAMED = 3

/** Rules that say something of all URLs of a host. */
const HOST_RULES = ['off-host', 'blocked-host', 'bad-port']

/** How a host is asked for. */
interface Wanted {
  /** What the command says that it expects. */
  readonly wanted?: string
  /** The URL whose host it is, in WHATWG form, if one was typed. */
  readonly url?: string
  /** The crawl that has this name. */
  readonly crawl?: string
}

/**
 * The host called `hostKey`.
 *
 * @throws AVO_USAGE when the store does not know it: with what happened to links to it, the rule that refuses `url`, or the nearest name.
 */
export async function knownHost(
  reader: FrontierReader,
  hostKey: string,
  { wanted = 'why: expected a host or URL', url, crawl }: Wanted = {},
): Promise<HostRecord> {
  const [record] = await reader.hosts({ hostKey })
  if (record) return record
  const store = await crawlAtRest(reader)
  if (crawl !== undefined)
    throw new AvocetError(
      'AVO_USAGE',
      `${wanted} that the store knows, got '${crawl}', which is a crawl; ${namedHosts(await hostKeys(store), crawl)}; for its progress: ${commandLine(['status', crawl])}`,
    )
  const refused = await store.refusedLinksTo(hostKey)
  if (refused.length > 0)
    throw new AvocetError(
      'AVO_USAGE',
      `${wanted} that the store knows, got '${hostKey}'; links to it were not followed: ${refusedInWords(refused)}`,
    )
  const rule = store.refusal(url ?? `https://${hostKey}/`, hostKey)
  const names = await hostKeys(store)
  const near = names.find((name) => name === `www.${hostKey}` || `www.${name}` === hostKey || name.startsWith(`${hostKey}:`))
  const hint = near === undefined ? didYouMean(hostKey, names) : ` (did you mean '${near}'?)`
  if (hint !== '') throw new AvocetError('AVO_USAGE', `${wanted} that the store knows, got '${hostKey}'${hint}`)
  const isRule = rule !== undefined && (url !== undefined || HOST_RULES.includes(rule))
  const refusal = isRule ? `links to it are not followed: ${ruleInWords(rule)}; ` : ''
  throw new AvocetError('AVO_USAGE', `${wanted} that the store knows, got '${hostKey}'; ${refusal}${namedHosts(names)}`)
}

function namedHosts(names: readonly string[], crawl?: string): string {
  if (names.length === 0) return 'it has no host yet'
  return names.length > MAX_NAMED
    ? `${commandLine(crawl === undefined ? ['hosts'] : ['hosts', crawl])} lists them`
    : `it knows ${names.join(', ')}`
}

async function hostKeys(store: CrawlAtRest): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { hostKey } of store.hosts({ memory: 'none' })) {
    names.push(hostKey)
    if (names.length >= MAX_COMPARED) break
  }
  return names
}
