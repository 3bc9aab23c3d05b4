// What a crawl refuses because it leads to nothing new: new URLs beyond what a host has earned, patterns that repeat, host names without end.
//
// Pages are compared by what they say: one in sixteen of those that link to something new, and all of a pattern that is suspected, which it is as soon as
// a page of it says what another said, and until as many say something new. So a healthy host costs two additions for most of its pages. Links
// of a closed pattern are added to the store while the budget allows it, and settled there instead of being requested: so the pattern can be opened.
//
// A law by which what yields no items is closed was rejected: a forum beside a shop, and all pages that a spider only reads, would be traps.
import type { ClosedFor, ClosedPattern } from '../closed-pattern.ts'
import type { Leased, NewRequest } from '../request.ts'
import { hostnameOf, siteOf } from '../url/host-key.ts'
import { contentKey, wordsOf } from './content-key.ts'
import { urlsLeft, type DiscoveryLimits, type Given } from '../discovery-limits.ts'
import { fullPattern, type GivingHost, type HostGains } from './host-gains.ts'
import { closedSince, takeTrial, weigh, weighTrial, YOUNG_PAGES } from './pattern-record.ts'
import { GIVING_PAGES, type SiteHosts } from './site-hosts.ts'
import { dateNumbers, urlPatterns, WHOLE_HOST } from './url-patterns.ts'
import { textHash } from './text-hash.ts'

/** Of the new links of a page, so many tell where it leads. */
const MAX_LOOKED_AT = 32
/** While nothing of a host was seen twice, one page in so many is compared. */
const COMPARE_EACH = 16
/** With fewer URLs left to a host, or half of what it began with, its closed patterns take none of them. */
const SCARCE_URLS = 25_000
/** Characters that are looked at. */
const MAX_CHARACTERS = 8_192
/** Moments as `Date` writes them into JSON: what a handler notes of the visit, not of the page. */
const MOMENT = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g

/** What the traps need of the crawl around them. */
export interface TrapWorld {
  readonly limits: DiscoveryLimits
  /** Patterns that the user opened. */
  readonly accepted: ReadonlySet<string>
  readonly sites: SiteHosts
  /** Hosts that the user named, by host name: they are no discovery. */
  readonly named: Set<string>
  now(): number
  problem(message: string): void
}

/** A page that a handler accepted. */
export interface AcceptedPage {
  readonly url: string
  /** It was there before, so that it says the same is no news. */
  readonly isRevisited: boolean
  readonly body: Uint8Array
  /** Items as JSON text. */
  readonly items: readonly string[]
  /** Its links that are new, as far as is known. */
  readonly requests: readonly NewRequest[]
}

/** What follows from a page for the requests of its host that wait; `tried`: a closed pattern may have been closed wrongly, and more of it is to be tried. */
export type PatternJudgement = 'closed' | 'tried' | 'opened' | undefined

/** Decides what is not followed. */
export class Traps {
  readonly #world: TrapWorld

  constructor(world: TrapWorld) {
    this.#world = world
  }

  /** A seed names a host. */
  takeSeed(hostname: string): void {
    this.#world.named.add(hostname)
  }

  /** How many new URLs the next page of `host` may add. */
  mayAdd(host: GivingHost): number {
    const { limits } = this.#world
    if (this.#isAccepted(host.key, WHOLE_HOST)) return limits.maxUrlsPerPage
    return Math.min(limits.maxUrlsPerPage, this.#left(host))
  }

  #left(host: GivingHost): number {
    return Math.max(0, urlsLeft(givenOf(host), this.#world.limits) - host.gains.pending)
  }

  /** Why a new link from a page of `host` is not followed, though it is in scope. */
  refusal(host: GivingHost, { url, hostKey }: { url: string; hostKey: string }): 'closed-pattern' | 'link-budget' | undefined {
    if (hostKey === host.key) {
      const { closed } = host.gains
      if (closed.size === 0 || this.#left(host) >= Math.min(SCARCE_URLS, this.#world.limits.firstUrlsPerHost / 2))
        return undefined
      return this.#closedFor(host, url) === undefined ? undefined : 'closed-pattern'
    }
    const { named, sites, accepted } = this.#world
    const hostname = hostnameOf(hostKey)
    if (named.has(hostname) || sites.admit(hostname)) return undefined
    const pattern = `*.${siteOf(hostKey)}`
    if (accepted.has(pattern)) return undefined
    this.#count(host, pattern, { reason: 'new-hosts', count: 1 })
    return 'link-budget'
  }

  /** Links of a page of `host` were beyond what it may add; those that it adds are pending. While its host has some left, it was the limit of a page. */
  overBudget(host: GivingHost, count: number): void {
    const { maxUrlsPerPage } = this.#world.limits
    if (this.#isAccepted(host.key, WHOLE_HOST) || this.#left(host) > 0)
      this.#world.problem(
        `a page of ${host.key} links to more new URLs than a page may add: those beyond the first ${maxUrlsPerPage} are not followed; to follow more of them, raise discoveryLimits.maxUrlsPerPage and have the page visited again`,
      )
    else this.#count(host, WHOLE_HOST, { reason: 'new-urls', count })
  }

  /** Whether a waiting request must not be sent; counts it if so. What the user named, and what was visited before, stays. */
  refuse(host: GivingHost, { url, depth, earlier }: Leased): boolean {
    if (host.gains.closed.size === 0 || depth === 0 || earlier !== undefined) return false
    const closed = this.#closedFor(host, url)
    if (closed === undefined) return false
    host.gains.mark()
    return !takeTrial(closed, this.#world.now())
  }

  /** A page was accepted: counts what it gave, and whether it says anything new. */
  judge(host: GivingHost, page: AcceptedPage): PatternJudgement {
    const given = givenOf(host)
    host.core.gave = given
    given.pages++
    given.items += page.items.length
    if (given.pages === GIVING_PAGES) this.#world.sites.gives(hostnameOf(host.key))
    const { gains } = host
    if (page.isRevisited || given.pages < YOUNG_PAGES || !this.#world.limits.closePatterns) return undefined
    const closed = gains.closed.size === 0 ? undefined : this.#closedFor(host, page.url)
    if (closed !== undefined) return this.#retry(host, closed, page)
    // Counted are those that link to something new: of all pages, the same ones may always be left out.
    const isSampled = page.requests.length > 0 && gains.growing++ % COMPARE_EACH === 0
    if (gains.records.size === 0 && !isSampled) return undefined
    const patterns = urlPatterns(page.url)
    if (!isSampled && !patterns.some((name) => gains.isSuspected(name))) return undefined
    // What the user has accepted is no evidence against anything.
    if (patterns.some((name) => this.#isAccepted(host.key, name))) return undefined
    const isSame = saysTheSame(gains, page)
    return isSame === undefined ? undefined : this.#weigh(host, patterns, { isSame, requests: page.requests })
  }

  #weigh(
    host: GivingHost,
    patterns: readonly string[],
    { isSame, requests }: { readonly isSame: boolean; readonly requests: readonly NewRequest[] },
  ): PatternJudgement {
    const { gains } = host
    const growing = isSame ? grownBy(host.key, requests, patterns) : patterns.filter((name) => gains.isSuspected(name))
    let judgement: PatternJudgement
    patterns.forEach((name, index) => {
      if (name === WHOLE_HOST || !growing.includes(name)) return
      const record = gains.record(name)
      if (weigh(record, { isSame, width: widthOf(patterns, index), kind: patterns[0] ?? name })) {
        if (this.#close(host, { pattern: name, reason: 'same-content', pages: record.pages })) judgement = 'closed'
      } else if (record.same === 0) gains.records.delete(name)
      gains.mark()
    })
    return judgement
  }

  /** A page of a closed pattern was fetched all the same: it was in flight, or tried again. */
  #retry(host: GivingHost, closed: ClosedPattern, page: AcceptedPage): PatternJudgement {
    const isSame = saysTheSame(host.gains, page)
    if (isSame === undefined) return undefined
    host.gains.mark()
    if (!weighTrial(closed, isSame)) return isSame ? undefined : 'tried'
    const patterns = urlPatterns(page.url)
    host.gains.acquit(closed.pattern, widthOf(patterns, patterns.indexOf(closed.pattern)))
    const name = fullPattern(host.key, closed.pattern)
    this.#world.problem(`${name} was closed and is open again: pages of it had new content`)
    return 'opened'
  }

  #closedFor(host: Pick<GivingHost, 'key' | 'gains'>, url: string): ClosedPattern | undefined {
    const { closed } = host.gains
    if (!this.#world.limits.closePatterns) return undefined
    const names = urlPatterns(url)
    // A narrow pattern that was accepted is open, though a wide one may be closed.
    const open = names.filter((name) => this.#isAccepted(host.key, name))
    for (const name of open) host.gains.open(name)
    if (open.length > 0) return undefined
    // A budget is no closed door: it grows.
    return names.map((name) => closed.get(name)).find((each) => each?.reason === 'same-content')
  }

  #close(host: GivingHost, { pattern, reason, pages }: Pick<ClosedPattern, 'pattern' | 'reason' | 'pages'>): boolean {
    if (!host.gains.close(closedSince(this.#world.now(), { pattern, reason, pages, refused: 0 }))) return false
    const name = fullPattern(host.key, pattern)
    this.#world.problem(`${name} is closed: ${WHY[reason]}; it stays closed until this pattern is accepted`)
    return true
  }

  #count(host: GivingHost, pattern: string, { reason, count }: { reason: ClosedFor; count: number }): void {
    const known = host.gains.closed.get(pattern)
    if (known !== undefined) {
      known.refused += count
      host.gains.mark()
      return
    }
    const { pages } = givenOf(host)
    if (!host.gains.close(closedSince(this.#world.now(), { pattern, reason, pages, refused: count }))) return
    const name = fullPattern(host.key, pattern)
    this.#world.problem(
      `links to ${name} are not followed: ${WHY[reason]}; to follow them, accept this pattern and have the pages that have them visited again`,
    )
  }

  #isAccepted(hostKey: string, pattern: string): boolean {
    const { accepted } = this.#world
    return accepted.size > 0 && (accepted.has(fullPattern(hostKey, pattern)) || accepted.has(hostKey + WHOLE_HOST))
  }
}

const WHY: Readonly<Record<ClosedFor, string>> = {
  'same-content': 'page after page says the same, and links to nothing but more of them',
  'new-urls': 'its pages link to more new URLs than they have earned',
  'new-hosts': 'links lead to more and more hosts of one domain',
}

function givenOf({ core }: GivingHost): Given {
  return core.gave ?? { pages: 0, items: 0, added: 0 }
}

/** The narrow pattern is 0; of a folder, with all that is in it, 2. */
function widthOf(patterns: readonly string[], index: number): number {
  return index > 0 && index === patterns.length - 2 ? 2 : index
}

/** The patterns of a page that all of its new links are of, too. */
function grownBy(hostKey: string, requests: readonly NewRequest[], own: readonly string[]): readonly string[] {
  let growing = requests.length === 0 ? [] : own
  for (const { url, hostKey: to } of requests.slice(0, MAX_LOOKED_AT)) {
    const names = to === hostKey ? urlPatterns(url) : []
    growing = growing.filter((name) => names.includes(name))
  }
  return growing
}

/** Whether a page brings only what was seen; undefined when it says nothing either way. */
function saysTheSame(gains: HostGains, { url, body, items }: AcceptedPage): boolean | undefined {
  const isMissing = saysMissing(body)
  const numbers = dateNumbers(url)
  const key = contentKey(body, { dateNumbers: numbers, own: wordsOf(url), isMissing })
  const isKnown = key !== undefined && gains.remember(key)
  // Both are remembered, independent of each other.
  const isKnownOfItems = items.length === 0 || gains.remember(itemsKey(items, url, numbers))
  if (key === undefined && items.length === 0) return undefined
  return isKnown && isKnownOfItems
}

/** Bytes at the beginning that are looked at: title and first heading. */
const MAX_BYTES = 2_048
const MISSING =
  /\b(?:page|file|url|document|article|product|nothing)[^.<>]{0,40}(?:not|n't|no longer|cannot be)\s(?:be\s)?(?:found|exist|available)|\b(?:error|status|http)?\s*404\b|\bnot found\b/i
const decoder = new TextDecoder('latin1')

/** By title and first heading. Of English pages, and of all that name the status. */
export function saysMissing(body: Uint8Array): boolean {
  const head = decoder.decode(body.subarray(0, MAX_BYTES))
  for (const [, text = ''] of head.matchAll(/<(?:title|h1)\b[^>]{0,200}>([^<]{0,200})/gi)) if (MISSING.test(text)) return true
  return false
}

// dates.

/** A negative key, so that no content has it. `dateNumbers`: nothing follows from such a number. */
function itemsKey(items: readonly string[], url: string, dateNumbers: ReadonlySet<number>): number {
  let text = ''
  for (const item of items) {
    text += item.slice(0, MAX_CHARACTERS - text.length)
    if (text.length >= MAX_CHARACTERS) break
  }
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  const known = text.replaceAll(MOMENT, '').replaceAll(url, '').replaceAll(`"${path}"`, '')
  const undated =
    dateNumbers.size === 0 ? known : known.replaceAll(/\d+/g, (digits) => (dateNumbers.has(Number(digits)) ? '' : digits))
  return -1 - textHash(undated)
}
