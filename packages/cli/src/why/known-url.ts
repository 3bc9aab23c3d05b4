// Finds what a person typed in a store: the requests of a URL, and the host that was probably meant.
import {
  AvocetError,
  canonicalUrl,
  hostsOf,
  type FrontierReader,
  type HostRecord,
  type RequestRecord,
  closest,
} from '@avocet/core'

/** Names that are compared with a mistyped one: enough to find it, bounded so that a typo costs no minute. */
const MAX_COMPARED = 100_000

/** Requests of `url` (in WHATWG form), as it was found or in its identity form. */
export async function historyOf(reader: FrontierReader, url: string): Promise<readonly RequestRecord[]> {
  const found = await reader.history(url)
  const canonical = canonicalUrl(url)
  return found.length > 0 || canonical === url ? found : reader.history(canonical)
}

/**
 * The host called `hostKey`; `wanted` is what the command says that it expects.
 *
 * @throws AVO_USAGE with the nearest name when the store does not know it.
 */
export async function knownHost(
  reader: FrontierReader,
  hostKey: string,
  wanted = 'why: expected a host or URL',
): Promise<HostRecord> {
  const record = await reader.host(hostKey)
  if (record) return record
  const names = await hostKeys(reader)
  const near = names.find((name) => name === `www.${hostKey}` || `www.${name}` === hostKey || name.startsWith(`${hostKey}:`))
  const meant = near ?? closest(hostKey, names)
  const hint = meant === undefined ? 'avocet hosts lists them' : `did you mean '${meant}'?`
  throw new AvocetError('AVO_USAGE', `${wanted} that the store knows, got '${hostKey}'; ${hint}`)
}

async function hostKeys(reader: FrontierReader): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { hostKey } of hostsOf(reader)) {
    names.push(hostKey)
    if (names.length >= MAX_COMPARED) break
  }
  return names
}
