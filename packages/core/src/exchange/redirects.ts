// Follows redirects: the same request is sent again, spelled otherwise or after another page was requested; or it is settled as moved, and its target is a
// discovery like any other.
import type { Discoveries } from '../discovery/discovery.ts'
import { MAX_HOPS, refusedTarget, seedNameOf } from '../discovery/redirected.ts'
import type { FailureCode } from '../values/errors.ts'
import { failure, reasonOf, type Failure } from '../ports/failure.ts'
import type { Outcome } from '../ports/frontier.ts'
import type { Leased, NewRequest, Request } from '../ports/request.ts'
import type { Response, ResponseHead } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { shown } from '../values/shown.ts'
import { storedJson } from '../ports/stored-json.ts'
import { memoryOnly, outcomeOnly, type PendingUnit } from '../run/pending-unit.ts'
import { canonicalUrl } from '../url/canonicalize.ts'
import { parseUrl } from '../url/parse-url.ts'
import type { DroppedParameters } from '../url/dropped-parameters.ts'
import { hostKeyOf, originOf, locationOf } from '../url/host-key.ts'
import type { Headers } from './headers.ts'
import type { LiveExchange } from './live-exchange.ts'
import { fetchedOf } from '../ports/exchange.ts'
import { RedirectRings, type Led, SpellingChains } from './redirect-chains.ts'

/** A text that is requested already, and that a page leads back to once it has set its cookies, is requested again so often. */
const MAX_RETURNS = 2

/** What they are followed with. */
interface RedirectParts {
  readonly discoveries: Discoveries
  readonly headers: Headers
}

/** Follows the redirects of a run. */
export class Redirects {
  readonly #chains = new SpellingChains()
  readonly #rings = new RedirectRings()
  readonly #seeds = new SeedRedirects()
  readonly #run: Run
  readonly #parts: RedirectParts

  constructor(run: Run, parts: RedirectParts) {
    this.#run = run
    this.#parts = parts
  }

  /** A request as the frontier hands it out, with the spelling that it has come to. */
  inPlace(leased: Leased): Leased {
    return this.#chains.inPlace(leased)
  }

  /** A request is settled. */
  settled(request: Request, { kind }: Outcome): void {
    this.#chains.forget(request)
    if (kind !== 'moved') this.#rings.settled(request)
  }

  /**
   * What is to be committed: that the request has moved, and its target. Or the same request goes back to the queue, as it is to be sent now: then
   * nothing is settled, and it waits for its admission like any request.
   */
  follow(exchange: LiveExchange, leased: Leased, response: Response): PendingUnit {
    const { discoveries, headers } = this.#parts
    const { tally, settings } = this.#run
    const redirect = readRedirect(leased, response, { asked: this.#chains.of(leased), dropped: settings.dropped })
    if (redirect.kind === 'again') return this.#again(exchange, this.#chains.follow(leased, redirect.url))
    const fetched = fetchedOf(exchange, settings.clock.now(), response)
    if (redirect.kind === 'failed') {
      const failure = settings.codec.current.failure(redirect.failure)
      const outcome = { kind: 'failed', reason: reasonOf(failure.code), failure, fetched } as const
      return outcomeOnly(exchange.host, exchange.request, outcome)
    }
    const target = redirect.url
    const { request, refusal, isElsewhere } = discoveries.ofRedirect(target, redirect.leased, exchange.request)
    if (isElsewhere || (refusal !== undefined && leased.depth === 0))
      tally.problem(this.#seeds.message(leased, target, refusal?.reason))
    else if (leased.depth === 0 && headers.isBoundTo(leased.url) && !headers.isBoundTo(target))
      tally.problem(this.#seeds.lostHeaders(leased, target))
    const moved = outcomeOnly(exchange.host, exchange.request, { kind: 'moved', target, fetched })
    if (request !== undefined) return { ...moved, offered: 1, ...this.#led(exchange.request, request) }
    this.#rings.settled(exchange.request)
    return { ...moved, offered: 1, refused: [[refusal?.rule ?? '', hostKeyOf(target, settings.hostKeying), 1]] }
  }

  /** The target of a redirect of `from`. Who led to a request is in the store: that is all there is of a ring after a restart. */
  #led(from: Request, target: NewRequest): Pick<PendingUnit, 'links' | 'whenCommitted'> {
    const now = this.#run.settings.clock.now()
    const again = this.#rings.lead(from, target, now)
    const isBack = from.redirectedFrom !== undefined && canonicalUrl(from.redirectedFrom) === canonicalUrl(target.url)
    const links = [isBack ? { ...target, again: Math.floor(now) } : target]
    if (again.length === 0) return { links }
    return { links, whenCommitted: () => void this.#run.besides.begin(() => this.#revisit(again)) }
  }

  async #revisit(again: readonly Led[]): Promise<void> {
    const { frontier, clock } = this.#run.settings
    const wanted = again.map(({ id, dueAt }) => ({ id, at: Math.floor(Math.min(dueAt, clock.now())) }))
    await this.#run.calls.make('pages that redirects lead back to', () => frontier.change({ kind: 'revisit', wanted }))
    this.#run.gained(again.map(({ hostKey }) => ({ hostKey, count: 1, topPriority: -Infinity })))
  }

  #again({ host }: LiveExchange, leased: Leased): PendingUnit {
    host.unsettled--
    host.queue.add(leased, this.#run.settings.clock.now())
    return memoryOnly(host)
  }
}

/** What decides on where a redirect leads. */
interface RedirectContext {
  readonly asked: readonly string[]
  readonly dropped: DroppedParameters
}

/** Where a redirect leads. */
type Redirect =
  | { readonly kind: 'target'; readonly leased: Leased; readonly url: string }
  /** The same request again, as `url` is spelled. */
  | { readonly kind: 'again'; readonly url: string }
  | { readonly kind: 'failed'; readonly failure: Failure }

/**
 * Reads the redirect `head` of `leased`, for which these texts were requested so far (`asked`).
 *
 * Another spelling of the same canonical URL, also with or without what is `dropped`, is the same request again: as the server writes it, or a site that
 * adds a parameter to each URL would redirect for ever. Leading back to a text that was requested is a loop only the third time: a site that checks whether
 * cookies come back leads to its mark and back (`/p`, `/p?checked=1`, `/p`). Any other target is requested without what is dropped.
 * `target.leased` is the request to make of the target: 303, and 301 and 302 after a POST, turn into a GET without a body and
 * the fields that describe it (RFC 9110 §15.4, §15.4.2 to §15.4.4); 307 and 308 keep all of them.
 */
function readRedirect(leased: Leased, head: ResponseHead, { asked, dropped }: RedirectContext): Redirect {
  const location = locationOf(head.headers)
  const url = parseUrl(location, leased.url)
  if (url === undefined) {
    return leadsNowhere(
      'AVO_REDIRECT_TARGET',
      `expected an http(s) URL of at most 8,000 bytes in Location, got ${shown(location, 200)}`,
    )
  }
  const method = leased.method ?? 'GET'
  const becomesGet = method !== 'HEAD' && (head.status === 303 || (method === 'POST' && head.status <= 302))
  const target = dropped.from(url)
  const isSame = canonicalUrl(target) === canonicalUrl(dropped.from(leased.url)) && !(becomesGet && method !== 'GET')
  if (isSame && asked.includes(url)) {
    if (asked.length - new Set(asked).size < MAX_RETURNS) return { kind: 'again', url }
    const where = url === leased.url ? 'to itself' : `back to ${url}`
    return leadsNowhere('AVO_REDIRECT_LOOP', `the page redirects ${where}, ${MAX_RETURNS + 1} times`)
  }
  if ((leased.hops ?? 0) >= MAX_HOPS) return leadsNowhere('AVO_REDIRECT_LIMIT', `more than ${MAX_HOPS} redirects in a row`)
  if (isSame) return { kind: 'again', url }
  if (!becomesGet) return { kind: 'target', leased, url: target }
  const { method: _method, body: _body, headersJson = '{}', ...get } = leased
  const fields = Object.entries(storedJson(headersJson, 'the headers of a request') as Record<string, string>)
  const kept = JSON.stringify(Object.fromEntries(fields.filter(([name]) => !/^content-/i.test(name))))
  return { kind: 'target', leased: { ...get, headersJson: kept }, url: target }
}

function leadsNowhere(code: FailureCode, message: string): Redirect {
  return { kind: 'failed', failure: failure(code, message, { sent: true }) }
}

/** A report has room for 50 problems; of 800 shops more may have moved. */
const MAX_NOTED = 20

/** Writes the messages of one run. */
class SeedRedirects {
  #noted = 0

  /** That `leased`, a seed or what one redirects to, led to `target`, which is refused for `refusal`, or else is of another site. */
  message(leased: Leased, target: string, refusal: string | undefined): string {
    if (++this.#noted > MAX_NOTED) return 'further seeds redirect to other sites: their targets are in the history of each seed'
    if (refusal !== undefined) return refusedTarget(leased, target, refusal)
    return `${seedNameOf(leased)} redirects to another site, ${target}: that page is crawled, the site is not; to crawl it, add '${hostKeyOf(target, 'host')}' to scope.hosts, or make it the seed`
  }

  /** That `leased`, of an origin that headers were given for, led to another origin of its site. */
  lostHeaders(leased: Leased, target: string): string {
    if (++this.#noted > MAX_NOTED) return 'further seeds redirect to origins that the headers were not given for'
    const to = originOf(target)
    return `${seedNameOf(leased)} redirects to ${to}, which does not get the headers that were given for ${originOf(leased.url)}; to send them there, make ${to}/ the seed`
  }
}
