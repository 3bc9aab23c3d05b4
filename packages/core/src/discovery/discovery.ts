// From what handlers yield, and what servers redirect to, to requests that the frontier can be offered: resolved, in scope, fingerprinted.
//
// The hot path of a crawl: 93 links a page, of which 92 are known. All work is preceded by a look-up in a capped set of (handler, URL) pairs that a commit
// said are in the store; nine in ten links end there. Its URLs are resolved: a text that equals one resolves to itself on every page, and is looked up as it
// is. Any other may mean another URL on another page, and is resolved first.
import { lowerCased } from '../values/header-names.ts'
import { isTapped, type CrawlHooks } from '../hooks/hooks.ts'
import type { Revisits } from '../hooks/revisits.ts'
import { identityText, type Identified } from '../ports/identity.ts'
import type { Link } from '../ports/link.ts'
import type { Codec } from '../ports/codec.ts'
import { shown } from '../values/shown.ts'
import type { Discovery } from '../ports/plugin.ts'
import type { Leased, NewRequest, Request } from '../ports/request.ts'
import { canonicalUrl } from '../url/canonicalize.ts'
import type { DroppedParameters } from '../url/dropped-parameters.ts'
import { fingerprintOf } from '../url/fingerprint.ts'
import { hostKeyOf, siteOf } from '../url/host-key.ts'
import { noTarget, parseUrl } from '../url/parse-url.ts'
import type { CompiledScope } from '../url/scope.ts'
import type { Seed } from '../ports/seed.ts'
import { RefusedLinks } from '../hosts/refused-links.ts'
import type { RefusalRow, RefusalRule } from '../ports/report.ts'
import { inherited, pairOf, type KnownPairs } from './known-pairs.ts'
import type { ListedSeeds } from './listed-seeds.ts'
import { MAX_HOPS, redirected, refusedTarget } from './redirected.ts'
import { wantedVisit } from '../ports/wanted-problem.ts'
import { DiscoveryCollector } from '../hooks/collector.ts'

const MAX_ANCHOR_TEXT = 200
/** Links looked at in one step: of the most expensive hosts some 20 ms. */
export const LINKS_A_STEP = 500
const LOWER_H = 104
/** Rule of links beyond what a page, a host or a site may add. */
const LINK_BUDGET = 'link-budget'

/** What became of the links of one page. */
export interface Discovered {
  readonly requests: readonly NewRequest[]
  /** Pairs to remember once the requests are committed. */
  readonly pairs: readonly string[]
  readonly offered: number
  /** Links that were not followed. */
  readonly refused: readonly RefusalRow[]
  /** Links beyond what the page may add. */
  readonly overBudget: number
  /** What the report says of links that were not followed, by rule: of the first one. */
  readonly problems: ReadonlyMap<RefusalRule, string>
}

/** What new links of one page may lead to, beyond the scope. */
interface LinkGate {
  /** New requests, at most, at this moment. */
  mayAdd(): number
  /** Why a URL of `hostKey` is not followed, though it is in scope. */
  refusal(hostKey: string): 'link-budget' | undefined
}

/** Why a URL is not followed: the rule, and what it says. */
interface Refusal {
  readonly rule: RefusalRule
  readonly reason: string
  /** What the report says of it. */
  readonly problem?: string
}

/** The links of a page, in steps. */
export type LinkSteps = Generator<undefined, Discovered>

/** Where links come from. */
export interface LinksFrom {
  readonly leased: Leased
  readonly request: Request
  readonly baseUrl: string
  readonly gate?: LinkGate
}

/** What became of the target of a redirect. */
export interface DiscoveredTarget {
  /** Absent when it is refused. */
  readonly request?: NewRequest
  readonly refusal?: Refusal
  /** A seed led to another site: this URL may be requested, its links to that site are out of scope. */
  readonly isElsewhere: boolean
}

/** What identity and privacy of a URL depend on. */
export interface DiscoveryParts {
  readonly keying: 'host' | 'domain'
  /** Hides what is to be hidden in URLs, texts and header fields. */
  readonly codec: { readonly current: Codec }
  readonly dropped: DroppedParameters
  /** Epoch ms. */
  readonly now: () => number
  /** Whether a plugin sees to it that a page was modified. */
  readonly sees: Revisits['sees']
  /** Whether a handler reads documents of a plugin: they are no pages, and the scope does not apply to them. */
  readonly isDocument: (handler: string) => boolean
  /** Those of this run. */
  readonly known: KnownPairs
}

/** Turns links into requests. */
export class Discoveries {
  readonly #hooks: CrawlHooks
  readonly #scope: CompiledScope
  readonly #parts: DiscoveryParts
  /** Pairs that are in the store now. */
  readonly known: KnownPairs
  /** While a list of seeds is offered. */
  listed: ListedSeeds | undefined

  constructor(hooks: CrawlHooks, scope: CompiledScope, parts: DiscoveryParts) {
    this.#hooks = hooks
    this.#scope = scope
    this.#parts = parts
    this.known = parts.known
  }

  /**
   * The links of one page, a few ms a step: some have links enough to stop the event loop. A refused pair is asked again next time: what refuses it may
   * change.
   */
  *inSteps(links: readonly Link[], from: LinksFrom): LinkSteps {
    const met = new Set<string>()
    const pairs: string[] = []
    const requests: NewRequest[] = []
    const problems = new Map<RefusalRule, string>()
    const refused = new RefusedLinks()
    let [added, overBudget] = [0, 0]
    const everyLink = isTapped(this.#hooks.onDiscover)
    const isKnown = (pair: string): boolean => met.has(pair) || (!everyLink && this.known.has(pair))
    const looked = everyLink ? links : links.filter((link) => !this.#isKnownAsWritten(link, from.request))
    for (const [n, link] of looked.entries()) {
      if (n > 0 && n % LINKS_A_STEP === 0) yield
      const { handler = 'start' } = link.options
      const url = this.#inPlace(parseUrl(link.url, from.baseUrl), from.request.url)
      const pair = url === undefined ? undefined : pairOf(link, url, from.request)
      if (pair !== undefined && isKnown(pair)) continue
      const found = url === undefined ? unusable(link, from) : this.#follow(link, { url, handler }, from)
      if ('rule' in found) {
        refused.add(found.rule, url === undefined ? '' : hostKeyOf(url, this.#parts.keying))
        if (found.problem !== undefined && !problems.has(found.rule)) problems.set(found.rule, found.problem)
        continue
      }
      if (pair !== undefined) met.add(pair)
      // What is in the store for sure takes no room; nobody is asked about the others.
      const takesRoom = pair === undefined || !this.known.has(pair)
      if (takesRoom && added >= (from.gate?.mayAdd() ?? Infinity)) {
        overBudget++
        continue
      }
      if (takesRoom) added++
      if (pair !== undefined) pairs.push(pair)
      requests.push(this.listed?.orSeed(found) ?? found)
    }
    if (overBudget > 0) refused.add(LINK_BUDGET, '', overBudget)
    return { requests, pairs, overBudget, offered: links.length, refused: refused.rows, problems }
  }

  /** Whether its text is an absolute URL that is known, as of most: nothing else of these is looked at. */
  #isKnownAsWritten(link: Link, request: Request): boolean {
    const pair = link.url.charCodeAt(0) === LOWER_H ? pairOf(link, link.url, request) : undefined
    return pair !== undefined && this.known.has(pair)
  }

  /** A redirect target keeps handler, data, depth and priority of what led there. */
  ofRedirect(target: string, leased: Leased, request: Request): DiscoveredTarget {
    const { handler, depth } = leased
    const hostKey = hostKeyOf(target, this.#parts.keying)
    const admitted = depth === 0 && !this.#parts.isDocument(handler) ? this.#scope.admitTarget(target, hostKey) : undefined
    const outside = admitted ? admitted.refusal : this.#outside({ url: target, hostKey, handler, depth })
    const refusal = this.#refusal({ url: target, hostKey, kind: 'redirect', handler, depth, from: request }, outside)
    const isElsewhere = admitted?.isElsewhere === true && siteOf(hostKey) !== siteOf(leased.hostKey)
    if (refusal !== undefined) return { refusal, isElsewhere }
    const led = redirected(leased, target, hostKey)
    return { request: this.listed?.orSeed(led) ?? led, isElsewhere }
  }

  /** Why a request of the crawl's own is not made, whatever the rest of the scope says. */
  documentRefusal(url: string): string | undefined {
    return this.#scope.documentRefusal(url)
  }

  /** A seed; the reason when it is refused. */
  ofSeed(seed: Seed, given: string): NewRequest | string {
    const url = this.#parts.codec.current.url(this.#parts.dropped.from(given))
    const place = { url, hostKey: hostKeyOf(url, this.#parts.keying), handler: seed.handler ?? 'start', depth: 0 }
    const refusal = this.#refusal({ ...place, kind: 'seed' }, this.#outside(place))
    if (refusal !== undefined) return refusal.reason
    return this.#request({ ...place, priority: Math.trunc(seed.priority ?? 0) }, seed)
  }

  #follow(
    link: Link,
    { url, handler }: { readonly url: string; readonly handler: string },
    from: Omit<LinksFrom, 'baseUrl'>,
  ): NewRequest | Refusal {
    const hostKey = hostKeyOf(url, this.#parts.keying)
    const depth = from.leased.depth + (this.#parts.isDocument(handler) ? 0 : 1)
    if (link.isRedirect && from.leased.method === undefined && (from.leased.hops ?? 0) < MAX_HOPS) return this.#leadOn(url, from)
    const outside = this.#outside({ url, hostKey, handler, depth }) ?? from.gate?.refusal(hostKey)
    const refusal = this.#refusal({ url, hostKey, kind: 'link', handler, depth, from: from.request }, outside)
    if (refusal !== undefined) return refusal
    const { anchorText: text = '', priority = 0 } = link.options
    const anchorText = this.#parts.codec.current.text(text)
    return {
      ...this.#request({ url, hostKey, handler, depth, priority: Math.trunc(priority) }, inherited(link, from.request)),
      parentId: from.leased.id,
      ...(anchorText !== '' && { anchorText: copyOf(anchorText) }),
    }
  }

  /** A page that leads to `url` by itself was a page all the same: unlike a redirect it is where the target was found. */
  #leadOn(url: string, { leased, request: from, gate }: Omit<LinksFrom, 'baseUrl'>): NewRequest | Refusal {
    const { request, refusal = { rule: 'off-host', reason: 'off-host' }, isElsewhere } = this.ofRedirect(url, leased, from)
    if (request === undefined || isElsewhere)
      return { ...refusal, ...(leased.depth === 0 && { problem: refusedTarget(leased, url, refusal.reason) }) }
    const rule = gate?.refusal(hostKeyOf(url, this.#parts.keying))
    return rule === undefined ? { ...request, parentId: leased.id } : { rule, reason: rule }
  }

  /** As the crawl knows it: without what is dropped, and with references in place of what is hidden. */
  #inPlace(url: string | undefined, from: string): string | undefined {
    return url === undefined ? undefined : this.#parts.codec.current.url(this.#parts.dropped.from(url), from)
  }

  /** Why the scope refuses it. */
  #outside({ url, hostKey, handler, depth }: Pick<Discovery, 'url' | 'hostKey' | 'handler' | 'depth'>): string | undefined {
    return this.#parts.isDocument(handler) ? this.#scope.documentRefusal(url) : this.#scope.refusal(url, hostKey, depth)
  }

  /** `outside`: why the scope refuses it. */
  #refusal(found: Omit<Discovery, 'refuse'>, outside: string | undefined): Refusal | undefined {
    if (!isTapped(this.#hooks.onDiscover)) return outside === undefined ? undefined : { rule: outside, reason: outside }
    const discovery = Object.assign(new DiscoveryCollector(), found)
    if (outside !== undefined) discovery.refuse(outside)
    this.#hooks.onDiscover.call(discovery)
    const { reasons, refusedBy } = discovery
    return refusedBy === undefined ? undefined : { rule: outside ?? `plugin ${refusedBy}`, reason: reasons.join(', ') }
  }

  #request(
    place: Pick<NewRequest, 'url' | 'hostKey' | 'handler' | 'depth' | 'priority'>,
    wanted: Identified & Pick<Link['options'], 'method' | 'headers' | 'body' | 'data' | 'again' | 'modifiedAt'>,
  ): NewRequest {
    const { url, handler, depth } = place
    const method = wanted.method?.toUpperCase() ?? 'GET'
    const { body, data, modifiedAt } = wanted
    const isSeen = modifiedAt !== undefined && this.#parts.sees({ url, hostKey: place.hostKey, modifiedAt })
    const identity = identityText(wanted)
    const codec = this.#parts.codec.current
    const headers = wanted.headers && codec.fields(lowerCased(wanted.headers), { url, identity, isSeed: depth === 0 })
    return {
      ...place,
      fingerprint: fingerprintOf({
        method,
        canonicalUrl: canonicalUrl(url),
        handler,
        ...(body !== undefined && { body }),
        ...(identity !== undefined && { added: identity }),
      }),
      ...(method !== 'GET' && { method }),
      ...(body !== undefined && { body }),
      ...(headers !== undefined && { headersJson: JSON.stringify(headers) }),
      ...(data !== undefined && { dataJson: JSON.stringify(data) }),
      ...(identity !== undefined && { identity }),
      ...(!isSeen && wantedVisit(wanted, this.#parts.now())),
    }
  }
}

/** In V8 a piece of a string keeps all of it in RAM, and the text of an anchor is a piece of its page. */
function copyOf(anchorText: string): string {
  return ` ${anchorText}`.slice(1, 1 + MAX_ANCHOR_TEXT)
}

/** A link to what is no URL, or none of HTTP. */
function unusable({ url }: Link, { baseUrl, request }: LinksFrom): Refusal {
  const rule = noTarget(url, baseUrl)
  if (rule !== 'malformed') return { rule, reason: rule }
  const problem = `handler ${request.handler} yielded link(${shown(url)}), which is no URL: it is not followed (${request.url})`
  return { rule, reason: rule, problem }
}
