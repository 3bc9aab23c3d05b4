// Where the value of a secret parameter came from, by what the store knows of a request: the page to be asked again for a fresh one.
//
// The nearest page above the request, by parents and redirects, that is of the same host, was visited, and needs no unknown secret itself; of another scheme,
// too: a site that sends its visitors from http to https has its list on either. Where that way leads to another host before it meets one, the last
// page on it, without the parameter: a site that hands out values does so to visitors that have none. Where it ends at a seed that needs the secret, the value
// is the user's: the site does not have it to give. A parent at another host is not asked: that host has a pace of its own.
import type { FrontierReader, RequestRecord } from '../frontier-reader.ts'
import type { DetourTo } from '../secrets/secret-fetcher.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { originOf } from '../url/origin.ts'
import { parameterNameOf } from '../url/query-values.ts'

/** Pages between a request and its seed that are looked at. */
const MAX_CLIMBED = 100

/** What is looked for, and what need not be asked. */
export interface Sought {
  /** URL of the request, with references. */
  readonly url: string
  /** Of the parameter. */
  readonly name: string
  /** Was requested for this in vain, or must not be requested. */
  isSpent(url: string): boolean
}

/** The page to ask, its URL with references to secrets that are known; undefined where there is none. */
export async function sourceOf(
  { reader, secrets }: { readonly reader: Pick<FrontierReader, 'history'>; readonly secrets: Secrets },
  { url, name, isSpent }: Sought,
): Promise<DetourTo | undefined> {
  const canBeSent = (source: string): boolean => !('unknown' in secrets.parameters.revealed(source)) && !isSpent(source)
  const isOfOrigin = (source: string): boolean => originOf(source) === originOf(url)
  const request = await recordOf(reader, url)
  // The highest of its pages at its own origin.
  let top = request
  let root = request
  for (let climbed = 0; climbed < MAX_CLIMBED && root !== undefined; climbed++) {
    const above = root.redirectedFrom ?? root.parent
    if (above === undefined) break
    root = await recordOf(reader, above)
    if (root === undefined || root.hostKey !== request?.hostKey) continue
    if (isOfOrigin(above)) top = root
    if (canBeSent(above) && wasAsked(root)) return { url: above, depth: root.depth, isVisited: true }
  }
  if (root === undefined || top === undefined || isOfOrigin(root.url)) return undefined
  const bare = withoutParameter(top.url, name)
  return bare !== top.url && canBeSent(bare) ? { url: bare, depth: top.depth, isVisited: false } : undefined
}

/** Of several handlers and methods the first: they were found where it was. */
async function recordOf(reader: Pick<FrontierReader, 'history'>, url: string): Promise<RequestRecord | undefined> {
  const [first] = await reader.history(url)
  return first
}

/** Nothing is requested here that was not requested before. */
function wasAsked({ state }: RequestRecord): boolean {
  return state === 'done' || state === 'moved'
}

function withoutParameter(url: string, name: string): string {
  const question = url.indexOf('?')
  if (question === -1) return url
  const pairs = url.slice(question + 1).split('&')
  const kept = pairs.filter((pair) => parameterNameOf(pair.split('=', 1)[0] ?? '') !== name)
  return url.slice(0, question) + (kept.length === 0 ? '' : `?${kept.join('&')}`)
}
