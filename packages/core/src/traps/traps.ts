// What a crawl refuses because it leads to nothing new: new URLs beyond what a host has earned, patterns that repeat, host names without end.
//
// A pattern is closed for what grows out of itself: page after page says what others of the host said, links to new URLs of its own pattern alone, and was
// found on a page of it. What other pages list may be what is there, however often it says the same: a hundred products that are sold out. It takes so
// many in a row: a single page of the pattern that says something new clears it, be nine of ten products sold out.
// Pages are compared by what they say (content-key.ts): one in sixteen of those that link to something new, and all of a pattern that is suspected.
//
// Closed is until the next run, which requests what was refused, and closes the pattern again after half as many pages. Links of a closed pattern are added
// to the store while the budget allows it, and settled there instead of being requested: so nothing of it is lost.
//
// A law by which what yields no items is closed was rejected: a forum beside a shop, and all pages that a spider only reads, would be traps.
import type { ClosedFor, ClosedPattern } from '../ports/closed-pattern.ts'
import type { Leased, NewRequest } from '../ports/request.ts'
import { hostnameOf, originOf, siteOf } from '../url/host-key.ts'
import { contentKey } from './content-key.ts'
import { urlsLeft, type DiscoveryLimits, type Given } from '../ports/discovery-limits.ts'
import { fullPattern, type GivingHost, type HostGains, type PatternRecord } from './host-gains.ts'
import { GIVING_PAGES, type SiteHosts } from './site-hosts.ts'
import { dateNumbers, urlPatterns, WHOLE_HOST } from './url-patterns.ts'
import { textHash } from '../url/fingerprint.ts'

/** Reason of requests that wait for their pattern to be opened. */
export const TRAP_REASON = 'trap'
/** Of the new links of a page, so many tell where it leads. */
const MAX_LOOKED_AT = 32
/** A page with so many new URLs of its pattern alone grows, wherever it was found. */
const MANY_URLS = 50
/** A host of fewer pages is not judged. */
const YOUNG_PAGES = 24
/** Pages in a row, by width of the pattern: a wide one takes several narrow ones beside, so the narrow one closes first. */
const MAX_SAME = [100, 100, 112]
/** The same: a wide pattern is found where narrow ones have no end, and not by one of them that is beside others. */
const MIN_KINDS = [0, 4, 8]
const MAX_KINDS = 8
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
  /** URL of the page that led here. */
  readonly parent?: string | undefined
  /** It was there before, so that it says the same is no news. */
  readonly isRevisited: boolean
  readonly body: Uint8Array
  /** Items as JSON text. */
  readonly items: readonly string[]
  /** Its links that are new, as far as is known. */
  readonly requests: readonly NewRequest[]
}

/** Decides what is not followed. */
export class Traps {
  readonly #world: TrapWorld
  /** Patterns that this run closed: any other is of an earlier one. A clock would say less: it may have been set back. */
  readonly #closed = new Set<string>()

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
    closed.refused++
    host.gains.mark()
    return true
  }

  /** A page was accepted: counts what it gave, and whether it says anything new. Returns whether a pattern of it is closed now. */
  judge(host: GivingHost, page: AcceptedPage): boolean {
    const given = givenOf(host)
    host.core.gave = given
    given.pages++
    given.items += page.items.length
    if (given.pages === GIVING_PAGES) this.#world.sites.gives(hostnameOf(host.key))
    const { gains } = host
    if (page.isRevisited || given.pages < YOUNG_PAGES || !this.#world.limits.closePatterns) return false
    // Counted are those that link to something new: of all pages, the same ones may always be left out.
    const isSampled = page.requests.length > 0 && gains.growing++ % COMPARE_EACH === 0
    if (gains.records.size === 0 && !isSampled) return false
    const patterns = urlPatterns(page.url)
    if (!isSampled && !patterns.some((name) => gains.isSuspected(name))) return false
    // What the user has accepted is no evidence against anything, and one of a closed pattern was in flight.
    if (patterns.some((name) => this.#isAccepted(host.key, name)) || this.#closedFor(host, page.url)) return false
    const isSame = saysTheSame(gains, page)
    return isSame === undefined ? false : this.#weigh(host, patterns, { isSame, page })
  }

  #weigh(host: GivingHost, patterns: readonly string[], { isSame, page }: { isSame: boolean; page: AcceptedPage }): boolean {
    const { gains } = host
    const growing = isSame ? grownBy(host.key, page, patterns) : patterns.filter((name) => gains.isSuspected(name))
    let isClosed = false
    patterns.forEach((name, index) => {
      if (name === WHOLE_HOST || !growing.includes(name)) return
      const record = gains.record(name)
      if (weigh(record, { isSame, width: widthOf(patterns, index), kind: patterns[0] ?? name }))
        isClosed = this.#close(host, { pattern: name, reason: 'same-content', pages: record.pages }) || isClosed
      else if (record.same === 0) gains.records.delete(name)
      gains.mark()
    })
    return isClosed
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
    const found = names.filter((name) => closed.get(name)?.reason === 'same-content')
    for (const name of found) if (!this.#closed.has(fullPattern(host.key, name))) host.gains.open(name)
    return found.map((name) => closed.get(name)).find((each) => each !== undefined)
  }

  #close(host: GivingHost, { pattern, reason, pages }: Pick<ClosedPattern, 'pattern' | 'reason' | 'pages'>): boolean {
    if (!host.gains.close({ pattern, reason, pages, refused: 0, since: this.#world.now() })) return false
    const name = fullPattern(host.key, pattern)
    this.#closed.add(name)
    this.#world.problem(`${name} is closed until the next run: ${WHY[reason]}; to have it open, accept this pattern`)
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
    if (!host.gains.close({ pattern, reason, pages, refused: count, since: this.#world.now() })) return
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

/** Adds what a page of the pattern says; `width`: 0 for the narrow pattern, `kind`: the narrow one of the page. True when the pattern is to be closed. */
export function weigh(
  record: PatternRecord,
  { isSame, width, kind }: { readonly isSame: boolean; readonly width: number; readonly kind: string },
): boolean {
  record.pages++
  if (isSame && width > 0 && record.kinds.length < MAX_KINDS && !record.kinds.includes(kind)) record.kinds.push(kind)
  record.same = isSame ? record.same + 1 : 0
  return record.same >= (MAX_SAME[width] ?? Infinity) && record.kinds.length >= (MIN_KINDS[width] ?? 0)
}

/** The patterns of a page that all of its new links are of, and the page that it was found on. */
function grownBy(hostKey: string, { url: at, parent, requests }: AcceptedPage, own: readonly string[]): readonly string[] {
  const isOfOwn = parent !== undefined && originOf(parent) === originOf(at)
  const before = requests.length >= MANY_URLS ? own : isOfOwn ? urlPatterns(parent) : []
  let growing = requests.length === 0 ? [] : own.filter((name) => before.includes(name))
  for (const { url, hostKey: to } of requests.slice(0, MAX_LOOKED_AT)) {
    const names = to === hostKey ? urlPatterns(url) : []
    growing = growing.filter((name) => names.includes(name))
  }
  return growing
}

/** Whether a page brings only what was seen; undefined when it says nothing either way. */
function saysTheSame(gains: HostGains, { url, body, items }: AcceptedPage): boolean | undefined {
  const key = contentKey(body, url)
  const isKnown = key !== undefined && gains.remember(key)
  // Both are remembered, independent of each other.
  const isKnownOfItems = items.length === 0 || gains.remember(itemsKey(items, url))
  if (key === undefined && items.length === 0) return undefined
  return isKnown && isKnownOfItems
}

/** A negative key, so that no content has it. */
function itemsKey(items: readonly string[], url: string): number {
  let text = ''
  for (const item of items) {
    text += item.slice(0, MAX_CHARACTERS - text.length)
    if (text.length >= MAX_CHARACTERS) break
  }
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  const known = text.replaceAll(MOMENT, '').replaceAll(url, '').replaceAll(`"${path}"`, '')
  const numbers = dateNumbers(url)
  const undated = numbers.size === 0 ? known : known.replaceAll(/\d+/g, (digits) => (numbers.has(Number(digits)) ? '' : digits))
  return -1 - textHash(undated)
}
