// The plugin: asks for an origin's robots.txt before anything else of it, keeps to it, and has its URLs wait while it cannot be had.
import { definePlugin, type Json, type Plugin } from '@avocet/core'
import { formatDuration, originOf, reportedOptions, retryAfterAt } from '@avocet/core/plugin'
import type { Admission, Exchange, FailureCode, HostView, RequiredDocument } from '@avocet/core/plugin'
import { copyAfter, isHopeless, TOO_MANY, type Copy, type FetchedRobots } from './copy-law.ts'
import { delayOf, preferencesOf, rulesFor, timedWishes, withDeclared } from './agent-rules.ts'
import { checked, type RobotsOptions } from './options.ts'
import { parseRobots, type Robots } from './parse.ts'
import { decidingRuleIn, keptText, sitemapsIn } from './kept-text.ts'
import { agentOf } from './product-token.ts'
import {
  blobOf,
  bookStart,
  copyFor,
  freshRobotsMemory,
  keep,
  nextStartAt,
  otherIsKnown,
  readFor,
  returnStart,
  sent,
} from './robots-memory.ts'
import type { RobotsMemory } from './robots-memory.ts'
import { visitAt } from './hours-law.ts'
import { delayAt, wishText } from './timed-wishes.ts'

const FILE = '/robots.txt'

/** More of these would fill the screen of `avocet why`. */
const ORIGINS = 9
const SITEMAPS = 5

/**
 * Keeps to robots.txt, as the product token in the crawl's `userAgent`.
 *
 * What it disallows settles as failed with the reason `robots`, unasked. Crawl-delay is a lower bound of the spacing from start to start.
 * @throws AVO_CONFIG_INVALID for an option that is unknown or out of range.
 *
 * @example
 * ```ts
 * const policies = [robots({ maxCrawlDelayMs: 60_000 })]
 * ```
 * Source: RFC 9309; Crawl-delay is older than it and not in it.
 */
export function robots(options: RobotsOptions = {}): Plugin {
  const { agent: ownAgent, ignore, maxCrawlDelayMs } = checked(options)
  // By the memory of a crawl, which is another object in each: one plugin may serve several. None while no crawl opened it, as when a host at rest is
  // asked about: then the copies count, whichever agent they were read for.
  const agents = new WeakMap<object, string>()
  const agentName = (crawl: object): string => agents.get(crawl) ?? ownAgent ?? agentOf('')
  const isIgnored = (host: HostView): boolean => ignore || host.options.ignoreRobots === true
  const isForeign = (memory: RobotsMemory, crawl: object): boolean => {
    const agent = agents.get(crawl)
    return agent !== undefined && memory.agent !== undefined && memory.agent !== agent
  }
  /** What is known for the agent of this crawl. Of a copy that was read for another one only that it could not be had again. */
  const copyOf = (memory: RobotsMemory, crawl: object, url: string): Copy | undefined => {
    const copy = copyFor(memory, url)
    if (copy === undefined || !isForeign(memory, crawl)) return copy
    return copy.failures > 0 ? { ...copy, kind: 'unknown' } : undefined
  }
  const take = (document: RequiredDocument, memory: RobotsMemory, crawl: object): void => {
    const { host, url } = document
    const origin = originOf(url)
    const agent = agentName(crawl)
    const { fetched, robots: read } = fetchedRobots(document, agent)
    // An attempt that failed throws nothing away, whichever agent the copy was read for.
    if (fetched.kind !== 'unreachable' || !isForeign(memory, crawl)) readFor(memory, agent, host)
    keep(memory, { origin, copy: copyAfter(copyFor(memory, origin), fetched, document) }, host)
    if (fetched.kind === 'open') host.keepBlob(blobOf(origin), undefined)
    if (read !== undefined) host.keepBlob(blobOf(origin), keptText(read, agent))
  }

  return definePlugin<RobotsMemory, object>({
    name: 'robots',
    policy: 'robots',
    options: reportedOptions(options),
    version: 2,
    hostMemory: freshRobotsMemory,
    crawlMemory: () => ({}),
    // Nothing of it is learned: it is what the host has said.
    forgetHost: (memory) => memory,
    open({ userAgent }, crawl) {
      agents.set(crawl, ownAgent ?? agentOf(userAgent))
    },
    admit(ask, memory, crawl) {
      if (isIgnored(ask.host)) return
      const { delayMs = 0 } = memory
      if (delayMs > 0) {
        const why =
          memory.requestRate === undefined ? `Crawl-delay of ${formatDuration(delayMs)}` : `Request-rate of ${memory.requestRate}`
        ask.atMost(1, why)
        ask.notBefore(nextStartAt(memory, ask.host.lastStartAt, Math.min(delayMs, maxCrawlDelayMs)), why)
      }
      if (memory.timed !== undefined) holdByTime(ask, memory)
      const url = ask.nextUrl
      if (url === undefined) return
      const copy = copyOf(memory, crawl, url)
      if (copy === undefined || ask.now >= copy.refreshAt)
        return ask.require(originOf(url) + FILE, (document) => take(document, memory, crawl))
      if (copy.kind === 'unknown' && (isForeign(memory, crawl) || !otherIsKnown(memory))) {
        const why = `robots.txt unreachable (${copy.last})`
        if (isHopeless(copy, ask.now) && !ask.probing) ask.giveUp(why)
        else ask.notBefore(copy.refreshAt, why)
      }
      if (delayMs > maxCrawlDelayMs) ask.giveUp(`asks for ${formatDuration(delayMs)} between requests`)
    },
    onAdmit(exchange, memory) {
      if (isSpaced(exchange, memory)) bookStart(memory, exchange.admittedAt)
    },
    onUnsent(exchange, memory) {
      if (!isSpaced(exchange, memory)) return
      // What was written, and does not count for a fault of ours, has cost the host a request.
      if (exchange.sentAt === undefined) returnStart(memory, exchange.admittedAt)
      else sent(memory, exchange.sentAt)
    },
    onResponse({ exchange, response }, memory) {
      if (isSpaced(exchange, memory)) sent(memory, exchange.sentAt)
      const declared = withDeclared(memory.declared, response)
      if (declared !== undefined && declared !== memory.declared) memory.declared = declared
    },
    onError({ exchange }, memory) {
      if (isSpaced(exchange, memory)) sent(memory, exchange.sentAt)
    },
    beforeRequest(outgoing, memory, crawl) {
      const { request, host, required } = outgoing.exchange
      if (required || isIgnored(host)) return
      const copy = copyOf(memory, crawl, request.url)
      // Not at once: for some reason `admit` was not asked about this one, and it must not spin.
      const soon = outgoing.now + 1_000
      if (copy === undefined) outgoing.retry(soon, 'robots-first')
      else if (copy.kind === 'unknown') outgoing.retry(Math.max(soon, copy.refreshAt), 'robots-unreachable')
      else if (copy.kind === 'rules') {
        const text = host.blob(blobOf(originOf(request.url))) ?? ''
        if (decidingRuleIn(text, request.url)?.allow === false) outgoing.drop('robots')
      }
    },
    explain: (asked, memory) => (isIgnored(asked.host) ? { ignored: true } : explainRobots(asked, memory)),
  })
}

/** What it asks by the time of the day. */
function holdByTime(ask: Admission, memory: RobotsMemory): void {
  for (const wish of memory.timed ?? []) {
    const delayMs = delayAt(wish, ask.now)
    const isVisit = wish.delayMs === undefined
    const at = isVisit ? visitAt(wish, ask.now, ask.host.key) : nextStartAt(memory, ask.host.lastStartAt, delayMs)
    if (isVisit ? at <= ask.now : delayMs === 0) continue
    ask.notBefore(at, wishText(wish))
    ask.atMost(isVisit ? 0 : 1, wishText(wish))
  }
}

/** Whether a start is worth remembering: memory that does not change is not written. */
function isSpaced(exchange: Exchange, memory: RobotsMemory): boolean {
  return exchange.required || memory.delayMs !== undefined || memory.timed !== undefined
}

/** What `avocet why` says: one value for each origin, by its name; that of `url` with the rule that decides about it. */
function explainRobots(
  { host, url }: { readonly host: HostView; readonly url?: string },
  { copies, declared }: RobotsMemory,
): Readonly<Record<string, Json>> {
  const origins = Object.fromEntries(
    copies.slice(0, ORIGINS).map(({ origin, copy }) => {
      const { kind, fetchedAt, refreshAt, failures, last, rules = 0, crawlDelayMs, timed, ignoredLines, preferences } = copy
      const text = kind === 'rules' ? host.blob(blobOf(origin)) : undefined
      const sitemaps = sitemapsIn(text ?? '', origin).slice(0, SITEMAPS)
      const isOfUrl = url !== undefined && originOf(url) === origin
      const rule = isOfUrl ? decidingRuleIn(text ?? '', url) : undefined
      const value = {
        state: kind,
        last,
        ...(fetchedAt > 0 && { fetchedAt }),
        refreshAt,
        ...(failures > 0 && { failures }),
        rules,
        ...(rule !== undefined && { [rule.allow ? 'allowsUrlBy' : 'disallowsUrlBy']: rule.pattern }),
        ...(crawlDelayMs !== undefined && { crawlDelayMs }),
        ...(copy.requestRate !== undefined && { requestRate: copy.requestRate }),
        ...(timed !== undefined && { timed: timed.map(wishText) }),
        ...(ignoredLines !== undefined && { ignoredLines }),
        ...(sitemaps.length > 0 && { sitemaps: [...sitemaps] }),
        ...(preferences !== undefined && { preferences: [...preferences] }),
      }
      return [origin, value]
    }),
  )
  return declared === undefined ? origins : { ...origins, declared: [...declared] }
}

// Reads the answer to a request for a robots.txt, or the lack of one, as RFC 9309 §2.3.1 wants it read.

/** Redirects without end, or to where nothing can be: as if there were no file (RFC 9309 §2.3.1.2). */
const LEADS_NOWHERE: ReadonlySet<FailureCode> = new Set([
  'AVO_REDIRECT_LIMIT',
  'AVO_REDIRECT_TARGET',
  'AVO_ADDRESS_REFUSED',
  'AVO_PORT_REFUSED',
])

/** What an attempt came to, and the rules if there are any. */
function fetchedRobots(
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
    const { ms: crawlDelayMs, rate: requestRate } = delayOf(robots, agent) ?? {}
    const rules = rulesFor(robots, agent).length
    const preferences = preferencesOf(robots, agent)
    const timed = timedWishes(robots, agent)
    const wishes = { crawlDelayMs, requestRate, timed, preferences }
    return { fetched: { kind: 'rules', status, rules, ignoredLines: robots.ignoredLines, ...wishes }, robots }
  }
  if (status >= 300 && status < 500 && status !== TOO_MANY) return { fetched: { kind: 'open', last: status } }
  const retryAt = retryAfterAt(headers, now)
  return { fetched: { kind: 'unreachable', last: status, ...(retryAt !== undefined && { retryAfterAt: retryAt }) } }
}
