// Reads the answer to a request for a robots.txt, or the lack of one, as RFC 9309 §2.3.1 wants it read.
import { retryAfterAt, type FailureCode, type RequiredDocument } from '@avocet/core/plugin'
import { TOO_MANY, type FetchedRobots } from './copy-law.ts'
import { crawlDelayMs, rulesFor } from './is-allowed.ts'
import { parseRobots, type Robots } from './parse.ts'
import { preferencesOf } from './preferences.ts'

/** Redirects without end, or to where nothing can be: as if there were no file (RFC 9309 §2.3.1.2). */
const LEADS_NOWHERE: ReadonlySet<FailureCode> = new Set([
  'AVO_REDIRECT_LIMIT',
  'AVO_REDIRECT_TARGET',
  'AVO_ADDRESS_REFUSED',
  'AVO_PORT_REFUSED',
])

/** What an attempt came to, and the rules if there are any. */
export function fetchedRobots(
  { result, now }: RequiredDocument,
  agent: string,
): { readonly fetched: FetchedRobots; readonly robots?: Robots } {
  if (result.kind === 'failed') {
    const { code } = result.failure
    return { fetched: { kind: LEADS_NOWHERE.has(code) ? 'open' : 'unreachable', last: code } }
  }
  const { status, headers, body } = result.response
  if (status >= 200 && status < 300) {
    const robots = parseRobots(body)
    const delayMs = crawlDelayMs(robots, agent)
    const rules = rulesFor(robots, agent).length
    const preferences = preferencesOf(robots, agent)
    const read = { kind: 'rules', status, rules, ignoredLines: robots.ignoredLines, preferences } as const
    return { fetched: { ...read, ...(delayMs !== undefined && { crawlDelayMs: delayMs }) }, robots }
  }
  if (status >= 300 && status < 500 && status !== TOO_MANY) return { fetched: { kind: 'open', last: status } }
  const retryAt = retryAfterAt(headers, now)
  return { fetched: { kind: 'unreachable', last: status, ...(retryAt !== undefined && { retryAfterAt: retryAt }) } }
}
