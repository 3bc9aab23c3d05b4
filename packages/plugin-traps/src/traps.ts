// URLs that bring nothing new. Sites without an end: patterns of URLs whose pages bring nothing new are closed, and their requests are left until the next
// run. Other URLs of a page that was seen (same-pages.ts) are redirected to it without a request.
//
// Pages are compared by what they say (content-key.ts): one in sixteen of those that link to something new, and all of a pattern that is suspected. Of a host
// of which nothing was seen twice a page costs a counter.
//
// Closed is until the next run, which requests what was left, and closes the pattern again after half as many pages. Links of a closed pattern are added to
// the store while the budget of their host allows it, and settled there instead of being requested: so nothing of it is lost.
import { definePlugin, type Plugin } from '@avocet/core'
import { checkOptions, option, type Exchange, type HostView, type OutgoingRequest, type Session } from '@avocet/core/plugin'
import { HostGains, savedOf, type JudgedPage } from './host-gains.ts'
import { SamePages } from './same-pages.ts'
import { urlPatterns, WHOLE_HOST } from './url-patterns.ts'

/** Reason of requests that wait for their pattern to be opened. */
const REASON = 'trap'
/** A host of fewer pages is not judged. */
const YOUNG_PAGES = 24
/** While nothing of a host was seen twice, one page in so many is compared. */
const COMPARE_EACH = 16
const NAME = 'traps'
const PAGES = 'traps pages'
const WHY = 'page after page says the same, and links to nothing but more of them'

/** Options of `traps()`. */
export interface TrapOptions {
  /** Close patterns of URLs that repeat and bring nothing new. Default true. */
  readonly closePatterns?: boolean
}

/** Memory of a host. The rest, which is larger, is in a blob (host-gains.ts). */
interface TrapsMemory {
  /** At most those that it takes until it is judged. */
  pages: number
  /** Requests that were not sent since their pattern was closed. */
  refused?: Record<string, number>
}

/**
 * Closes patterns of URLs whose pages repeat and lead to nothing but more of them, such as calendars and session identifiers, and has a page requested by one
 * of the URLs that are the same by the `No-Vary-Search` of its server.
 *
 * @throws AVO_CONFIG_INVALID for an unknown option.
 * @example
 * ```ts
 * const plugins = [traps({ closePatterns: false })] // in place of the one that `crawl` of `avocet` adds
 * ```
 */
export function traps(options: TrapOptions = {}): Plugin {
  checkOptions('traps', options, { closePatterns: option.flag })
  const runs = new WeakMap<object, TrapRun>()
  return definePlugin<TrapsMemory, object>({
    name: NAME,
    outsideEffects: false,
    hostMemory: () => ({ pages: 0 }),
    crawlMemory: () => ({}),
    findings: {
      parts: [NAME, `#${NAME}`],
      closed({ [NAME]: memory = '[0,{}]', [`#${NAME}`]: text }, url) {
        const { refused } = (JSON.parse(memory) as [number, Partial<TrapsMemory>])[1]
        const own = url === undefined ? undefined : new Set(urlPatterns(url))
        return savedOf(text)
          .closed.filter(({ pattern }) => own?.has(pattern) ?? true)
          .map((closed) => ({ ...closed, refused: refused?.[closed.pattern] ?? 0 }))
      },
    },
    open(session, crawl) {
      session.reopens(REASON)
      if (options.closePatterns ?? true) runs.set(crawl, new TrapRun(session))
    },
    beforeRequest(outgoing, memory, crawl) {
      redirectToSame(outgoing)
      const pattern = runs.get(crawl)?.closedFor(outgoing.exchange)
      if (pattern === undefined) return
      memory.refused = { ...memory.refused, [pattern]: (memory.refused?.[pattern] ?? 0) + 1 }
      outgoing.drop(REASON)
    },
    onCommit({ request, host, ...unit }) {
      pagesOf(host).settled(request, unit)
    },
    explain({ host }) {
      const fields = [...new SamePages(host.blob(PAGES)).variances.keys()]
      return fields.length === 0 ? {} : { samePagesBy: `No-Vary-Search: ${fields.join(' or ')}` }
    },
    onHandled(page, memory, crawl) {
      if (page.failure) return
      pagesOf(page.host).handled(page)
      keep(page.host, pagesOf(page.host), { name: PAGES })
      if (memory.pages < YOUNG_PAGES) memory.pages++
      if (memory.pages < YOUNG_PAGES || page.request.earlier !== undefined) return
      const isOld = runs.get(crawl)?.judge(page)
      if (isOld && memory.refused)
        memory.refused = Object.fromEntries(Object.entries(memory.refused).filter(([name]) => isOld(name)))
    },
  })
}

/** What is known in one run. */
class TrapRun {
  readonly #session: Pick<Session, 'accepted' | 'clock' | 'problem'>
  readonly #hosts = new WeakMap<HostView, HostGains>()
  /** Patterns that this run closed: any other is of an earlier one. A clock would say less: it may have been set back. */
  readonly #closed = new Set<string>()

  constructor(session: Pick<Session, 'accepted' | 'clock' | 'problem'>) {
    this.#session = session
  }

  /** The closed pattern for which it is not sent. What the user named, and what was visited before, is. */
  closedFor({ host, request: { depth, earlier, url } }: Exchange): string | undefined {
    if (depth === 0 || earlier !== undefined) return undefined
    return this.#closedFor(host, url)
  }

  /** A page that its handler has accepted. Where it closes a pattern: what says of others whether they have been closed since before. */
  judge(page: JudgedPage): ((pattern: string) => boolean) | undefined {
    const { host, request, links } = page
    const gains = this.#gainsOf(host)
    // Counted are those that link to something new: of all pages, the same ones may always be left out.
    const isSampled = links.length > 0 && gains.growing++ % COMPARE_EACH === 0
    if (!gains.isSuspected() && !isSampled) return undefined
    const patterns = urlPatterns(request.url)
    if (!isSampled && !gains.isSuspected(...patterns)) return undefined
    // What the user has accepted is no evidence against anything, and one of a closed pattern was in flight.
    if (patterns.some((name) => this.#isAccepted(host.key, name)) || this.#closedFor(host, request.url)) return undefined
    const before = new Set(gains.closed.keys())
    const closing = gains.judge(page, patterns)
    for (const [pattern, pages] of closing) this.#close(host, gains, { pattern, pages })
    keep(host, gains, { isRare: isSampled })
    return closing.length > 0 ? (pattern) => before.has(pattern) : undefined
  }

  #closedFor(host: HostView, url: string): string | undefined {
    const gains = this.#gainsOf(host)
    if (gains.closed.size === 0) return undefined
    const names = urlPatterns(url)
    // A narrow pattern that was accepted is open, though a wide one may be closed.
    const open = names.filter((name) => this.#isAccepted(host.key, name))
    const earlier = names.filter((name) => !this.#closed.has(host.key + name))
    for (const name of [...open, ...earlier]) gains.open(name)
    keep(host, gains)
    return open.length > 0 ? undefined : names.find((name) => gains.closed.has(name))
  }

  #close(host: HostView, gains: HostGains, { pattern, pages }: { readonly pattern: string; readonly pages: number }): void {
    const since = this.#session.clock.now()
    if (!gains.close({ pattern, reason: 'same-content', pages, refused: 0, since })) return
    this.#closed.add(host.key + pattern)
    this.#session.problem(`${host.key}${pattern} is closed until the next run: ${WHY}; to have it open, accept this pattern`)
  }

  #gainsOf(host: HostView): HostGains {
    const known = this.#hosts.get(host)
    if (known !== undefined) return known
    const gains = new HostGains(host.blob(NAME))
    this.#hosts.set(host, gains)
    host.keepBlob(NAME, () => gains.changedText(true))
    return gains
  }

  #isAccepted(hostKey: string, pattern: string): boolean {
    const { accepted } = this.#session
    return accepted.size > 0 && (accepted.has(hostKey + pattern) || accepted.has(hostKey + WHOLE_HOST))
  }
}

/** Those of the hosts that are held. */
const held = new WeakMap<HostView, SamePages>()

function pagesOf(host: HostView): SamePages {
  const known = held.get(host)
  if (known !== undefined) return known
  const pages = new SamePages(host.blob(PAGES))
  held.set(host, pages)
  host.keepBlob(PAGES, () => pages.changedText(true))
  return pages
}

/** What was named by a user or a sitemap, and what was a page before, is requested. */
function redirectToSame(outgoing: OutgoingRequest): void {
  const { request, host } = outgoing.exchange
  const other = pagesOf(host).ofOther(request, outgoing.now)
  if (other === undefined || request.depth === 0 || request.earlier?.bodyHash !== undefined) return
  if (typeof other === 'number') return outgoing.retry(other, 'same-page')
  const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: true }
  outgoing.serve({ url: request.url, status: 307, headers: { location: other }, body: new Uint8Array(), wireBytes: 0, timings })
}

function keep(host: HostView, known: HostGains | SamePages, { name = NAME, isRare = false } = {}): void {
  const text = known.changedText(isRare)
  if (text !== undefined) host.keepBlob(name, text)
}
