// Finds what a person typed in a store: the requests of a URL, and the host that was probably meant.
import { didYouMean } from '@avocet/core/plugin'
import { AvocetError } from '@avocet/core'
import { canonicalUrl, type FrontierReader, type HostRecord, type MemoryParts, type RequestRecord } from '@avocet/core/store'
import { atRest, compileScope, DroppedParameters, lastScope, withQueryValues } from '@avocet/core/tools'
import { commandLine } from '../text/command-line.ts'
import { refusedInWords, ruleInWords } from '../text/store-words.ts'
import { withoutValues } from '../text/secrets.ts'

/** Names that are compared with a mistyped one: enough to find it, bounded so that a typo costs no minute. */
const MAX_COMPARED = 100_000

/** Hosts that a message names, where there are no more. */
const MAX_NAMED = 3

/** Parameters that are tried as secret one by one. */
const MAX_TRIED = 20

/** Rules that say something of all URLs of a host. */
const HOST_RULES = ['off-host', 'blocked-host', 'bad-port']

/** What a store knows of a URL. */
export interface UrlHistory {
  /** As the store has it; as it was typed, without the values of `secret` parameters, when it has none. */
  readonly url: string
  readonly requests: readonly RequestRecord[]
}

/**
 * Requests of `url` (in WHATWG form), as it was found or in its identity form, with its secrets or with what the store has in their place: of the
 * parameters that are `declared` secret, or that the store knows to be. Which they are need not be known. Parameters that the last run dropped from URLs
 * may be there.
 */
export async function historyOf(reader: FrontierReader, url: string, declared: readonly string[] = []): Promise<UrlHistory> {
  const crawlMemories = await reader.crawlMemories()
  const secret = [...declared, ...(await atRest(reader)).secretParameters]
  const dropped = new DroppedParameters(lastScope(crawlMemories)?.dropped ?? [], (name) => secret.includes(name))
  for (const spelling of new Set([url, dropped.from(url)].flatMap((each) => [...spellingsOf(each, secret)]))) {
    const requests = await reader.history(spelling)
    if (requests.length > 0) return { url: requests[0]?.url ?? spelling, requests }
  }
  return { url: withoutValues(url, secret), requests: [] }
}

function spellingsOf(url: string, secret: readonly string[]): ReadonlySet<string> {
  const names: string[] = []
  withQueryValues(url, (name, value) => {
    names.push(name)
    return value
  })
  const hidden = [secret, ...names.slice(0, MAX_TRIED).map((name) => [name]), names]
  return new Set(
    [url, ...hidden.map((some) => withoutValues(url, some))].flatMap((spelling) => [spelling, canonicalUrl(spelling)]),
  )
}

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
  const record = await reader.host(hostKey)
  if (record) return record
  if (crawl !== undefined)
    throw new AvocetError(
      'AVO_USAGE',
      `${wanted} that the store knows, got '${crawl}', which is a crawl; ${namedHosts(await hostKeys(reader), crawl)}; for its progress: ${commandLine(['status', crawl])}`,
    )
  const refused = await refusedTo(reader, hostKey)
  if (refused.length > 0)
    throw new AvocetError(
      'AVO_USAGE',
      `${wanted} that the store knows, got '${hostKey}'; links to it were not followed: ${refusedInWords(refused)}`,
    )
  const rule = scopeRefusal(await reader.crawlMemories(), url ?? `https://${hostKey}/`, hostKey)
  const names = await hostKeys(reader)
  const near = names.find((name) => name === `www.${hostKey}` || `www.${name}` === hostKey || name.startsWith(`${hostKey}:`))
  const hint = near === undefined ? didYouMean(hostKey, names) : ` (did you mean '${near}'?)`
  if (hint !== '') throw new AvocetError('AVO_USAGE', `${wanted} that the store knows, got '${hostKey}'${hint}`)
  const isRule = rule !== undefined && (url !== undefined || HOST_RULES.includes(rule))
  const refusal = isRule ? `links to it are not followed: ${ruleInWords(rule)}; ` : ''
  throw new AvocetError('AVO_USAGE', `${wanted} that the store knows, got '${hostKey}'; ${refusal}${namedHosts(names)}`)
}

/**
 * The rule of the last run's scope that refuses `url`, however few links from a seed it is; undefined: none does. Of a store that does not have the scope,
 * what any crawl refuses.
 */
export function scopeRefusal(crawlMemories: readonly MemoryParts[], url: string, hostKey: string): string | undefined {
  const last = lastScope(crawlMemories)
  const plain = new DroppedParameters(last?.dropped ?? []).from(url)
  return compileScope(last?.scope ?? { within: 'any' }, last?.seedHosts ?? [], () => {}).refusal(plain, hostKey, 0)
}

/** Links to the host that were not followed, by rule, as far as they are counted by host. */
export async function refusedTo(reader: FrontierReader, hostKey: string): Promise<RefusedTo> {
  return (await atRest(reader)).refusedLinksTo(hostKey)
}

/** Most links first. */
export type RefusedTo = readonly { readonly rule: string; readonly count: number }[]

function namedHosts(names: readonly string[], crawl?: string): string {
  if (names.length === 0) return 'it has no host yet'
  return names.length > MAX_NAMED
    ? `${commandLine(crawl === undefined ? ['hosts'] : ['hosts', crawl])} lists them`
    : `it knows ${names.join(', ')}`
}

async function hostKeys(reader: FrontierReader): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { hostKey } of (await atRest(reader)).hosts({ memory: 'none' })) {
    names.push(hostKey)
    if (names.length >= MAX_COMPARED) break
  }
  return names
}
