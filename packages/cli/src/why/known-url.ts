// Finds what a person typed in a store: the requests of a URL, and the host that was probably meant.
import { AvocetError, canonicalUrl, type FrontierReader, type HostRecord, type RequestRecord } from '@avocet/core'
import { closest } from '../text/closest.ts'

const PAGE = 1_000
/** Names that are compared with a mistyped one: enough to find it, bounded so that a typo costs no minute. */
const MAX_COMPARED = 100_000

/** Requests of `url` (in WHATWG form), as it was found or in its identity form. */
export async function historyOf(reader: FrontierReader, url: string): Promise<readonly RequestRecord[]> {
  const found = await reader.history(url)
  const canonical = canonicalUrl(url)
  return found.length > 0 || canonical === url ? found : reader.history(canonical)
}

/**
 * The host called `hostKey`.
 *
 * @throws AVO_USAGE with the nearest name when the store does not know it.
 */
export async function knownHost(reader: FrontierReader, hostKey: string): Promise<HostRecord> {
  const record = await reader.host(hostKey)
  if (record) return record
  const names = await hostKeys(reader)
  const near = names.find((name) => name === `www.${hostKey}` || `www.${name}` === hostKey || name.startsWith(`${hostKey}:`))
  const meant = near ?? closest(hostKey, names)
  const hint = meant === undefined ? 'avocet hosts lists them' : `did you mean '${meant}'?`
  throw new AvocetError('AVO_USAGE', `why: expected a host or URL that the store knows, got '${hostKey}'; ${hint}`)
}

async function hostKeys(reader: FrontierReader): Promise<readonly string[]> {
  const names: string[] = []
  while (names.length < MAX_COMPARED) {
    const afterHostKey = names.at(-1)
    const page = await reader.hosts({ limit: PAGE, ...(afterHostKey !== undefined && { afterHostKey }) })
    names.push(...page.map(({ hostKey }) => hostKey))
    if (page.length < PAGE) break
  }
  return names
}
